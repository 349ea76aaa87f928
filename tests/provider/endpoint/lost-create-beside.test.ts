import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { openAccount } from "../../../provider/platform/account";
import { defaultAccountSettings } from "../../support/bench";
import { EnginePart } from "../../support/engine-part";
import { createMortalApi } from "../../support/mortal-api";
import { expectSettled, lostAfter, lostBefore, useNameless } from "./nameless";

describe("replicas that are created side by side, where no names are kept", () => {
  const five = ["a", "b", "c", "d", "e"];

  it.each<[string, Fault[], owned: number, named: number]>([
    ["one answer is lost", [{ ...lostAfter, skip: 1, count: 1 }], 5, 0],
    ["one is lost before it was made", [{ ...lostBefore, skip: 1, count: 1 }], 5, 0],
    ["none was made", [{ ...lostBefore, count: 5 }], 5, 0],
    ["two of the answers are lost", [{ ...lostAfter, skip: 1, count: 2 }], 3, 2],
    ["all answers are lost", [lostAfter], 0, 5],
    [
      "one was made and one was not",
      [
        { ...lostAfter, count: 1 },
        { ...lostBefore, skip: 1, count: 1 },
      ],
      3,
      1,
    ],
  ])("are taken where that is certain, and else all named: %s", async (_, faults, owned, named) => {
    const { bench, emulator, replica, ids } = await useNameless();
    const program = Object.fromEntries(five.map((name) => [name, replica()]));
    for (const fault of faults) emulator.admin.addFault(fault);
    const stack = new EnginePart(5);
    const run = await bench.run(stack.up(bench.account(), program));
    emulator.admin.clearFaults();
    expect(stack.ids()).toHaveLength(owned);
    const left = ids().filter((id) => !stack.ids().includes(id));
    expect(left).toHaveLength(named);
    expect(run.errors).toHaveLength(5 - owned);
    for (const error of run.errors) for (const id of left) expect(error).toContain(id);
    if (named > 0) return;
    await expectSettled(bench, stack, program, ids());
  });
});

describe("two runs at once, where no names are kept", () => {
  it("take nothing where both lose the answer to the same create", async () => {
    const { bench, emulator, replica, ids } = await useNameless();
    emulator.admin.addFault({ ...lostAfter, count: 2 });
    const [one, two] = [new EnginePart(), new EnginePart()];
    const up = (stack: EnginePart) => stack.up(bench.account(), { main: replica() });
    const runs = await bench.run(Promise.all([up(one), up(two)]));
    expect(ids()).toHaveLength(2);
    expect([...one.ids(), ...two.ids()]).toEqual([]);
    for (const { errors } of runs) for (const id of ids()) expect(errors.join()).toContain(id);
  });

  // The limit of it, which docs/reliability.md tells.
  it("may take for its own what the other one made at that moment just alike", async () => {
    const { bench, emulator, replica, ids } = await useNameless();
    emulator.admin.addFault({ ...lostBefore, count: 1 });
    const [one, two] = [new EnginePart(), new EnginePart()];
    const up = (stack: EnginePart) => stack.up(bench.account(), { main: replica() });
    const runs = await bench.run(Promise.all([up(one), up(two)]));
    expect(ids()).toHaveLength(1);
    expect([...one.ids(), ...two.ids()]).toEqual([ids()[0], ids()[0]]);
    expect(runs.flatMap(({ said }) => said).join()).toContain("is taken to be what was created");
  });
});

describe("a run that is killed between the request and its answer, where no names are kept", () => {
  it.each(["read_write", "read_only"])("leaves an endpoint that no later run takes for its own (%s)", async (type) => {
    const { bench, primary, ids } = await useNameless();
    const program = { main: primary({ type }) };
    const account = bench.account();
    // The list of endpoints, that of branches, and then the create.
    const { api, died } = createMortalApi(account.api, { call: 3, moment: "after" });
    const mortal = openAccount(api, defaultAccountSettings, bench.clock);
    expect(await bench.run(Promise.race([new EnginePart().up(mortal, program), died]))).toBe("died");
    const [left] = ids();
    expect(ids()).toHaveLength(1);
    await bench.clock.pass(60_000);
    const stack = new EnginePart();
    const run = await bench.run(stack.up(bench.account(), program));
    expect(stack.ids()).not.toContain(left);
    if (type === "read_write")
      expect(run.errors.join()).toContain(`pulumi import pgcompute:index:Endpoint main ${left}`);
    else expect(ids()).toHaveLength(2);
  });
});
