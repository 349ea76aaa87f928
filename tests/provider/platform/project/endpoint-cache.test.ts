import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../provider/lib/clock";
import type { RequestOptions } from "../../../../provider/platform/api";
import { EndpointCache, PLANNING_MS } from "../../../../provider/platform/project/endpoint-cache";
import { useBench } from "../../../support/bench";

describe("the cache", () => {
  it("answers concurrent readers from one list", async () => {
    const { cache, run, emulator } = await setUp();
    const ids = emulator.admin.seedFleet(emulator.projectId, { count: 50 });
    const records = await run(Promise.all(ids.map((id) => cache.endpoint(id))));
    expect(records.map((record) => record?.id)).toEqual(ids);
    expect(emulator.admin.counts().byRoute).toEqual({ "endpoints.list": 1 });
  });

  it("asks again when no list is as new as the reader needs", async () => {
    const { cache, run, clock, emulator } = await setUp();
    const lists = () => emulator.admin.counts().byRoute["endpoints.list"];
    await run(cache.snapshot());
    const seenMs = clock.now();
    await clock.pass(PLANNING_MS);
    await run(cache.snapshot());
    await run(cache.snapshot({ sinceMs: seenMs }));
    expect(lists()).toBe(1);
    await run(cache.snapshot({ sinceMs: seenMs + 1 }));
    expect(lists()).toBe(2);
    await clock.pass(PLANNING_MS + 1);
    await run(cache.snapshot());
    expect(lists()).toBe(3);
    // A moment that is still to come is as good as now.
    await run(cache.snapshot({ sinceMs: clock.now() + 1_000 }));
    expect(lists()).toBe(3);
  });

  it("asks once for all who want it now, but not with a list that was asked for earlier", async () => {
    const { cache, run, clock, emulator } = await setUp();
    await run(Promise.all([1, 2, 3].map(() => cache.snapshot({ sinceMs: clock.now() }))));
    expect(emulator.admin.counts().total).toBe(1);
    await clock.pass(10);
    await run(cache.snapshot({ sinceMs: clock.now() }));
    expect(emulator.admin.counts().total).toBe(2);
  });

  it("lets a reader who needs a newer list than the one under way share the next, one after the other", async () => {
    const { cache, clock, emulator } = await setUp();
    const { endpointId, admin } = emulator;
    const seen = async (sinceMs?: number) => (await cache.snapshot({ sinceMs })).get(endpointId)?.suspendTimeoutSeconds;
    const held = { kind: "delay", ms: 15_000, when: "after" } as const;
    admin.addFault({ route: "endpoints.list", count: 1, effect: held });
    const slow = seen();
    // The platform holds the answer back on its own clock, which nobody but this test moves.
    while (admin.counts().byRoute["endpoints.list"] !== 1) await new Promise((resolve) => setImmediate(resolve));
    const before = admin.endpoint(endpointId).suspend_timeout_seconds;
    admin.advance(1_000);
    admin.changeEndpoint(endpointId, { suspend_timeout_seconds: 120 });
    const newer = Promise.all([seen(clock.now()), seen(clock.now())]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admin.counts().byRoute["endpoints.list"]).toBe(1);
    admin.advance(15_000);
    expect(await slow).toBe(before);
    expect(await newer).toEqual([120, 120]);
    expect(admin.counts().byRoute).toEqual({ "endpoints.list": 2 });
  });

  it("gives a list up when the last of its readers is interrupted, and asks anew for the next", async () => {
    const signals: AbortSignal[] = [];
    const list = async (_: string, { signal }: RequestOptions = {}) => {
      if (signal) signals.push(signal);
      return signals.length === 1 ? new Promise<never>(() => {}) : [];
    };
    const { api } = (await setUp()).bench.account();
    const cache = new EndpointCache({ ...api, listEndpoints: list }, systemClock, "p-one");
    const [first, second] = [new AbortController(), new AbortController()];
    const readers = Promise.allSettled([first, second].map(({ signal }) => cache.snapshot({ signal })));
    first.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort();
    expect(await readers).toMatchObject([{ reason: { kind: "cancelled" } }, { reason: { kind: "cancelled" } }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await cache.snapshot()).all()).toEqual([]);
    expect(signals).toHaveLength(2);
  });

  it("asks again after a failed list", async () => {
    const { cache, run, bench, emulator } = await setUp();
    emulator.admin.addFault({ count: 1, effect: { kind: "status", status: 403 } });
    expect(await bench.fails(cache.snapshot())).toMatchObject({ kind: "forbidden" });
    expect((await run(cache.snapshot())).all()).toHaveLength(1);
  });

  it("says that an endpoint is gone only after asking for it by id", async () => {
    const { cache, run, clock, emulator } = await setUp();
    const id = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchOf(emulator), type: "read_only" }).id;
    await clock.pass(10_000);
    emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "stale-list", ageMs: 180_000 } });
    expect((await run(cache.snapshot())).get(id)).toBeUndefined();
    expect((await run(cache.endpoint(id)))?.id).toBe(id);
    emulator.admin.dropEndpoint(id);
    expect((await run(cache.endpoint(id)))?.id).toBe(id);
    await clock.pass(1);
    expect(await run(cache.endpoint(id, { sinceMs: clock.now() }))).toBeUndefined();
  });

  it("moves an endpoint from branch to branch", async () => {
    const { cache, run, bench, emulator } = await setUp();
    const target = bench.branch();
    const record = await run(cache.endpoint(emulator.endpointId));
    if (!record) throw new Error("it was seeded");
    cache.put({ ...record, branchId: target });
    const snapshot = await run(cache.snapshot());
    expect(snapshot.onBranch(emulator.branchId)).toEqual([]);
    expect(snapshot.onBranch(target).map(({ id }) => id)).toEqual([emulator.endpointId]);
  });

  it("lists branches once, and asks for one that was born later by its id", async () => {
    const { cache, run, bench, emulator } = await setUp();
    const old = bench.branch();
    expect(await run(cache.hasBranch(old))).toBe(true);
    const young = bench.branch();
    expect(await run(cache.hasBranch(young))).toBe(true);
    expect(await run(cache.hasBranch("br-nowhere"))).toBe(false);
    expect(emulator.admin.counts().byRoute).toEqual({ "branches.list": 1, "branches.get": 2 });
  });

  it("believes a platform that has no list of branches", async () => {
    const { cache, run, emulator } = await setUp();
    emulator.admin.addFault({ route: "branches.list", effect: { kind: "status", status: 404 } });
    expect(await run(cache.hasBranch("br-nowhere"))).toBe(true);
  });
});

function branchOf(emulator: { branchId: string }): string {
  return emulator.branchId;
}

async function setUp() {
  const bench = await useBench();
  const { api, project } = bench.account();
  return { ...bench, bench, api, cache: project(bench.emulator.projectId).cache };
}
