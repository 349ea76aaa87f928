import { expect, it, onTestFinished } from "vitest";
import { memberOwner, type Owner, resourceOwner } from "../../../provider/lib/owner";
import { primary as policy } from "../../../provider/platform/policy";
import { Arrivals, type ReplicaStep } from "../../../provider/pulumi/arrivals";
import { createVirtualClock } from "../../support/virtual-clock";

const [one, two, replica] = ["one", "two", "replica"].map(resourceOwner) as [Owner, Owner, Owner];
const at = (branchId: string, type = "read_write") => ({ projectId: "p", branchId, type });

/** A run that has just checked something, and a replica's wait in it for branch `b1`. */
function useRun() {
  const clock = createVirtualClock();
  onTestFinished(() => clock.close());
  const cancel = new AbortController();
  const arrivals = new Arrivals();
  arrivals.checked(clock.now());
  const told: string[] = [];
  const waits = (part: Partial<ReplicaStep> = {}) =>
    arrivals.awaitPrimary({
      ...{ owner: replica, to: at("b1", "read_only"), clock, signal: cancel.signal, mayFollow: true, comesAlong: true },
      ...{ onWait: (line: string) => told.push(line), ...part },
    });
  /** How a wait ends, and after how many milliseconds. */
  const ends = async (wait: ReturnType<typeof waits>) => {
    const missing = await clock.run(wait);
    return [missing, clock.elapsedMs()];
  };
  return { arrivals, clock, cancel, told, waits, ends };
}

const never = () => new Promise<void>(() => {});

it("a replica waits for a declaration, 5 s from the run's last Check, and is made where none comes", async () => {
  const { arrivals, clock, told, waits, ends } = useRun();
  const wait = waits();
  await clock.pass(3_000);
  arrivals.checked(clock.now());
  expect(await ends(wait)).toEqual([undefined, 3_000 + policy.declareMs]);
  expect(told).toEqual(["waiting for a read-write endpoint of branch b1, which the program may yet declare, 2 s"]);
  expect(await ends(waits())).toEqual([undefined, 8_000]);
});

it("a replica that no primary may follow waits for no declaration", async () => {
  const { waits, ends } = useRun();
  expect(await ends(waits({ mayFollow: false }))).toEqual([undefined, 0]);
});

it("a replica goes on at once where its primary is declared that is created or stays, begun or not", async () => {
  const { arrivals, clock, waits, ends } = useRun();
  const wait = waits();
  await clock.pass(1_000);
  arrivals.declare(two, at("b2"), true);
  arrivals.declare(two, at("b1", "read_only"), true);
  await clock.pass(1_000);
  arrivals.declare(one, at("b1"), false);
  expect(await ends(wait)).toEqual([undefined, 2_000]);
  void arrivals.asPrimary(one, at("b1"), never, true);
  expect(await ends(waits())).toEqual([undefined, 2_000]);
});

it("a replica waits for the end of a primary's step that is under way on its branch, however that ends", async () => {
  const { arrivals, clock, waits, ends } = useRun();
  const create = arrivals.asPrimary(one, at("b1"), async () => {
    await clock.sleep(60_000);
    throw new Error("no");
  });
  const failed = expect(create).rejects.toThrow("no");
  expect(await ends(waits({ mayFollow: false }))).toEqual([undefined, 60_000]);
  await failed;
  expect(await ends(waits())).toEqual([undefined, 60_000]);
});

it("a replica waits for a move to its branch, until it begins and then until it ends, and is not made without it", async () => {
  const { arrivals, clock, told, waits, ends } = useRun();
  const wait = waits();
  await clock.pass(1_000);
  arrivals.declare(one, at("b1"), true);
  await clock.pass(policy.beginMs - 1_000);
  void arrivals.asPrimary(one, at("b1"), () => clock.sleep(60_000));
  expect(await ends(wait)).toEqual([undefined, 90_000]);
  expect(told[0]).toBe("waiting for the read-write endpoint of branch b1, 2 s");

  const fails = arrivals.asPrimary(one, at("b1"), () => Promise.reject(new Error("no")));
  await expect(fails).rejects.toThrow("no");
  expect(await ends(waits())).toEqual([{ primary: one }, 90_000]);
});

it("a replica is given up where the move does not begin in time, or waits for an idle moment", async () => {
  const { arrivals, waits, ends } = useRun();
  arrivals.declare(one, at("b1"), true);
  expect(await ends(waits())).toEqual([{ primary: one }, policy.beginMs]);
  void arrivals.asPrimary(one, at("b1"), never, true);
  expect(await ends(waits())).toEqual([{ primary: one }, 2 * policy.beginMs]);
});

it("a replica goes on where the move becomes a replacement, and where the fleet that has it failed before its step", async () => {
  const { arrivals, clock, waits, ends } = useRun();
  arrivals.declare(one, at("b1"), true);
  const wait = waits();
  await clock.pass(1_000);
  arrivals.declare(one, at("b1"), false);
  void arrivals.asPrimary(one, at("b1"), async () => {});
  expect(await ends(wait)).toEqual([undefined, 1_000]);

  const member = memberOwner(two, "a");
  arrivals.declare(member, at("b1"), true);
  const other = waits();
  arrivals.withdraw(one);
  await clock.pass(1_000);
  arrivals.withdraw(two);
  expect(await ends(other)).toEqual([{ primary: member }, 2_000]);
});

it("a member waits for no other one of its fleet, which orders them itself", async () => {
  const { arrivals, waits, ends } = useRun();
  arrivals.declare(memberOwner(two, "a"), at("b1"), true);
  expect(await ends(waits({ owner: memberOwner(two, "b") }))).toEqual([undefined, 0]);
});

it("a replica that leaves another branch is not made while a checked resource waits for a worker of the engine", async () => {
  const { arrivals, waits, ends } = useRun();
  arrivals.plan(two);
  expect(await ends(waits())).toEqual([{ primary: undefined }, policy.declareMs]);
  expect(await ends(waits({ comesAlong: false }))).toEqual([undefined, policy.declareMs]);
  expect(await ends(waits({ mayFollow: false }))).toEqual([undefined, policy.declareMs]);
  arrivals.begin(two);
  expect(await ends(waits())).toEqual([undefined, policy.declareMs]);
});

it("a replica's wait ends at once where the run is interrupted", async () => {
  const { arrivals, clock, cancel, waits } = useRun();
  const first = expect(waits()).rejects.toMatchObject({ kind: "cancelled" });
  arrivals.declare(one, at("b2"), true);
  const second = expect(waits({ to: at("b2", "read_only") })).rejects.toMatchObject({ kind: "cancelled" });
  await clock.pass(1_000);
  cancel.abort();
  await Promise.all([first, second]);
  expect(clock.elapsedMs()).toBe(1_000);
});
