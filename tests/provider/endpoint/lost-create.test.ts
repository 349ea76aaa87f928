import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { EnginePart } from "../../support/engine-part";
import { aheadOf } from "../../support/virtual-clock";
import { accountThat, expectSettled, lostAfter, lostBefore, useNameless } from "./nameless";

describe.each(["read_write", "read_only"])("a create (%s) whose answer is lost, where no names are kept", (type) => {
  it.each<[string, Fault[]]>([
    ["once", [{ ...lostAfter, count: 1 }]],
    [
      "as a 503 for work that was done",
      [{ route: "endpoints.create", count: 1, effect: { kind: "status", status: 503, when: "after" } }],
    ],
    [
      "while the lists lag for some seconds",
      [
        { ...lostAfter, count: 1 },
        { route: "branches.endpoints", effect: { kind: "stale-list", ageMs: 4_000 } },
        { route: "endpoints.list", effect: { kind: "stale-list", ageMs: 4_000 } },
        { route: "operations.list", effect: { kind: "stale-list", ageMs: 4_000 } },
      ],
    ],
    ["before anything was made", [{ ...lostBefore, count: 1 }]],
    [
      "and the project's list shows nothing of it",
      [
        { ...lostAfter, count: 1 },
        { route: "endpoints.list", skip: 1, effect: { kind: "stale-list", ageMs: 60_000 } },
      ],
    ],
  ])("%s: it is made once, and is the resource's own", async (_, faults) => {
    const { bench, emulator, primary, ids } = await useNameless();
    const program = { main: primary({ type, sizeCu: 1, pgSettings: { work_mem: "8MB" } }) };
    for (const fault of faults) emulator.admin.addFault(fault);
    const stack = new EnginePart();
    const run = await bench.run(stack.up(bench.account(), program));
    expect(run.errors).toEqual([]);
    emulator.admin.clearFaults();
    expect(ids()).toHaveLength(1);
    await expectSettled(bench, stack, program, ids());
    const wasMade = faults[0]?.effect !== lostBefore.effect;
    expect(run.said.filter((line) => line.includes("is taken to be what was created"))).toHaveLength(wasMade ? 1 : 0);
  });

  it.each([5, -5])("is found on a machine whose clock is %i hours ahead", async (hours) => {
    const { bench, emulator, primary, ids } = await useNameless();
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    const stack = new EnginePart();
    const program = { main: primary({ type }) };
    expect(
      (await bench.run(stack.up(bench.account({ clock: aheadOf(bench.clock, hours * 3_600_000) }), program))).errors,
    ).toEqual([]);
    await expectSettled(bench, stack, program, ids());
    expect(ids()).toHaveLength(1);
  });

  it("is named and not taken where the platform does not tell its time", async () => {
    const { bench, emulator, primary, ids } = await useNameless({ dateHeader: false });
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    const stack = new EnginePart();
    const { errors } = await bench.run(stack.up(bench.account(), { main: primary({ type }) }));
    expect(ids()).toHaveLength(1);
    expect(stack.ids()).toEqual([]);
    expect(errors.join()).toContain(`run: npx --no-install pgcompute endpoints delete ${ids()[0]}`);
    expect(errors.join()).toContain(`run: pulumi import pgcompute:index:Endpoint main ${ids()[0]}`);
  });
});

describe("where nobody knows yet whether names are kept", () => {
  it("an answer that shows the name ends the guessing: only the name counts from then on", async () => {
    const { bench, emulator, replica, ids, stranger } = await useNameless({ endpointNames: true });
    const account = bench.account();
    const stack = new EnginePart();
    await bench.run(stack.up(account, { one: replica() }));
    emulator.admin.addFault({ ...lostBefore, count: 1 });
    let theirs = "";
    const spying = accountThat(bench, () => {
      theirs ||= stranger();
    });
    const program = { one: replica(), other: replica() };
    expect((await bench.run(stack.up(spying, program))).errors).toEqual([]);
    expect(stack.ids()).not.toContain(`${emulator.projectId}/${theirs}`);
    expect(ids()).toHaveLength(3);
  });
});
