import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator";
import { checkFleet } from "../../../provider/pulumi/fleet/check";
import { TAKE_UP_COMMAND } from "../../../provider/pulumi/messages/commands";
import { fleetKind } from "../../../provider/pulumi/resource";
import { type Fleet, useFleet, type Values } from "../support/stack";

/** A fleet, and a program of so many primaries, every fourth with a replica. */
async function open(primaries = 40, options: EmulatorOptions = {}) {
  const used = await useFleet(options);
  const endpoints: Record<string, Values> = {};
  used.branches(primaries).forEach((branchId, at) => {
    endpoints[`pr-${at}`] = { branchId };
    if (at % 4 === 0) endpoints[`pr-${at}-replica`] = { branchId, type: "read_only" };
  });
  const program = used.program(endpoints);
  return { ...used, program };
}

/** Settles by the one command that takes up what a killed run has left, or without any. */
async function settleByTakeUp(fleet: Fleet, program: Parameters<Fleet["settle"]>[0]): Promise<void> {
  expect([[], ["take up"]]).toContainEqual(await fleet.settle(program));
}

describe("a run that is killed", () => {
  it("among hundreds of creates: the next one is told of each that failed meanwhile, however far down, by shared looks", async () => {
    const { fleet, admin, program } = await open(400, { operationMs: 30_000 });
    admin.addFault({ on: "operation", count: 3, effect: { kind: "fail" } });
    await fleet.killed(program, { call: 503, moment: "before" });
    fleet.settings = { adoptInterrupted: true };
    admin.clearLog();
    const next = await fleet.up(program);
    expect(next.error?.message).toMatch(/^3 of 500 members failed/);
    expect(admin.counts().byRoute["operations.list"]).toBeLessThan(60);
    expect(Object.keys(fleet.endpoints)).toHaveLength(500);
  });

  it.each([1, 2, 8, 30, 31, 45])("as it changes one, at call %i: the next one, told so, takes it up", async (call) => {
    for (const moment of ["before", "after"] as const) {
      const { bench, fleet, program } = await open(20);
      expect((await fleet.up(program)).error).toBeUndefined();
      // Some leave, some come, one moves to where another was, one is replaced, and all are changed.
      const second = { ...program, defaults: { suspendTimeoutSeconds: 600 }, endpoints: { ...program.endpoints } };
      for (const key of ["pr-1", "pr-2", "pr-3", "pr-4-replica"]) delete second.endpoints[key];
      for (const key of ["new-1", "new-2", "new-3"]) second.endpoints[key] = { branchId: bench.branch() };
      second.endpoints["pr-5"] = { branchId: program.endpoints["pr-1"]?.branchId };
      second.endpoints["pr-6"] = { branchId: program.endpoints["pr-6"]?.branchId, type: "read_only" };
      await fleet.killed(second, { call, moment });
      await settleByTakeUp(fleet, second);
    }
  });

  it.each(["killed", "interrupted"])(
    "as it deletes one, %s: an up of the same program makes what is gone anew",
    async (how) => {
      const { bench, fleet, admin, program } = await open();
      await fleet.up(program);
      if (how === "killed") await fleet.killed(undefined, { call: 30, moment: "after" });
      else {
        const stop = new AbortController();
        admin.addFault({ route: "endpoints.delete", skip: 20, effect: { kind: "status", status: 503 } });
        void bench.clock.sleep(5_000).then(() => stop.abort());
        expect((await fleet.destroy(fleet.process({ signal: stop.signal }))).error?.message).toMatch(/are still there/);
        admin.clearFaults();
      }
      const preview = await fleet.preview(program);
      expect(preview.said.join("\n")).toMatch(/: the endpoint is gone, so a new one/);
      expect(await fleet.settle(program)).toEqual([]);
    },
  );
});

describe("a replacement by force", () => {
  // By --replace or a taint only where somebody says so: replaced.test.ts.
  it("by replaceOnChanges, after a diff, takes up what is there, and the delete of the old one leaves it alone", async () => {
    const { fleet, program } = await open(100);
    await fleet.up(program);
    const before = fleet.stored;
    const process = fleet.process();
    await fleet.preview(program, process);
    const run = await fleet.replace(program, process);
    expect(run.error).toBeUndefined();
    expect(run.said.join("\n")).toMatch(
      /warn fleet: 125 of the members are there.*taken up, nothing is replaced[\s\S]*warn .*not deleted, because fleet fleet-/,
    );
    expect(fleet.stored?.id).not.toBe(before?.id);
    fleet.expectExactly(program);
  });

  it("is killed between create and delete, then up: no endpoint is lost", async () => {
    const { fleet, admin, program } = await open(100);
    await fleet.up(program);
    const old = fleet.stored;
    await fleet.replace(program, fleet.process({}, { adoptInterrupted: true }));
    if (old) fleet.stack.engine.toDelete.push(old);
    admin.clearLog();
    expect((await fleet.up(program)).error).toBeUndefined();
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    expect(fleet.stack.engine.toDelete).toEqual([]);
    fleet.expectExactly(program);
  });
});

it("a create whose answers are lost, and that the engine repeats in this very run goes on with what it made, unasked", async () => {
  const { bench, fleet, admin, program } = await open(2);
  const process = fleet.process();
  const { inputs } = await bench.run(checkFleet(process, { olds: {}, news: program, secrets: [] }));
  admin.addFault({ effect: { kind: "reset", when: "after" } });
  expect((await bench.fails(fleetKind.create(process, inputs))).message).toContain(TAKE_UP_COMMAND);
  admin.clearFaults();
  const there = () => admin.project(program.projectId).endpoints.flatMap(({ id }) => (id === own ? [] : [id]));
  const own = bench.emulator.endpointId;
  const made = there();
  // The replica waits for its primary.
  expect(made).toHaveLength(2);
  const { state } = await bench.run(fleetKind.create(process, inputs));
  const endpoints = state.endpoints as Record<string, { endpointId: string }>;
  expect(there()).toEqual(expect.arrayContaining(made));
  expect(
    Object.values(endpoints)
      .map(({ endpointId }) => endpointId)
      .sort(),
  ).toEqual(there().sort());
  expect(there()).toHaveLength(3);
});

it.each([
  ["no name", false],
  ["an empty one", true],
])(
  "a first create that is killed where the platform keeps no names leaves primaries that are refused with an importId, and replicas that are named (%s)",
  async (_, isEmpty) => {
    const { bench, fleet, admin, projectId, program } = await open(2, { endpointNames: isEmpty });
    const reports = bench.branch();
    program.endpoints = { reports: { branchId: reports, type: "read_only" }, ...program.endpoints };
    await fleet.killed(program, { call: 6, moment: "after" });
    if (isEmpty) for (const { id } of admin.project(projectId).endpoints) admin.changeEndpoint(id, { name: "" });
    const [{ id: lostId } = { id: "" }] = bench.on(reports);
    expect(lostId).toMatch(/^ep-/);

    const refused = (await fleet.preview(program)).error?.message ?? "";
    const importIds = [...refused.matchAll(/^endpoints\["(pr-\d)"\][\s\S]*?importId: "([^"]+)"/gm)];
    expect(importIds.map(([, key]) => key)).toEqual(["pr-0", "pr-1"]);
    for (const [, key = "", importId] of importIds) Object.assign(program.endpoints[key] ?? {}, { importId });
    const next = await fleet.up(program);
    expect(next.error).toBeUndefined();
    const way = `to delete it, if nobody else has it, run: npx --no-install pgcompute endpoints delete \\S+/${lostId}$`;
    expect(next.said.join("\n")).toMatch(new RegExp(`^warn fleet/reports: .*keeps no names.* ${way}`, "m"));
    for (const [, key = "", importId] of importIds)
      expect(`${projectId}/${fleet.endpoints[key]?.endpointId}`).toBe(importId);
    expect(bench.on(reports).map(({ id }) => id)).toEqual([lostId, fleet.endpoints.reports?.endpointId]);
  },
);

it("a growth that is killed where the platform keeps no names leaves replicas that are named beside those that are created, and refuses nothing", async () => {
  const { bench, fleet, program } = await open(1, { endpointNames: false });
  const branchId = bench.branch();
  const replica = { branchId, type: "read_only" };
  const first = { ...program, endpoints: { ...program.endpoints, a: replica } };
  expect((await fleet.up(first)).error).toBeUndefined();
  const grown = { ...first, endpoints: { ...first.endpoints, b: replica, c: replica } };
  await fleet.killed(grown, { call: 3, moment: "after" });
  const own = fleet.endpoints.a?.endpointId;
  const left = bench.on(branchId).flatMap(({ id }) => (id === own ? [] : [id]));
  expect(left.length).toBeGreaterThan(0);

  const unchanged = await fleet.preview(first);
  expect([unchanged.error, unchanged.said.join()]).toEqual([undefined, expect.not.stringContaining("keeps no names")]);
  const next = await fleet.up(grown);
  expect(next.error).toBeUndefined();
  for (const id of left)
    expect(next.said.join("\n")).toMatch(new RegExp(`^warn fleet/[bc]: read replica \\S+/${id} `, "m"));
  expect(next.said.join()).not.toMatch(new RegExp(`read replica \\S+/${own} `));
  expect(bench.on(branchId)).toHaveLength(3 + left.length);
});
