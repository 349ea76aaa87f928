import { describe, expect, it } from "vitest";
import { type Bench, useBench } from "../../support/bench";
import { EnginePart, type Program } from "../../support/engine-part";

const REPLICAS = 1_000;
const PROJECTS = 50;
const AT_ONCE = 50;
const LOOKS_PER_SECOND = 2;

type Inputs = Readonly<Record<string, unknown>>;

describe("fleets of other shapes", () => {
  it("put a thousand read replicas on one branch, and tell them apart", async () => {
    const { bench, counted, engine, account } = await setUp();
    const { id: branchId } = bench.emulator.admin.seedBranch(bench.emulator.projectId, { endpoint: {} });
    const replicas = (sizeCu: number) =>
      declare(Array(REPLICAS).fill(branchId), (id) => ({ ...bench.place(id), type: "read_only", sizeCu }));

    const created = await counted(engine.up(account(), replicas(0.5)));
    expect(created.result.errors).toEqual([]);
    expect(created.calls).toEqual({ "endpoints.list": 1, "endpoints.create": REPLICAS });
    expect(created.looks).toBeLessThanOrEqual(created.looksAllowed);
    expect(bench.on(branchId)).toHaveLength(REPLICAS + 1);
    expect(new Set(engine.ids()).size).toBe(REPLICAS);

    // One is changed by somebody else and one deleted: a refresh finds both by one list, and one call for what is gone.
    const [changed = "", dropped = ""] = [...engine.resources.values()].map(({ state }) => state.endpointId);
    bench.emulator.admin.changeEndpoint(String(changed), { suspend_timeout_seconds: 60 });
    bench.emulator.admin.dropEndpoint(String(dropped));
    const refreshed = await counted(engine.refresh(account()));
    expect(refreshed).toMatchObject({ calls: { "endpoints.list": 1, "endpoints.get": 1 }, looks: 0 });
    const found = [...engine.resources.values()];
    expect(found).toHaveLength(REPLICAS - 1);
    expect(found.filter(({ state }) => state.suspendTimeoutSeconds === 60)).toHaveLength(1);

    const deleted = await counted(engine.up(account(), {}));
    expect(deleted.calls).toEqual({ "endpoints.delete": REPLICAS - 1 });
    expect(bench.on(branchId)).toHaveLength(1);
  });

  it("take fifty projects in one program, each with a list and a wait of its own", async () => {
    const { bench, counted, engine, account } = await setUp();
    const { admin } = bench.emulator;
    const places = Array.from({ length: PROJECTS }, () => admin.seedProject().project.id).flatMap((projectId) =>
      [1, 2, 3].map(() => ({ projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" as const })),
    );
    const lists = { "endpoints.list": PROJECTS, "branches.list": PROJECTS };
    const program = Object.fromEntries(places.map((place, at) => [`endpoint${at}`, place]));

    const created = await counted(engine.up(account(), program));
    expect(created.result.errors).toEqual([]);
    expect(created.calls).toEqual({ ...lists, "endpoints.create": places.length });
    expect(created.looks).toBeLessThanOrEqual(PROJECTS * created.looksAllowed);
    const unchanged = await counted(engine.preview(account(), program));
    expect(unchanged).toMatchObject({ calls: { "endpoints.list": PROJECTS }, looks: 0 });
    const deleted = await counted(engine.up(account(), {}));
    expect(deleted.calls).toEqual({ "endpoints.delete": places.length });
  });
});

async function setUp(options: Parameters<typeof useBench>[0] = {}) {
  const opened = await useBench(options);
  const { emulator } = opened;
  const bench: Bench & { place(branchId: string): Inputs } = {
    ...opened,
    place: (branchId) => ({ projectId: emulator.projectId, branchId, type: "read_write" }),
  };
  return {
    bench,
    engine: new EnginePart(AT_ONCE),
    /** An account as a new run has it: nothing is known of the platform yet. */
    account: () => bench.account(),
    /** What the work called: looks at operations apart from the calls by route, and how many it had time for. */
    async counted<R>(work: Promise<R>) {
      emulator.admin.clearLog();
      const startMs = bench.clock.now();
      const result = await bench.run(work);
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

function declare(branches: readonly string[], inputs: (branchId: string) => Inputs): Program {
  return Object.fromEntries(branches.map((branchId, at) => [`endpoint${at}`, inputs(branchId)]));
}
