import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, memberOwner } from "../../../provider/lib/owner";
import { checkFleet } from "../../../provider/pulumi/fleet/check";
import { TAKE_UP_COMMAND } from "../../../provider/pulumi/messages/commands";
import { fleetKind } from "../../../provider/pulumi/resource";
import { expectExactly, settle } from "../../engine-model/person";
import { FLEET_URN, type FleetProgram, useStack, type Values } from "../../engine-model/stack";
import { fleetCall } from "../../support/call-context";

/** A fleet, and a program of so many primaries, every fourth with a replica. */
async function open(primaries = 40, options: EmulatorOptions = {}) {
  const used = await useStack(options);
  const endpoints: Record<string, Values> = {};
  used.branches(primaries).forEach((branchId, at) => {
    endpoints[`pr-${at}`] = { branchId };
    if (at % 4 === 0) endpoints[`pr-${at}-replica`] = { branchId, type: "read_only" };
  });
  return { ...used, endpoints, programOf: used.program, program: used.program(endpoints) };
}

/** Settles by the one command that takes up what a killed run has left, or without any. */
async function settleByTakeUp(used: Awaited<ReturnType<typeof open>>, program: FleetProgram): Promise<void> {
  expect([[], ["take up"]]).toContainEqual(await settle(used, program));
}

describe("a run that is killed", () => {
  it("among hundreds of creates: the next one is told of each that failed meanwhile, however far down, by shared looks", async () => {
    const { stack, admin, program } = await open(400, { operationMs: 30_000 });
    admin.addFault({ on: "operation", count: 3, effect: { kind: "fail" } });
    await stack.up(program, { death: { call: 503, moment: "before" } });
    stack.settings = { adoptInterrupted: true };
    admin.clearLog();
    const next = await stack.up(program);
    expect(next.error?.message).toMatch(/^3 of 500 members failed/);
    expect(admin.counts().byRoute["operations.list"]).toBeLessThan(60);
    expect(Object.keys(stack.endpoints())).toHaveLength(500);
  });

  it.each([1, 2, 8, 30, 31, 45])("as it changes one, at call %i: the next one, told so, takes it up", async (call) => {
    for (const moment of ["before", "after"] as const) {
      const used = await open(20);
      const { bench, stack, program, endpoints } = used;
      expect((await stack.up(program)).error).toBeUndefined();
      // Some leave, some come, one moves to where another was, one is replaced, and all are changed.
      const next = { ...endpoints };
      for (const key of ["pr-1", "pr-2", "pr-3", "pr-4-replica"]) delete next[key];
      for (const key of ["new-1", "new-2", "new-3"]) next[key] = { branchId: bench.branch() };
      next["pr-5"] = { branchId: endpoints["pr-1"]?.branchId };
      next["pr-6"] = { branchId: endpoints["pr-6"]?.branchId, type: "read_only" };
      const second = used.programOf(next, { defaults: { suspendTimeoutSeconds: 600 } });
      await stack.up(second, { death: { call, moment } });
      await settleByTakeUp(used, second);
    }
  });

  it.each(["killed", "interrupted"])(
    "as it deletes one, %s: an up of the same program makes what is gone anew",
    async (how) => {
      const used = await open();
      const { bench, stack, admin, program } = used;
      await stack.up(program);
      if (how === "killed") await stack.up({}, { death: { call: 30, moment: "after" } });
      else {
        const stop = new AbortController();
        admin.addFault({ route: "endpoints.delete", skip: 20, effect: { kind: "status", status: 503 } });
        void bench.clock.sleep(5_000).then(() => stop.abort());
        expect((await stack.destroy({ signal: stop.signal })).error?.message).toMatch(/were not deleted/);
        admin.clearFaults();
      }
      const preview = await stack.preview(program);
      expect(preview.said.join("\n")).toMatch(/: the endpoint is gone, so a new one/);
      expect(await settle(used, program)).toEqual([]);
    },
  );
});

describe("a replacement by force", () => {
  // By --replace or a taint only where somebody says so: replaced.test.ts.
  it("by replaceOnChanges, after a diff, takes up what is there, and the delete of the old one leaves it alone", async () => {
    const used = await open(100);
    const { stack, program } = used;
    await stack.up(program);
    const before = stack.stored();
    const process = stack.process();
    await stack.preview(program, { process });
    const run = await stack.up(program, { process, replace: ["fleet"] });
    expect(run.error).toBeUndefined();
    expect(run.said.join("\n")).toMatch(
      /warn fleet: 125 of the members are there.*taken up, nothing is replaced[\s\S]*warn .*not deleted, because the fleet that replaces this one/,
    );
    expect(stack.stored()?.id).not.toBe(before?.id);
    expectExactly(used, program);
  });

  it("is killed between create and delete, then up: no endpoint is lost", async () => {
    const used = await open(100);
    const { stack, admin, program } = used;
    await stack.up(program);
    const old = stack.stored();
    await stack.up(program, { adoptInterrupted: true, replace: ["fleet"] });
    if (old) stack.engine.toDelete.push(old);
    admin.clearLog();
    expect((await stack.up(program)).error).toBeUndefined();
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    expect(stack.engine.toDelete).toEqual([]);
    expectExactly(used, program);
  });
});

it.each([false, true])(
  "a replica that a killed run made is named, and the program goes on (adoptInterrupted: %s)",
  async (adoptInterrupted) => {
    const { bench, stack, admin, projectId, programOf } = await open(1);
    const branchId = bench.branch();
    const name = newOwnershipName(madeFor(memberOwner(FLEET_URN, "reports")));
    const left = admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only", name }).id;
    stack.settings = { adoptInterrupted };
    const program = programOf({ reports: { branchId, type: "read_only" } });
    const { messages, said } = await stack.preview(program);
    expect(messages).toEqual([]);
    const ways = `PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up[\\s\\S]*endpoints delete ${projectId}/${left}$`;
    const naming = expect.stringMatching(new RegExp(`^warn fleet/reports: [\\s\\S]*${ways}`));
    expect(said.filter((line) => line.includes("endpoints delete"))).toEqual(adoptInterrupted ? [] : [naming]);

    expect((await stack.up(program)).messages).toEqual([]);
    const own = stack.endpoints().reports?.endpointId;
    expect(bench.on(branchId).map(({ id }) => id)).toEqual(adoptInterrupted ? [left] : [left, own]);
    expect(own === left).toBe(adoptInterrupted);
  },
);

it("a create whose answers are lost, and that the engine repeats in this very run goes on with what it made, unasked", async () => {
  const { bench, admin, projectId, program } = await open(2);
  const context = fleetCall(bench);
  const { inputs } = await bench.run(checkFleet(context, { olds: {}, news: program.fleet.args, secrets: [] }));
  admin.addFault({ effect: { kind: "reset", when: "after" } });
  expect((await bench.fails(fleetKind.create(context, inputs))).message).toContain(TAKE_UP_COMMAND);
  admin.clearFaults();
  const there = () => admin.project(projectId).endpoints.flatMap(({ id }) => (id === own ? [] : [id]));
  const own = bench.emulator.endpointId;
  const made = there();
  // The replica waits for its primary.
  expect(made).toHaveLength(2);
  const { state } = await bench.run(fleetKind.create(context, inputs));
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
  "a first create that is killed where the platform keeps no names leaves primaries that are refused with an importId, and replicas that stay (%s)",
  async (_, isEmpty) => {
    const { bench, stack, admin, projectId, program } = await open(2, { endpointNames: isEmpty });
    const reports = bench.branch();
    // So that the replica waits for no primary of the program.
    admin.seedEndpoint(projectId, { branch_id: reports });
    const replicas = () => bench.on(reports).filter(({ type }) => type === "read_only");
    const { args } = program.fleet;
    args.endpoints = { reports: { branchId: reports, type: "read_only" }, ...args.endpoints };
    await stack.up(program, { death: { call: 6, moment: "after" } });
    if (isEmpty) for (const { id } of admin.project(projectId).endpoints) admin.changeEndpoint(id, { name: "" });
    const [{ id: lostId } = { id: "" }] = replicas();
    expect(lostId).toMatch(/^ep-/);

    const refused = (await stack.preview(program)).error?.message ?? "";
    const importIds = [...refused.matchAll(/^endpoints\["(pr-\d)"\][\s\S]*?importId: "([^"]+)"/gm)];
    expect(importIds.map(([, key]) => key)).toEqual(["pr-0", "pr-1"]);
    for (const [, key = "", importId] of importIds) Object.assign(args.endpoints[key] ?? {}, { importId });
    const next = await stack.up(program);
    expect(next.error).toBeUndefined();
    expect(next.said.join()).not.toContain(lostId);
    for (const [, key = "", importId] of importIds)
      expect(`${projectId}/${stack.endpoints()[key]?.endpointId}`).toBe(importId);
    expect(replicas().map(({ id }) => id)).toEqual([lostId, stack.endpoints().reports?.endpointId]);
  },
);
