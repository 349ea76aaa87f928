import { describe, expect, it } from "vitest";
import { PartialError } from "../../../provider/platform/errors";
import { checkFleet } from "../../../provider/pulumi/fleet/check";
import { fleetKind } from "../../../provider/pulumi/resource";
import { useFleet } from "../support/stack";

describe("members that fail", () => {
  it("stop nobody else; the same reason is said once with their keys, and the next run makes only what is missing", async () => {
    const { fleet, admin, program, members } = await useFleet();
    const news = program(members(100));
    const fault = admin.addFault({
      route: "endpoints.create",
      count: 30,
      effect: { kind: "status", status: 400, message: "no" },
    });
    const run = await fleet.up(news);
    expect(run.error).toBeInstanceOf(PartialError);
    const { reasons = [], message } = run.error as PartialError;
    expect(message).toMatch(/^30 of 100 members failed/);
    expect(reasons).toHaveLength(2);
    expect(reasons[1]).toMatch(/^pr-\d+: .*400.*no.*; the same for pr-\d+, .* and 22 others$/);
    expect(run.said.filter((line) => line.startsWith("error"))).toEqual([
      expect.stringMatching(/^error fleet\/pr-\d+:/),
    ]);
    expect(Object.keys(fleet.endpoints)).toHaveLength(70);
    expect(fleet.stored).toMatchObject({ unfinished: true });

    admin.removeFault(fault);
    admin.clearLog();
    expect((await fleet.up(news)).error).toBeUndefined();
    expect(admin.counts().byRoute).toMatchObject({ "endpoints.create": 30 });
    expect(Object.keys(fleet.endpoints)).toHaveLength(100);
    expect((await fleet.preview(news)).isChanged).toBe(false);
  });

  it("begin nothing once the time of the fleet's change is over, and the next run makes what is missing", async () => {
    const { bench, fleet, admin, program, members } = await useFleet({ lock: "project", operationMs: 10_000 });
    const news = program(members(10));
    const process = fleet.process({ timeoutMs: 45_000, deadlineMs: bench.clock.now() + 45_000 });
    const run = await fleet.up(news, process);
    expect(run.error).toBeInstanceOf(PartialError);
    expect(bench.clock.elapsedMs()).toBeLessThan(60_000);
    const made = Object.keys(fleet.endpoints).length;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(6);
    expect(admin.counts().byStatus["201"]).toBe(made);
    expect((await fleet.up(news)).error).toBeUndefined();
    expect(Object.keys(fleet.endpoints)).toHaveLength(10);
  });

  it("block those that wait for them, and nobody else", async () => {
    const { fleet, admin, program, members } = await useFleet();
    const news = program(members(3));
    await fleet.up(news);
    const { "pr-0": leaver, ...others } = news.endpoints;
    const next = {
      ...news,
      endpoints: { ...others, "pr-1": { ...leaver }, "pr-2": { ...others["pr-2"], sizeCu: 1 } },
    };
    admin.addFault({ route: "endpoints.delete", effect: { kind: "status", status: 400 } });
    const run = await fleet.up(next);
    expect((run.error as PartialError).reasons?.slice(1)).toEqual([
      expect.stringMatching(/^pr-0: .*400/),
      expect.stringMatching(/^pr-1: not begun, because it has to wait for member "pr-0", which failed/),
    ]);
    expect(fleet.endpoints["pr-2"]).toMatchObject({ sizeCu: 1 });
    expect(Object.keys(fleet.endpoints).sort()).toEqual(["pr-0", "pr-1", "pr-2"]);
  });

  it("by a refused key stop what has not begun", async () => {
    const { fleet, admin, program, members } = await useFleet();
    const news = program(members(1_200));
    admin.addFault({ route: "endpoints.create", skip: 100, effect: { kind: "status", status: 401 } });
    const run = await fleet.up(news);
    expect(run.error?.message).toMatch(/^\d+ of 1200 members failed; \d+ were not begun \(pr-/);
    expect(admin.counts().byRoute["endpoints.create"]).toBeLessThan(700);
    expect(Object.keys(fleet.endpoints)).toHaveLength(100);
  });

  it("by an interrupt keep what was begun", async () => {
    const { bench, fleet, program, members } = await useFleet({ operationMs: 60_000 });
    const news = program(members(20));
    const stop = new AbortController();
    const work = fleet.up(news, fleet.process({ signal: stop.signal }));
    void bench.clock.sleep(5_000).then(() => stop.abort());
    const run = await work;
    expect(run.error).toMatchObject({ kind: "cancelled" });
    expect(Object.keys(fleet.endpoints)).toHaveLength(20);
    expect((await fleet.up(news)).error).toBeUndefined();
    expect((await fleet.preview(news)).isChanged).toBe(false);
  });

  it("of which none got anywhere leave no resource behind", async () => {
    const { fleet, admin, program, members } = await useFleet();
    admin.addFault({ route: "endpoints.create", effect: { kind: "status", status: 400 } });
    const run = await fleet.up(program(members(3)));
    expect(run.error).not.toBeInstanceOf(PartialError);
    expect(run.error?.message).toMatch(/^3 of 3 members failed[\s\S]*pr-0: .*; the same for pr-1 and pr-2$/);
    expect(fleet.stored).toBeUndefined();
  });

  it("to be deleted are named", async () => {
    const { fleet, admin, program, members } = await useFleet();
    await fleet.up(program(members(5)));
    const fault = admin.addFault({
      route: "endpoints.delete",
      count: 2,
      effect: { kind: "status", status: 400 },
    });
    const run = await fleet.destroy();
    expect(run.error?.message).toMatch(/^2 of 5 endpoints are still there \(pr-\d and pr-\d\): pr-\d: /);
    admin.removeFault(fault);
    expect((await fleet.destroy()).error).toBeUndefined();
  });
});

describe("a change that the engine repeats within the run", () => {
  it("goes on from where the first try came to, even where the platform keeps no names", async () => {
    const { bench, fleet, admin } = await useFleet({ endpointNames: false });
    const process = fleet.process();
    const branchId = bench.branch();
    const endpoints = { a: { branchId }, b: { branchId, type: "read_only" }, c: { branchId: bench.branch() } };
    const news = { projectId: bench.emulator.projectId, endpoints };
    const { inputs } = await bench.run(checkFleet(process, { olds: {}, news, secrets: [] }));
    const fault = admin.addFault({ route: "endpoints.create", skip: 2, effect: { kind: "status", status: 400 } });
    const failed = (await bench.fails(fleetKind.create(process, inputs))) as PartialError;
    admin.removeFault(fault);
    const made = await bench.run(fleetKind.create(process, inputs));
    expect(made.id).toBe(failed.id);
    expect(Object.keys(made.state.endpoints as object)).toEqual(["a", "b", "c"]);
    expect(bench.on(branchId)).toHaveLength(2);

    const members = inputs.endpoints as Record<string, object>;
    const more = { ...inputs, endpoints: { ...members, d: { ...members.b }, e: { ...members.b } } };
    const request = { id: made.id, state: { ...made.state }, inputs: more, oldInputs: inputs };
    const again = admin.addFault({ route: "endpoints.create", skip: 1, effect: { kind: "status", status: 400 } });
    await bench.fails(fleetKind.update(process, request));
    admin.removeFault(again);
    const updated = await bench.run(fleetKind.update(process, request));
    expect(Object.keys(updated.state.endpoints as object)).toEqual(["a", "b", "c", "d", "e"]);
    expect(bench.on(branchId)).toHaveLength(4);
  });

  it("keeps what the first try made where it ends before it gets there", async () => {
    const { bench, fleet, admin, program, members } = await useFleet();
    const process = fleet.process();
    const { inputs } = await bench.run(checkFleet(process, { olds: {}, news: program(members(2)), secrets: [] }));
    admin.addFault({ route: "endpoints.create", skip: 1, effect: { kind: "status", status: 400 } });
    const first = (await bench.fails(fleetKind.create(process, inputs))) as PartialError;
    admin.clearFaults();
    const stopped = { ...process, signal: AbortSignal.abort() };
    await bench.run(bench.clock.sleep(60_000));
    const second = await bench.fails(fleetKind.create(stopped, inputs));
    expect(second).toBeInstanceOf(PartialError);
    expect(second).toMatchObject({ kind: "cancelled", id: first.id, state: first.state });
    expect(second.message).not.toContain(`endpoint ${first.id}`);
  });
});

it("a row of its own is for a member that waits longer than two seconds, and for no other", async () => {
  const { fleet, admin, program, members } = await useFleet({ operationMs: 1_000 });
  const news = program(members(5));
  const [slow = ""] = Object.values(news.endpoints).map(({ branchId }) => String(branchId));
  admin.addFault({
    on: "operation",
    branchId: slow,
    effect: { kind: "slow", operationMs: 10_000 },
  });
  const { rows } = await fleet.up(news);
  const rowed = new Set(rows.map(({ name }) => name).filter((name) => name.includes("/")));
  expect([...rowed]).toEqual(["fleet/pr-0"]);
});
