import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { openPlugin } from "../engine-model/hosts/plugin";
import { urnOf } from "../engine-model/names";
import { Stack } from "../engine-model/stack";
import { type Bench, systemClock, useBench } from "../support/bench";

const ENDPOINTS = 8;
const MIB = 1_024 * 1_024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

it("leaves no timer, no socket and no rejected promise behind, interrupted or not", async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => {
    process.off("unhandledRejection", note);
  });
  const bench = await useBench();
  await life(bench, new AbortController());
  await quiet();
  const before = resources();
  for (const abortAfter of [undefined, 1, 3, 7, 15]) {
    const controller = new AbortController();
    await life(bench, controller, abortAfter);
    await quiet(before);
    expect(bench.clock.sleeping()).toBe(0);
    expect(bench.clock.calling()).toBe(0);
    expect(grown(before, resources())).toEqual([]);
  }
  expect(rejections).toEqual([]);
});

it("leaves no timer of the machine's clock behind", async () => {
  const bench = await useBench({ clock: "real", operationMs: 60_000 });
  await quiet();
  const before = resources();
  const { projectId, admin } = bench.emulator;
  const { api, project } = bench.account({ clock: systemClock, setTimer: undefined });
  const { waiter, cache } = project(projectId);
  await cache.snapshot();
  const started = admin.startOperation({ projectId, action: "check_availability" });
  const operation = await api.getOperation(projectId, started.id);
  const controller = new AbortController();
  const idle = resources();
  const waiting = waiter.wait([operation], { timeoutMs: 60_000, signal: controller.signal });
  expect(grown(idle, resources())).toContain("Timeout");
  controller.abort();
  expect((await waiting).error?.kind).toBe("cancelled");
  await api.close();
  await quiet(before);
  expect(grown(before, resources())).not.toContain("Timeout");
});

it("does not grow over many runs in one process", { timeout: 120_000 }, async () => {
  const bench = await useBench({ logLimit: 10 });
  for (let warm = 0; warm < 3; warm += 1) await life(bench, new AbortController());
  const sizes: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (let run = 0; run < 4; run += 1) await life(bench, new AbortController());
    sizes.push(heapUsed());
  }
  // What stays for good would be there after each of the rounds; what only happens to lie around is not.
  const growth = (sizes.at(-1) ?? 0) - (sizes[0] ?? 0);
  expect(growth / MIB, `heap after each round, in MiB: ${sizes.map((size) => Math.round(size / MIB))}`).toBeLessThan(4);
});

// One look in five seconds (specification, section 4.2).
it("waits for an hour at one look in five seconds, and holds on to nothing more", { timeout: 300_000 }, async () => {
  const bench = await useBench({ logLimit: 1, operationMs: HOUR_MS });
  const { admin } = bench.emulator;
  const log = { log: () => {}, flush: async () => {}, close: () => {} };
  const { signal, create } = await openPlugin({ account: bench.account(), log, timeoutMs: 2 * HOUR_MS });
  const projects = [1, 2, 3].map(() => admin.seedProject({ endpoint: false }).project.id);
  const creates = projects.flatMap((projectId) =>
    Array.from({ length: 20 }, (_, index) => {
      const urn = urnOf(`e${projectId}-${index}`);
      const inputs = { projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" };
      return create({ urn, inputs, isPreview: false });
    }),
  );
  const held = () => [bench.clock.sleeping(), bench.clock.calling(), getEventListeners(signal, "abort").length];

  await bench.clock.pass(15 * MINUTE_MS);
  const [early, earlyCalls] = [held(), admin.counts().total];
  await bench.clock.pass(44 * MINUTE_MS);
  expect(held()).toEqual(early);
  const looks = (admin.counts().total - earlyCalls) / projects.length / 44;
  expect(looks).toBeGreaterThan(6);
  expect(looks).toBeLessThanOrEqual(12.1);

  const stored = await bench.run(Promise.all(creates));
  expect(new Set(stored.map(({ id }) => id)).size).toBe(60);
  expect(held()).toEqual([0, 0, 0]);
});

/** The whole life of some endpoints in one opened account: created, changed, refreshed, deleted. */
async function life(bench: Bench, controller: AbortController, abortAfter?: number): Promise<void> {
  bench.emulator.reset();
  let calls = 0;
  const account = bench.account({
    onRequest: () => {
      calls += 1;
      if (calls === abortAfter) controller.abort();
    },
  });
  const stack = new Stack(bench, { goesOn: true });
  const branches = Array.from({ length: ENDPOINTS }, () => bench.branch());
  const { projectId } = bench.emulator;
  const program = (sizeCu: number) =>
    Object.fromEntries(branches.map((branchId, at) => [`e${at}`, { args: { projectId, branchId, sizeCu } }]));
  const options = { account, signal: controller.signal };
  bench.emulator.admin.addFault({ probability: 0.05, effect: { kind: "status", status: 502 } });
  await stack.up(program(1), options);
  await stack.refresh(options);
  for (const next of [program(2), {}]) await stack.up(next, options);
  await account.api.close();
}

/** What keeps the process alive, by kind and number; the emulator's own listener and connections are of the test. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The kinds of which there are more than before. */
function grown(before: Record<string, number>, after: Record<string, number>): string[] {
  return Object.keys(after).filter((kind) => (after[kind] ?? 0) > (before[kind] ?? 0));
}

/** Lets closed sockets go; on a busy machine it takes any number of turns until there is no more than before. */
async function quiet(before?: Record<string, number>): Promise<void> {
  const endMs = performance.now() + 5_000;
  const isMore = () => before !== undefined && grown(before, resources()).length > 0 && performance.now() < endMs;
  for (let turns = 0; turns < 20 || isMore(); turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Bytes of the heap that are in use, after all that nobody holds is gone. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc === "function") for (let index = 0; index < 3; index += 1) gc();
  return process.memoryUsage().heapUsed;
}
