import { describe, expect, it } from "vitest";
import { EndpointCache } from "../../../../provider/platform/project/endpoint-cache";
import { RecentOperations } from "../../../../provider/platform/project/recent-operations";
import type { OperationRecord } from "../../../../provider/platform/records";
import { useBench } from "../../../support/bench";
import { createVirtualClock } from "../../../support/virtual-clock";

describe("the cache", () => {
  it("asks again after a failed list", async () => {
    const { cache, run, bench, emulator } = await setUp();
    emulator.admin.addFault({ count: 1, effect: { kind: "status", status: 403 } });
    expect(await bench.fails(cache.snapshot())).toMatchObject({ kind: "forbidden" });
    expect((await run(cache.snapshot())).all()).toHaveLength(1);
  });

  it("says that an endpoint is gone only after asking for it by id", async () => {
    const { cache, run, clock, emulator } = await setUp();
    const id = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: emulator.branchId, type: "read_only" }).id;
    await clock.pass(10_000);
    emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "stale-list", ageMs: 180_000 } });
    expect((await run(cache.snapshot())).get(id)).toBeUndefined();
    expect((await run(cache.endpoint(id)))?.id).toBe(id);
    emulator.admin.dropEndpoint(id);
    expect((await run(cache.endpoint(id)))?.id).toBe(id);
    await clock.pass(1);
    expect(await run(cache.endpoint(id, { sinceMs: clock.now() }))).toBeUndefined();
  });
});

async function setUp() {
  const bench = await useBench();
  const { api, project } = bench.account();
  return { ...bench, bench, api, cache: project(bench.emulator.projectId).cache };
}

const PROJECT = "quiet-lake-12345678";
const CREATED = "2024-05-01T10:00:00Z";

/** Five hundred a second, the newest first. */
function operation(at: number, status = "running"): OperationRecord {
  const createdAt = new Date(Date.parse(CREATED) - 1_000 * Math.floor(at / 500)).toISOString();
  const place = { id: `op-${at}`, projectId: PROJECT, branchId: `br-${at}`, endpointId: `ep-${at}` };
  return { ...place, action: "apply_config", status, failuresCount: 0, createdAt, updatedAt: createdAt };
}

/** A platform with so many operations, the first of which are open. */
function platformWith({ open, ended = 0 }: { open: number; ended?: number }) {
  const all = Array.from({ length: open + ended }, (_, at) => operation(at, at < open ? "running" : "finished"));
  const pages: number[] = [];
  const api = {
    platformNow: () => 0,
    async *operationPages(
      _: string,
      { limit = 0, maxPages = 0 }: { limit?: number | undefined; maxPages?: number } = {},
    ) {
      for (let page = 0; page < maxPages && page * limit < all.length; page += 1) {
        pages.push(page);
        yield all.slice(page * limit, (page + 1) * limit);
      }
    },
  };
  return { pages, operations: new RecentOperations(api, PROJECT) };
}

function targetOf(at: number) {
  return { endpointId: `ep-${at}`, branchIds: [`br-${at}`] };
}

describe("the recent operations of a project", () => {
  it("are read as far down as the target's, and no further", async () => {
    const { operations, pages } = platformWith({ open: 1_000 });
    expect((await operations.look(targetOf(450))).map(({ id }) => id)).toContain("op-450");
    expect(pages).toHaveLength(3);
  });

  it("are read down to a page of which all have ended, and down to a bound", async () => {
    const some = platformWith({ open: 250, ended: 5_000 });
    expect(await some.operations.look(targetOf(9_999))).toHaveLength(600);
    expect(some.pages).toHaveLength(3);
    const many = platformWith({ open: 9_000 });
    expect(await many.operations.look(targetOf(9_999))).toHaveLength(4_000);
    expect(many.pages).toHaveLength(20);
  });

  it("are read down to the moment since which a target's count though they have ended, and no further", async () => {
    const { operations, pages } = platformWith({ open: 10, ended: 5_000 });
    // A change has several, and a page may end between them.
    const made = { ...targetOf(1), sinceMs: Date.parse(CREATED) };
    expect((await operations.look(made)).map(({ id }) => id)).toContain("op-499");
    expect(pages).toHaveLength(3);
    await operations.look({ ...targetOf(9_999), sinceMs: Date.parse(CREATED) + 1_000 });
    expect(pages).toHaveLength(4);
  });

  it("are looked at together by all who come while a look is under way, and after they have come", async () => {
    const { operations, pages } = platformWith({ open: 100 });
    const first = operations.look(targetOf(0));
    await Promise.resolve();
    const others = Array.from({ length: 99 }, (_, at) => operations.look(targetOf(at + 1)));
    await Promise.all([first, ...others]);
    expect(pages).toHaveLength(2);
  });

  it("are no more waited for by whoever leaves, and go on for the others", async () => {
    const { operations, pages } = platformWith({ open: 10 });
    const leaving = new AbortController();
    const left = operations.look(targetOf(1), leaving.signal).catch((error: Error) => error);
    const stayed = operations.look(targetOf(2));
    leaving.abort();
    expect(await left).toMatchObject({ kind: "cancelled" });
    expect(await stayed).toHaveLength(10);
    expect(pages).toHaveLength(1);
  });
});

/** The first answer never comes; later ones at once. */
function answers() {
  let calls = 0;
  return async (signal: AbortSignal | undefined) => {
    calls += 1;
    if (calls > 1) return;
    await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
}
const clock = createVirtualClock();
const answered = answers();
const cache = new EndpointCache(
  {
    listEndpoints: async (_: string, options?: { signal?: AbortSignal | undefined }) => {
      await answered(options?.signal);
      return [];
    },
  } as never,
  clock,
  PROJECT,
);
const readPage = answers();
const operations = new RecentOperations(
  {
    platformNow: () => 0,
    async *operationPages(_: string, __?: object, options?: { signal?: AbortSignal | undefined }) {
      await readPage(options?.signal);
      yield [];
    },
  },
  PROJECT,
);

it.each<[string, (signal?: AbortSignal) => Promise<unknown>]>([
  ["list of endpoints", (signal) => cache.snapshot({ sinceMs: clock.now(), signal })],
  ["list of operations", (signal) => operations.look({ branchIds: [] }, signal)],
])(
  "a look whose answer does not come and that all have left holds up nobody who comes later: the %s",
  async (_, look) => {
    const leaving = new AbortController();
    const left = look(leaving.signal);
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    await expect(left).rejects.toMatchObject({ kind: "cancelled" });
    const late = new Promise((resolve) => setTimeout(() => resolve("nothing"), 1_000));
    expect(await Promise.race([look().then(() => "an answer"), late])).toBe("an answer");
  },
);
