import { describe, expect, it } from "vitest";
import { OperationWaiter, type WaitProgress } from "../../../../provider/platform/project/operation-waiter";
import { useBench } from "../../../support/bench";
import { aheadOf, createVirtualClock } from "../../../support/virtual-clock";
import { useWatcher } from "./support";

// Specification, sections 3.1, 4.2 and 6.

const TIMEOUT = { timeoutMs: 600_000 };

describe("the waiter", () => {
  it("fetches a lone operation by its id, and several from one list", async () => {
    const { waiter, run, started, routes } = await useWatcher();
    await run(waiter.wait(started(1), TIMEOUT));
    expect(routes()).toEqual({ "operations.get": expect.any(Number) });
    const { emulator } = await useWatcher().then(async (second) => {
      await second.run(second.waiter.wait(await second.started(40), TIMEOUT));
      return second;
    });
    const { byRoute } = emulator.admin.counts();
    expect(byRoute["operations.get"]).toBeUndefined();
    expect(byRoute["operations.list"]).toBeLessThan(8);
  });

  it("looks again at an operation that the platform does not know yet in its first seconds", async () => {
    const { waiter, run, started, emulator, clock } = await useWatcher({ operationMs: 20_000 });
    emulator.admin.addFault({ route: "operations.get", count: 3, effect: { kind: "status", status: 404 } });
    expect((await run(waiter.wait(started(1), TIMEOUT))).error).toBeUndefined();

    const waiting = waiter.wait(started(1), TIMEOUT);
    await clock.pass(6_000);
    emulator.admin.addFault({ route: "operations.get", count: 1, effect: { kind: "status", status: 404 } });
    expect((await run(waiting)).error?.kind).toBe("operation_vanished");
  });

  it("keeps what is still open when one fails, and what has vanished", async () => {
    const { waiter, run, started, emulator } = await useWatcher();
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } });
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "fail" } });
    const operations = started(3);
    const { kept, error } = await run(waiter.wait(operations, TIMEOUT));
    expect(error?.kind).toBe("operation_failed");
    expect(kept.map(({ status }) => status).sort()).toEqual(["failed", "running"]);

    emulator.admin.clearFaults();
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "vanish", afterMs: 300 } });
    const [lost] = started(1);
    const vanishing = await run(waiter.wait(lost ? [lost] : [], TIMEOUT));
    expect(vanishing).toMatchObject({ kept: [{ id: lost?.id }], error: { kind: "operation_vanished" } });
  });

  it("ends at once, with everything kept, when it is cancelled", async () => {
    const { waiter, run, started, clock } = await useWatcher({ operationMs: 60_000 });
    const controller = new AbortController();
    const operations = started(5);
    const waiting = waiter.wait(operations, { ...TIMEOUT, signal: controller.signal });
    await run(clock.sleep(20_000));
    const beganMs = clock.now();
    controller.abort();
    const { kept, error } = await run(waiting);
    expect(error?.kind).toBe("cancelled");
    expect(kept).toHaveLength(5);
    expect(clock.now()).toBe(beganMs);
    expect(clock.sleeping()).toBe(0);
    expect((await waiter.wait(operations, { ...TIMEOUT, signal: controller.signal })).error?.kind).toBe("cancelled");
  });

  it("honours the time that the caller gives, and tells how long it has waited", async () => {
    const { waiter, run, started, clock } = await useWatcher({ operationMs: 60_000 });
    const seen: WaitProgress[] = [];
    const beganMs = clock.now();
    const waiting = waiter.wait(started(1), { timeoutMs: 7_000, onProgress: (one) => seen.push(one) });
    const { error } = await run(waiting);
    expect(error?.message).toMatch(/still "scheduling" after 7 s/);
    expect(clock.now() - beganMs).toBe(7_000);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.map(({ elapsedMs }) => elapsedMs)).toEqual(
      [...seen.map(({ elapsedMs }) => elapsedMs)].sort((a, b) => a - b),
    );
  });

  it.each([5, -5])(
    "judges what is tried again by the platform's clock, however wrong its own (%i h)",
    async (hours) => {
      const bench = await useBench();
      const { admin, projectId } = bench.emulator;
      const account = bench.account({ clock: aheadOf(bench.clock, hours * 3_600_000) });
      admin.addFault({ on: "operation", effect: { kind: "fail-then-finish", retryMs: 30_000 } });
      const body = { branchId: bench.branch(), type: "read_write" };
      const { operations } = await bench.run(account.api.createEndpoint(projectId, body));
      const { waiter } = account.project(projectId);
      expect((await bench.run(waiter.wait(operations, TIMEOUT))).error).toBeUndefined();
    },
  );

  it("looks once more before the time is over", async () => {
    const { waiter, run, started } = await useWatcher({ operationMs: 59_000 });
    expect((await run(waiter.wait(started(1), { timeoutMs: 60_000 }))).error).toBeUndefined();
  });

  it("waits for nothing when there is nothing, or all has ended", async () => {
    const { waiter, emulator, started, clock } = await useWatcher();
    const ended = started(2).map((one) => ({ ...one, status: "finished" }));
    expect(await waiter.wait([], TIMEOUT)).toEqual({ kept: [] });
    expect(await waiter.wait(ended, TIMEOUT)).toEqual({ kept: [] });
    expect(emulator.admin.counts().total).toBe(0);
    expect(clock.sleeping()).toBe(0);
  });

  it.each<[string, (stop: AbortController) => void, number, string]>([
    ["its time is over", () => {}, 4_000, "operation_timeout"],
    ["it is interrupted", (stop) => stop.abort(), 600_000, "cancelled"],
  ])("ends in the middle of a look at a list that never ends when %s", async (_, act, timeoutMs, kind) => {
    const clock = createVirtualClock();
    const stop = new AbortController();
    const operation = {
      projectId: "p",
      action: "a",
      status: "running",
      failuresCount: 0,
      createdAt: "",
      updatedAt: "",
    };
    let asked = 0;
    const waiter = new OperationWaiter(
      {
        limitUsed: () => 0,
        platformTime: () => undefined,
        getOperation: async (_project, id) => ({ ...operation, id }),
        async listOperations(_project, page, options) {
          asked += 1;
          await clock.sleep(1_000, options?.signal);
          const items = Array.from({ length: page?.limit ?? 0 }, (_one, at) => ({
            ...operation,
            id: `x${asked}-${at}`,
          }));
          return { items, cursor: String(asked) };
        },
      },
      clock,
      "p",
    );
    const wanted = Array.from({ length: 50 }, (_one, at) => ({ ...operation, id: `op-${at}` }));
    const waiting = waiter.wait(wanted, { timeoutMs, signal: stop.signal });
    await clock.run(clock.sleep(3_500));
    const beganMs = clock.now();
    act(stop);
    const { error, kept } = await clock.run(waiting);
    expect([error?.kind, kept.length]).toEqual([kind, 50]);
    expect(clock.now() - beganMs).toBeLessThanOrEqual(500);
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.sleeping()).toBe(0);
    expect(asked).toBeLessThan(6);
  });

  it("finds operations behind many newer ones, page by page", async () => {
    const { waiter, run, started, emulator } = await useWatcher({ operationMs: 5_000 });
    const operations = started(2);
    emulator.admin.advance(2_000);
    started(1_500);
    expect((await run(waiter.wait(operations, TIMEOUT))).error).toBeUndefined();
  });
});

const LONG = { timeoutMs: 3_600_000 };
const LOOKS_PER_SECOND = 8;
/** Looks that a waiter may make before its rate counts. */
const LOOKS_AT_ONCE = 1;
/** The longest that anybody waits for a look where others wait all the time and the limit is half used. */
const LOOK_INTERVAL_MS = 530;

// Round and odd ones, so that ends fall everywhere between two looks.
const durations = [17, 251, 556, 928, 1_390, 2_615, 5_000, 13_131, 30_000, 123_456, 599_000];

describe("the end of every operation is seen in time", () => {
  it.each(durations)("of one that takes %i ms", async (operationMs) => {
    const { watched, run } = await setUp(operationMs);
    expect(await run(watched(1))).toBeLessThanOrEqual(boundMs(operationMs));
  });

  it("where short and long ones are waited for together", async () => {
    const operationMsByAction = { start_compute: 700, apply_config: 4_000, suspend_compute: 25_000 };
    const { watched, run, clock, looks } = await setUp(90_000, operationMsByAction);
    const late: Promise<[number, number]>[] = [];
    const stream = async () => {
      for (let index = 0; index < 400; index += 1) {
        const [action, ms] = Object.entries(operationMsByAction)[index % 3] ?? ["check_availability", 90_000];
        late.push(watched(1, action, ms).then((lateMs) => [lateMs, boundMs(ms)]));
        await clock.sleep(91);
      }
      return Promise.all(late);
    };
    for (const [lateMs, mostMs] of await run(stream())) {
      expect(lateMs).toBeLessThanOrEqual(Math.max(mostMs, LOOK_INTERVAL_MS));
    }
    expect(looks()).toBeLessThanOrEqual(looksAllowed(clock.elapsedMs()));
  });

  it("behind one that hangs while thousands come and go", async () => {
    const { waiter, watched, run, clock, looks, started, emulator } = await setUp(1_000);
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } });
    const hanging = waiter.wait(started(1), { timeoutMs: 240_000 });
    const late: Promise<number>[] = [];
    const stream = async () => {
      for (let index = 0; index < 200; index += 1) {
        late.push(watched(10));
        await clock.sleep(1_000);
      }
      return Promise.all(late);
    };
    const all = (await run(stream())).sort((a, b) => a - b);
    // The one that hangs is far down the list: it costs a call of its own now and then, and a look of the others with it.
    expect(all.at(-1)).toBeLessThanOrEqual(2 * LOOK_INTERVAL_MS);
    expect(all[Math.floor(all.length * 0.9)]).toBeLessThanOrEqual(boundMs(1_000));
    expect(looks()).toBeLessThanOrEqual(looksAllowed(clock.elapsedMs()));
    expect((await run(hanging)).error?.kind).toBe("operation_timeout");
  });
});

/** An operation of D is seen to have ended within 0.13 s + 0.15 D and a look's way, and never later than 5 s after it did. */
function boundMs(operationMs: number): number {
  return Math.min(150 + 0.15 * operationMs, 5_000);
}

function looksAllowed(ms: number): number {
  return LOOKS_AT_ONCE + (LOOKS_PER_SECOND * ms) / 1_000;
}

async function setUp(operationMs: number, operationMsByAction: Record<string, number> = {}) {
  const bench = await useWatcher({ operationMs, operationMsByAction });
  const { waiter, clock, emulator, started } = bench;
  return {
    ...bench,
    looks: () => emulator.admin.counts().total,
    /** Waits for operations that begin now, each for itself; gives how late the latest end was seen, in milliseconds. */
    async watched(count: number, action?: string, durationMs = operationMs): Promise<number> {
      const endMs = clock.now() + durationMs;
      const waits = started(count, action).map(async (operation) => {
        const { error } = await waiter.wait([operation], LONG);
        if (error) throw error;
        return clock.now() - endMs;
      });
      return Math.max(...(await Promise.all(waits)));
    },
  };
}
