import { describe, expect, it } from "vitest";
import { PartialError } from "../../../provider/platform/errors";
import { checkFleet } from "../../../provider/pulumi/fleet/check";
import { fleetKind } from "../../../provider/pulumi/resource";
import { PartialFailure } from "../../engine-model/deployment/resource";
import { useStack } from "../../engine-model/stack";
import { fleetCall } from "../../support/call-context";
import { commandsIn } from "../../support/commands";

describe("members that fail", () => {
  it("stop nobody else; the same reason is said once with their keys, and the next run makes only what is missing", async () => {
    const { stack, admin, program, members } = await useStack();
    const news = program(members(100));
    const fault = admin.addFault({
      route: "endpoints.create",
      count: 30,
      effect: { kind: "status", status: 400, message: "no" },
    });
    const run = await stack.up(news);
    expect(run.error).toBeInstanceOf(PartialFailure);
    const { reasons = [], message } = run.error as PartialFailure;
    expect(message).toMatch(/^30 of 100 members failed/);
    expect(reasons).toHaveLength(2);
    expect(reasons[1]).toMatch(/^pr-\d+: .*400.*no.*; the same for pr-\d+, .* and 22 others$/);
    expect(run.said.filter((line) => line.startsWith("error"))).toEqual([
      expect.stringMatching(/^error fleet\/pr-\d+:/),
    ]);
    expect(Object.keys(stack.endpoints())).toHaveLength(70);
    expect(stack.stored()).toMatchObject({ unfinished: true });

    admin.removeFault(fault);
    admin.clearLog();
    expect((await stack.up(news)).error).toBeUndefined();
    expect(admin.counts().byRoute).toMatchObject({ "endpoints.create": 30 });
    expect(Object.keys(stack.endpoints())).toHaveLength(100);
    expect((await stack.preview(news)).isChanged).toBe(false);
  });

  it("begin nothing once the time of the fleet's change is over, and the next run makes what is missing", async () => {
    const { bench, stack, admin, program, members } = await useStack({ lock: "project", operationMs: 10_000 });
    const news = program(members(10));
    const run = await stack.up(news, { timeoutMs: 45_000 });
    expect(run.error).toBeInstanceOf(PartialFailure);
    expect(bench.clock.elapsedMs()).toBeLessThan(60_000);
    const made = Object.keys(stack.endpoints()).length;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(6);
    expect(admin.counts().byStatus["201"]).toBe(made);
    expect((await stack.up(news)).error).toBeUndefined();
    expect(Object.keys(stack.endpoints())).toHaveLength(10);
  });

  it("block those that wait for them, and nobody else", async () => {
    const { stack, admin, program, members } = await useStack();
    const news = program(members(3));
    await stack.up(news);
    const { "pr-0": leaver, ...others } = news.fleet.args.endpoints;
    const next = program({ ...others, "pr-1": { ...leaver }, "pr-2": { ...others["pr-2"], sizeCu: 1 } });
    admin.addFault({ route: "endpoints.delete", effect: { kind: "status", status: 400 } });
    const run = await stack.up(next);
    expect((run.error as PartialFailure).reasons?.slice(1)).toEqual([
      expect.stringMatching(/^pr-0: .*400/),
      expect.stringMatching(/^pr-1: not begun, because it has to wait for member "pr-0", which failed/),
    ]);
    expect(stack.endpoints()["pr-2"]).toMatchObject({ sizeCu: 1 });
    expect(Object.keys(stack.endpoints()).sort()).toEqual(["pr-0", "pr-1", "pr-2"]);
  });

  it("by a refused key stop what has not begun", async () => {
    const { stack, admin, program, members } = await useStack();
    const news = program(members(1_200));
    admin.addFault({ route: "endpoints.create", skip: 100, effect: { kind: "status", status: 401 } });
    const run = await stack.up(news);
    expect(run.error?.message).toMatch(/^\d+ of 1200 members failed; \d+ were not begun \(pr-/);
    expect(admin.counts().byRoute["endpoints.create"]).toBeLessThan(700);
    expect(Object.keys(stack.endpoints())).toHaveLength(100);
  });

  it("by an interrupt keep what was begun", async () => {
    const { bench, stack, program, members } = await useStack({ operationMs: 60_000 });
    const news = program(members(20));
    const stop = new AbortController();
    const work = stack.up(news, { signal: stop.signal });
    void bench.clock.sleep(5_000).then(() => stop.abort());
    const run = await work;
    expect(run.error).toMatchObject({ message: expect.stringContaining("interrupted") });
    expect(Object.keys(stack.endpoints())).toHaveLength(20);
    expect((await stack.up(news)).error).toBeUndefined();
    expect((await stack.preview(news)).isChanged).toBe(false);
  });

  it("of which none got anywhere leave no resource behind", async () => {
    const { stack, admin, program, members } = await useStack();
    admin.addFault({ route: "endpoints.create", effect: { kind: "status", status: 400 } });
    const run = await stack.up(program(members(3)));
    expect(run.error).not.toBeInstanceOf(PartialFailure);
    expect(run.error?.message).toMatch(/^3 of 3 members failed[\s\S]*pr-0: .*; the same for pr-1 and pr-2$/);
    expect(stack.stored()).toBeUndefined();
  });

  it("to be deleted are named", async () => {
    const { stack, admin, program, members } = await useStack();
    await stack.up(program(members(5)));
    const fault = admin.addFault({
      route: "endpoints.delete",
      count: 2,
      effect: { kind: "status", status: 400 },
    });
    const run = await stack.destroy();
    expect(run.error?.message).toMatch(/^2 of 5 endpoints were not deleted \(pr-\d and pr-\d\): pr-\d: /);
    expect(commandsIn(run.error?.message ?? "").join("\n")).toMatch(/^PGCOMPUTE_FORGET=\S+ pulumi up$/);
    admin.removeFault(fault);
    expect((await stack.destroy()).error).toBeUndefined();
  });
});

describe("a change that the engine repeats within the run", () => {
  it("goes on from where the first try came to, even where the platform keeps no names", async () => {
    const { bench, admin } = await useStack({ endpointNames: false });
    const context = fleetCall(bench);
    const branchId = bench.branch();
    const endpoints = { a: { branchId }, b: { branchId, type: "read_only" }, c: { branchId: bench.branch() } };
    const news = { projectId: bench.emulator.projectId, endpoints };
    const { inputs } = await bench.run(checkFleet(context, { olds: {}, news, secrets: [] }));
    const fault = admin.addFault({ route: "endpoints.create", skip: 2, effect: { kind: "status", status: 400 } });
    const failed = (await bench.fails(fleetKind.create(context, inputs))) as PartialError;
    admin.removeFault(fault);
    const made = await bench.run(fleetKind.create(context, inputs));
    expect(made.id).toBe(failed.id);
    expect(Object.keys(made.state.endpoints as object)).toEqual(["a", "b", "c"]);
    expect(bench.on(branchId)).toHaveLength(2);

    const members = inputs.endpoints as Record<string, object>;
    const more = { ...inputs, endpoints: { ...members, d: { ...members.b }, e: { ...members.b } } };
    const request = { id: made.id, state: { ...made.state }, inputs: more, oldInputs: inputs };
    const again = admin.addFault({ route: "endpoints.create", skip: 1, effect: { kind: "status", status: 400 } });
    await bench.fails(fleetKind.update(context, request));
    admin.removeFault(again);
    const updated = await bench.run(fleetKind.update(context, request));
    expect(Object.keys(updated.state.endpoints as object)).toEqual(["a", "b", "c", "d", "e"]);
    expect(bench.on(branchId)).toHaveLength(4);
  });

  it("keeps what the first try made where it ends before it gets there", async () => {
    const { bench, admin, program, members } = await useStack();
    const context = fleetCall(bench);
    const news = program(members(2)).fleet.args;
    const { inputs } = await bench.run(checkFleet(context, { olds: {}, news, secrets: [] }));
    admin.addFault({ route: "endpoints.create", skip: 1, effect: { kind: "status", status: 400 } });
    const first = (await bench.fails(fleetKind.create(context, inputs))) as PartialError;
    admin.clearFaults();
    const stopped = { ...context, signal: AbortSignal.abort() };
    await bench.run(bench.clock.sleep(60_000));
    const second = await bench.fails(fleetKind.create(stopped, inputs));
    expect(second).toBeInstanceOf(PartialError);
    expect(second).toMatchObject({ kind: "cancelled", id: first.id, state: first.state });
    expect(second.message).not.toContain(`endpoint ${first.id}`);
  });
});

it("a row of its own is for a member that waits longer than two seconds, and for no other", async () => {
  const { stack, admin, program, members } = await useStack({ operationMs: 1_000 });
  const news = program(members(5));
  const [slow = ""] = Object.values(news.fleet.args.endpoints).map(({ branchId }) => String(branchId));
  admin.addFault({
    on: "operation",
    branchId: slow,
    effect: { kind: "slow", operationMs: 10_000 },
  });
  const { rows } = await stack.up(news);
  const rowed = new Set(rows.map(({ name }) => name).filter((name) => name.includes("/")));
  expect([...rowed]).toEqual(["fleet/pr-0"]);
});
