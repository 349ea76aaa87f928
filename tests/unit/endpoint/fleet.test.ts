import { describe, expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { type Bench, useBench } from "../../support/bench";
import { type Declared, endpointMap } from "../../support/endpoint-map";

// What a fleet costs by the lifecycle functions alone: exact counts for as many endpoints as people have.
const FLEET = 1_000;
const REPLICAS = 1_000;
const LARGE = 5_000;
const PROJECTS = 50;
const AT_ONCE = 50;
const LOOKS_PER_SECOND = 2;

describe("a fleet of a thousand in one project", () => {
  it("costs a call for each change, a list for each plan, and two looks a second", async () => {
    const { run, bench, counted, map } = await setUp({ operationMs: 2_000 });
    const branches = Array.from({ length: FLEET }, () => bench.branch());
    const fleet = (suspendTimeoutSeconds: number) =>
      declare(branches, (branchId) => ({ ...bench.place(branchId), sizeCu: 1, suspendTimeoutSeconds }));

    const planned = await counted(() => run(map().plan(fleet(600), {})));
    expect(stepsOf(planned.result.steps)).toEqual({ create: FLEET });
    expect(planned).toMatchObject({ calls: { "endpoints.list": 1, "branches.list": 1 }, looks: 0 });

    const created = await counted(() => run(map().apply(fleet(600), {})));
    expect(created.result.errors).toEqual({});
    expect(created.calls).toEqual({ "endpoints.list": 1, "branches.list": 1, "endpoints.create": FLEET });
    expect(created.looks).toBeLessThanOrEqual(created.looksAllowed);
    // Twenty rounds of two seconds, each seen 0.8 s late at most.
    expect(created.seconds).toBeLessThanOrEqual((FLEET / AT_ONCE) * 2.8);
    const { stored } = created.result;

    const unchanged = await counted(() => run(map().plan(fleet(600), stored)));
    expect(stepsOf(unchanged.result.steps)).toEqual({ same: FLEET });
    expect(unchanged).toMatchObject({ calls: { "endpoints.list": 1 }, looks: 0 });

    const refreshed = await counted(() => run(map().refresh(stored)));
    expect(refreshed.result).toEqual(stored);
    expect(refreshed).toMatchObject({ calls: { "endpoints.list": 1 }, looks: 0 });

    const updated = await counted(() => run(map().apply(fleet(900), stored)));
    expect(updated.result.errors).toEqual({});
    expect(updated.calls).toEqual({ "endpoints.list": 1, "endpoints.update": FLEET });
    expect(updated.looks).toBeLessThanOrEqual(updated.looksAllowed);

    const deleted = await counted(() => run(map().apply({}, updated.result.stored)));
    expect(deleted.result).toEqual({ stored: {}, errors: {} });
    expect(deleted.calls).toEqual({ "endpoints.delete": FLEET });
    expect(deleted.looks).toBeLessThanOrEqual(deleted.looksAllowed);
    expect(bench.emulator.admin.project(bench.emulator.projectId).endpoints).toHaveLength(1);
  });
});

describe("fleets of other shapes", () => {
  it("put a thousand read replicas on one branch, and tell them apart", async () => {
    const { run, bench, counted, map } = await setUp();
    const { id: branchId } = bench.emulator.admin.seedBranch(bench.emulator.projectId, { endpoint: {} });
    const replicas = (sizeCu: number) =>
      declare(Array(REPLICAS).fill(branchId), (id) => ({ ...bench.place(id), type: "read_only", sizeCu }));

    const created = await counted(() => run(map().apply(replicas(0.5), {})));
    expect(created.result.errors).toEqual({});
    expect(created.calls).toEqual({ "endpoints.list": 1, "endpoints.create": REPLICAS });
    expect(created.looks).toBeLessThanOrEqual(created.looksAllowed);
    expect(bench.on(branchId)).toHaveLength(REPLICAS + 1);
    const ids = new Set(Object.values(created.result.stored).map(({ id }) => id));
    expect(ids.size).toBe(REPLICAS);

    // One is changed by somebody else and one deleted: a refresh finds both by one list, and one call for what is gone.
    const [changed = "", dropped = ""] = Object.values(created.result.stored).map(({ state }) => state.endpointId);
    bench.emulator.admin.changeEndpoint(String(changed), { suspend_timeout_seconds: 60 });
    bench.emulator.admin.dropEndpoint(String(dropped));
    const refreshed = await counted(() => run(map().refresh(created.result.stored)));
    expect(refreshed).toMatchObject({ calls: { "endpoints.list": 1, "endpoints.get": 1 }, looks: 0 });
    expect(Object.keys(refreshed.result)).toHaveLength(REPLICAS - 1);
    expect(Object.values(refreshed.result).filter(({ state }) => state.suspendTimeoutSeconds === 60)).toHaveLength(1);

    const deleted = await counted(() => run(map().apply({}, refreshed.result)));
    expect(deleted.calls).toEqual({ "endpoints.delete": REPLICAS - 1 });
    expect(bench.on(branchId)).toHaveLength(1);
  });

  it("find their way in a project of 5,000 endpoints", async () => {
    const { run, bench, counted, map } = await setUp();
    const { admin, projectId } = bench.emulator;
    const branches = Array.from({ length: LARGE }, () => admin.seedBranch(projectId, { endpoint: {} }).id);
    const adopted = declare(branches, (branchId) => ({ ...bench.place(branchId), adoptExisting: true }));
    const taken = await counted(() => run(map().apply(adopted, {})));
    expect(taken.result.errors).toEqual({});
    // Each that is taken over is confirmed by id, and none is changed.
    expect(taken.calls).toEqual({ "endpoints.list": 1, "endpoints.get": LARGE });

    const unchanged = await counted(() => run(map().plan(adopted, taken.result.stored)));
    expect(stepsOf(unchanged.result.steps)).toEqual({ same: LARGE });
    expect(unchanged.calls).toEqual({ "endpoints.list": 1 });

    const refreshed = await counted(() => run(map().refresh(taken.result.stored)));
    expect(Object.keys(refreshed.result)).toHaveLength(LARGE);
    expect(refreshed.calls).toEqual({ "endpoints.list": 1 });

    const young = declare([bench.branch()], (branchId) => bench.place(branchId));
    const created = await counted(() => run(map().apply(young, {})));
    expect(created.calls).toEqual({ "endpoints.list": 1, "branches.list": 1, "endpoints.create": 1 });
  });

  it("take fifty projects in one program, each with a snapshot and a wait of its own", async () => {
    const { run, bench, counted, map } = await setUp();
    const { admin } = bench.emulator;
    const places = Array.from({ length: PROJECTS }, () => admin.seedProject().project.id).flatMap((projectId) =>
      [1, 2, 3].map(() => ({ projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" as const })),
    );
    const lists = { "endpoints.list": PROJECTS, "branches.list": PROJECTS };
    const program = Object.fromEntries(places.map((place, at) => [`endpoint${at}`, place]));

    const created = await counted(() => run(map().apply(program, {})));
    expect(created.result.errors).toEqual({});
    expect(created.calls).toEqual({ ...lists, "endpoints.create": places.length });
    expect(created.looks).toBeLessThanOrEqual(PROJECTS * created.looksAllowed);
    const { stored } = created.result;
    const unchanged = await counted(() => run(map().plan(program, stored)));
    expect(unchanged).toMatchObject({ calls: { "endpoints.list": PROJECTS }, looks: 0 });
    const deleted = await counted(() => run(map().apply({}, stored)));
    expect(deleted.calls).toEqual({ "endpoints.delete": places.length });
  });
});

async function setUp(options: Parameters<typeof useBench>[0] = {}) {
  const opened = await useBench(options);
  const { emulator } = opened;
  const bench: Bench & { place(branchId: string): EndpointInputs } = {
    ...opened,
    place: (branchId) => ({ projectId: emulator.projectId, branchId, type: "read_write" }),
  };
  return {
    bench,
    run: bench.run,
    /** The map as a new run has it: nothing is known of the platform yet. */
    map: () => endpointMap(bench.context({ account: bench.account() }), AT_ONCE),
    /** What the work called: looks at operations apart from the calls by route, and how many it had time for. */
    async counted<R>(work: () => Promise<R>) {
      emulator.admin.clearLog();
      const startMs = bench.clock.now();
      const result = await work();
      const seconds = (bench.clock.now() - startMs) / 1_000;
      const calls: Record<string, number> = {};
      let looks = 0;
      for (const [route, count] of Object.entries(emulator.admin.counts().byRoute)) {
        if (route.startsWith("operations.")) looks += count;
        else calls[route] = count;
      }
      return { result, calls, looks, seconds, looksAllowed: LOOKS_PER_SECOND * Math.ceil(seconds) };
    },
  };
}

function declare(branches: readonly string[], inputs: (branchId: string) => EndpointInputs): Declared {
  return Object.fromEntries(branches.map((branchId, at) => [`endpoint${at}`, inputs(branchId)]));
}

function stepsOf(steps: Readonly<Record<string, string>>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const step of Object.values(steps)) counts[step] = (counts[step] ?? 0) + 1;
  return counts;
}
