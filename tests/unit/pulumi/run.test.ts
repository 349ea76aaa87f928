import { describe, expect, it } from "vitest";
import { type Owner, resourceOwner } from "../../../provider/lib/owner";
import type { Arrival } from "../../../provider/plan/ledger";
import { PartialError, PgComputeError } from "../../../provider/platform/errors";
import { EndpointSnapshot } from "../../../provider/platform/project/endpoint-cache";
import { mayContend } from "../../../provider/pulumi/preview";
import { MAX_QUIET_MS, PlanningCalls, QUIET_MS, RunRecords } from "../../../provider/pulumi/run";
import { createVirtualClock } from "../../support/virtual-clock";

const [one, two] = ["one", "two"].map(resourceOwner) as [Owner, Owner];

describe("the records of a run", () => {
  it("know who has an endpoint, as soon as the program declares that one, and follow it to its next", () => {
    const run = new RunRecords();
    run.identify(one, "ep-1");
    expect(run.record(one).endpointId).toBe("ep-1");
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
    run.record(one).isDeclared = true;
    expect(run.otherOwnerOf("ep-1", two)).toBe(one);
    expect(run.otherOwnerOf("ep-1", one)).toBeUndefined();
    run.identify(one, "ep-2");
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
    expect(run.otherOwnerOf("ep-2", two)).toBe(one);
  });

  it("remember how far a change got, until it ends well", async () => {
    const run = new RunRecords();
    const failed = new PartialError("p/ep-1", { sizeCu: 1 }, new PgComputeError("server", "no"));
    await expect(run.remember(one, () => Promise.reject(failed))).rejects.toBe(failed);
    expect(run.record(one).unfinished).toMatchObject({ id: "p/ep-1", state: { sizeCu: 1 } });
    const early = new PgComputeError("unauthorized", "refused");
    const repeated = run.remember(one, () => Promise.reject(early));
    await expect(repeated).rejects.toMatchObject({ kind: "unauthorized", id: "p/ep-1", state: { sizeCu: 1 } });
    await run.remember(one, async () => ({ id: "p/ep-1" }));
    expect(run.record(one).unfinished).toBeUndefined();
    await expect(run.remember(one, () => Promise.reject(early))).rejects.toBe(early);
  });
});

it("a step in its turn waits, as a replica's, for the read-write endpoint that is under way on its branch, however that ends", async () => {
  const run = new RunRecords();
  const order: string[] = [];
  let fail: (error: Error) => void = () => {};
  const primary = run.inTurn(at("b1"), () => new Promise<void>((_, reject) => (fail = reject)));
  const replica = run.inTurn(at("b1", "read_only"), async () => order.push("replica"));
  await run.inTurn(at("b2", "read_only"), async () => order.push("elsewhere"));
  expect(order).toEqual(["elsewhere"]);
  fail(new Error("no"));
  await expect(primary).rejects.toThrow("no");
  await replica;
  expect(order).toEqual(["elsewhere", "replica"]);
  await run.inTurn(at("b1", "read_only"), async () => order.push("later"));
  expect(order.at(-1)).toBe("later");
});

const at = (branchId: string, type = "read_write") => ({ projectId: "p", branchId, type });

it.each<[string, Arrival | undefined, string, [id: string, branch: string, type: string][], boolean]>([
  ["stays", undefined, "read_write", [["ep-other", "b2", "read_only"]], false],
  ["moves", "move", "read_write", [], true],
  ["is replaced", "replace", "read_only", [], true],
  ["takes over what is there", "adopt", "read_write", [["ep-other", "b2", "read_only"]], false],
  ["is created, and nothing else is there", "create", "read_only", [], false],
  ["is created, and a replica may come", "create", "read_write", [["ep-other", "b2", "read_only"]], true],
  ["is created, and a replica is planned", "create", "read_write", [["ep-known", "b2", "read_only"]], false],
  ["is created where a replica is", "create", "read_write", [["ep-other", "b1", "read_only"]], false],
  ["is the second read-write one in any order", "create", "read_write", [["ep-other", "b2", "read_write"]], false],
  ["is a new replica, and a primary may come", "create", "read_only", [["ep-other", "b2", "read_write"]], true],
])("a planned step whose place in the order may count: %s", (_, arrival, type, there, expected) => {
  const claim = { urn: resourceOwner("one"), to: at("b1", type), arrival };
  const records = there.map(([id, branchId, its]) => ({ ...at(branchId, its), id, pgSettings: {} }));
  expect(mayContend(claim, new EndpointSnapshot(records), (id) => id === "ep-known")).toBe(expected);
});

describe("the quiet after a run's Checks", () => {
  it("begins a moment after the last of them, and none may be open", async () => {
    const clock = createVirtualClock();
    const calls = new PlanningCalls();
    const { signal } = new AbortController();
    const began = clock.now();
    await clock.run(calls.quiet(clock, signal));
    expect(clock.now() - began).toBe(0);

    const check = calls.during(clock, () => clock.sleep(300));
    const failed = calls.during(clock, () => Promise.reject(new Error("no")));
    const [, end] = await clock.run(
      Promise.all([check, calls.quiet(clock, signal).then(() => clock.now()), failed.catch(() => {})]),
    );
    expect(end - began).toBeGreaterThanOrEqual(300 + QUIET_MS);
    expect(end - began).toBeLessThanOrEqual(300 + 2 * QUIET_MS);
    clock.close();
  });

  it.each([
    [2, QUIET_MS],
    [7, QUIET_MS + 8 * 5],
    [100, MAX_QUIET_MS],
  ])("is longer on a machine that wakes its sleepers %i ms late: %i ms", async (lateMs, quietMs) => {
    const clock = createVirtualClock();
    const late = { now: clock.now, sleep: (ms: number) => clock.sleep(ms + lateMs) };
    const calls = new PlanningCalls();
    await clock.run(calls.during(clock, async () => undefined));
    const began = clock.now();
    await clock.run(calls.quiet(late, new AbortController().signal));
    expect(clock.now() - began).toBe(quietMs + lateMs);
    clock.close();
  });

  it("is waited for no longer than the run lasts", async () => {
    const clock = createVirtualClock();
    const calls = new PlanningCalls();
    const cancel = new AbortController();
    void calls.during(clock, () => new Promise(() => {}));
    const quiet = calls.quiet(clock, cancel.signal);
    cancel.abort();
    await expect(clock.run(quiet)).rejects.toMatchObject({ kind: "cancelled" });
    clock.close();
  });
});
