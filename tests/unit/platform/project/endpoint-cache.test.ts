import { describe, expect, it } from "vitest";
import type { Api } from "../../../../provider/platform/api";
import { ages } from "../../../../provider/platform/policy";
import { EndpointCache, EndpointSnapshot } from "../../../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../../../provider/platform/records";
import { fc } from "../../../support/random";
import { endpointRecord } from "../../../support/samples";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock";

/** The endpoint that others change all the time: its name is the moment that a list shows. */
const WITNESS = "ep-witness";

const OWN = ["ep-own-1", "ep-own-2", "ep-own-3"] as const;

const action = fc.record({
  afterMs: fc.integer({ min: 0, max: 6_000 }),
  what: fc.oneof(
    { weight: 3, arbitrary: fc.record({ read: fc.constantFrom(0, 1_000, ages.freshMs, ages.planningMs) }) },
    { weight: 1, arbitrary: fc.record({ change: fc.constantFrom(...OWN), gone: fc.boolean() }) },
  ),
});

/** How long a list is under way to the platform, and how long its answer is. */
const travel = fc.record({ thereMs: fc.integer({ min: 0, max: 20_000 }), backMs: fc.integer({ min: 0, max: 20_000 }) });

const endpoint = (id: string, name?: string) =>
  endpointRecord({ id, branchId: "br-a", ...(name !== undefined && { name }) });

const idsOf = (records: readonly EndpointRecord[]) => records.map(({ id }) => id);

it("what a reader gets from the cache is never older than it allows, and shows every own change that was answered before, however lists travel", async () => {
  const scripts = fc.asyncProperty(
    fc.array(action, { minLength: 1, maxLength: 40 }),
    fc.array(travel, { minLength: 1, maxLength: 10 }),
    play,
  );
  await fc.assert(scripts, { numRuns: 300 });
});

async function play(
  actions: readonly { afterMs: number; what: { read: number } | { change: string; gone: boolean } }[],
  travels: readonly { thereMs: number; backMs: number }[],
): Promise<void> {
  const clock = createVirtualClock();
  const platform = new Map<string, EndpointRecord>();
  let lists = 0;
  const cache = cacheOf(clock, async () => {
    const { thereMs, backMs } = travels[lists++ % travels.length] ?? { thereMs: 0, backMs: 0 };
    await clock.sleep(thereMs);
    const shown = [recordOf(WITNESS, clock.now()), ...platform.values()];
    await clock.sleep(backMs);
    return shown;
  });
  /** Own changes that were answered: the moment of the newest one, and whether it was a delete. */
  const answered = new Map<string, { at: number; gone: boolean }>();
  /** The moment of the newest own change that was sent. */
  const sent = new Map<string, number>();

  const read = async (maxAgeMs: number) => {
    const askedMs = clock.now();
    const before = new Map(answered);
    const snapshot = await cache.snapshot({ sinceMs: askedMs - maxAgeMs });
    expect(Number(snapshot.get(WITNESS)?.name)).toBeGreaterThanOrEqual(askedMs - maxAgeMs);
    for (const [id, { at, gone }] of before) {
      const seen = snapshot.get(id);
      // A later own change may already be in it, answered or not.
      const isLater = (sent.get(id) ?? 0) > at;
      if (!isLater) expect(seen?.name).toBe(gone ? undefined : String(at));
    }
  };
  const change = async (id: string, gone: boolean) => {
    const record = recordOf(id, clock.now());
    sent.set(id, clock.now());
    if (gone) platform.delete(id);
    else platform.set(id, record);
    await clock.sleep(50);
    answered.set(id, { at: Number(record.name), gone });
    if (gone) cache.remove(id);
    else cache.put(record);
  };
  const script = async () => {
    const readers: Promise<void>[] = [];
    for (const { afterMs, what } of actions) {
      await clock.sleep(afterMs);
      if ("read" in what) readers.push(read(what.read));
      else await change(what.change, what.gone);
    }
    await Promise.all(readers);
  };
  await clock.run(script());
}

const recordOf = (id: string, at: number) => endpointRecord({ id, branchId: `br-of-${id}`, name: String(at) });

/** A cache of what these lists have; nothing asks for anything else. */
function cacheOf(clock: VirtualClock, listEndpoints: () => Promise<EndpointRecord[]>): EndpointCache {
  return new EndpointCache({ listEndpoints } as unknown as Api, clock, "p-one");
}

it("keeps what the run has made until a list shows it; what a list no longer shows, or the run has deleted, is gone", async () => {
  const shown: string[][] = [[], [], ["ep-own-1"], [], ["ep-own-2"], ["ep-own-2"], []];
  const clock = createVirtualClock();
  const cache = cacheOf(clock, async () => (shown.shift() ?? []).map((id) => recordOf(id, 0)));
  const read = async () => {
    await clock.sleep(1_000);
    return idsOf((await cache.snapshot({ sinceMs: clock.now() })).all());
  };
  const script = async () => {
    expect(await read()).toEqual([]);
    cache.put(recordOf("ep-own-1", 0));
    expect(await read()).toEqual(["ep-own-1"]);
    expect(await read()).toEqual(["ep-own-1"]);
    expect(await read()).toEqual([]);
    expect(await read()).toEqual(["ep-own-2"]);
    cache.remove("ep-own-2");
    expect(await read()).toEqual([]);
    expect(await read()).toEqual([]);
  };
  await clock.run(script());
});

describe("the endpoints of a name, and of a branch", () => {
  it("are those that differ in its last part alone", () => {
    const snapshot = new EndpointSnapshot([
      endpoint("ep-1", "pulumi-app-12ab-0001"),
      endpoint("ep-2", "pulumi-app-12ab-0002"),
      endpoint("ep-3", "pulumi-app-12ab-0003-x"),
      endpoint("ep-4", "pulumi-app-12ab"),
      endpoint("ep-5"),
    ]);
    expect(idsOf(snapshot.named("pulumi-app-12ab"))).toEqual(["ep-1", "ep-2"]);
    expect(snapshot.named("pulumi")).toEqual([]);
  });

  it("follow every change", () => {
    const snapshot = new EndpointSnapshot([endpoint("ep-1", "a-1"), endpoint("ep-2", "a-2")]);
    snapshot.write("ep-1", { ...endpoint("ep-1", "b-1"), branchId: "br-b" });
    snapshot.write("ep-2", undefined);
    expect(idsOf(snapshot.named("a"))).toEqual([]);
    expect(idsOf(snapshot.named("b"))).toEqual(["ep-1"]);
    expect([snapshot.onBranch("br-a"), snapshot.onBranch("br-b")].map(idsOf)).toEqual([[], ["ep-1"]]);
  });
});
