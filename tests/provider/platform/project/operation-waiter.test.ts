import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../../emulator";
import type { WaitProgress } from "../../../../provider/platform/project/operation-waiter";
import type { OperationRecord } from "../../../../provider/platform/records";
import { decode, operationAnswer } from "../../../../provider/platform/wire/answers";
import { useBench } from "../../../support/bench";
import { aheadOf } from "../../../support/virtual-clock";

// Specification, sections 3.1, 4.2 and 6.

const TIMEOUT = { timeoutMs: 600_000 };

describe("the waiter", () => {
  it.each([
    [1, { "operations.get": expect.any(Number) }],
    [40, { "operations.list": expect.any(Number) }],
  ])("fetches a lone operation by its id, and several from one list (%i)", async (count, routes) => {
    const { waiter, run, started, emulator, looks } = await useWatcher();
    await run(waiter.wait(started(count), TIMEOUT));
    expect(emulator.admin.counts().byRoute).toEqual(routes);
    expect(looks()).toBeLessThan(8);
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

  it("tells what is still open when one fails, and what has vanished", async () => {
    const { waiter, run, started, emulator } = await useWatcher();
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } });
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "fail" } });
    const operations = started(3);
    const { seen, error } = await run(waiter.wait(operations, TIMEOUT));
    expect(error?.kind).toBe("operation_failed");
    expect(seen.map(({ status }) => status).sort()).toEqual(["failed", "finished", "running"]);

    emulator.admin.clearFaults();
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "vanish", afterMs: 300 } });
    const [lost] = started(1);
    const vanishing = await run(waiter.wait(lost ? [lost] : [], TIMEOUT));
    expect(vanishing).toMatchObject({ seen: [{ id: lost?.id }], error: { kind: "operation_vanished" } });
  });

  it("ends at once, with everything still open, when it is cancelled", async () => {
    const { waiter, run, started, clock } = await useWatcher({ operationMs: 60_000 });
    const controller = new AbortController();
    const operations = started(5);
    const waiting = waiter.wait(operations, { ...TIMEOUT, signal: controller.signal });
    await run(clock.sleep(20_000));
    const beganMs = clock.now();
    controller.abort();
    const { seen, error } = await run(waiting);
    expect(error?.kind).toBe("cancelled");
    expect(seen.map(({ status }) => status)).toEqual(Array(5).fill("running"));
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

  it("looks first when one is due by what the run has seen, or after 0.25 s, then after 0.5 s and growing pauses, every 5 s at least", async () => {
    const { waiter, run, started, clock, emulator } = await useWatcher({ operationMs: 30_000 });
    /** When it looked, in milliseconds from the start of the wait. */
    const looksAt = async (work: () => Promise<unknown>) => {
      emulator.admin.clearLog();
      const beganMs = clock.now();
      await run(work());
      return emulator.admin.log().map(({ at }) => at - beganMs);
    };
    const first = await looksAt(() => waiter.wait(started(1), TIMEOUT));
    const pauses = first.map((at, index) => at - (first[index - 1] ?? 0));
    expect(pauses.slice(0, 3)).toEqual([250, 500, 600]);
    expect(Math.max(...pauses)).toBe(5_000);
    emulator.admin.configure({ operationMs: 2_000 });
    await run(waiter.wait(started(1), TIMEOUT));
    expect(await looksAt(() => waiter.wait(started(1), TIMEOUT))).toEqual([expect.closeTo(2_025, -1)]);
    // One that takes longer than any so far.
    emulator.admin.configure({ operationMs: 3_000 });
    expect(await looksAt(() => waiter.wait(started(1), TIMEOUT))).toEqual(
      [2_025, 2_525, 3_125].map((at) => expect.closeTo(at, -1)),
    );
  });

  it("looks once more before the time is over", async () => {
    const { waiter, run, started } = await useWatcher({ operationMs: 59_000 });
    expect((await run(waiter.wait(started(1), { timeoutMs: 60_000 }))).error).toBeUndefined();
  });

  it("waits for nothing when there is nothing, or all has ended", async () => {
    const { waiter, emulator, started, clock } = await useWatcher();
    const ended = started(2).map((one) => ({ ...one, status: "finished" }));
    expect(await waiter.wait([], TIMEOUT)).toEqual({ seen: [] });
    expect(await waiter.wait(ended, TIMEOUT)).toEqual({ seen: ended });
    expect(emulator.admin.counts().total).toBe(0);
    expect(clock.sleeping()).toBe(0);
  });

  it.each([
    ["its time is over", 4_000, "operation_timeout", 4_000],
    ["it is interrupted", 600_000, "cancelled", 6_000],
  ])("ends in the middle of a look when %s", async (_, timeoutMs, kind, endMs) => {
    const { waiter, run, started, clock, emulator } = await useWatcher({ operationMs: 60_000 });
    emulator.admin.addFault({ route: "operations.list", effect: { kind: "stall-headers" } });
    const stop = new AbortController();
    const beganMs = clock.now();
    void clock.sleep(6_000).then(() => stop.abort());
    const { error, seen } = await run(waiter.wait(started(50), { timeoutMs, signal: stop.signal }));
    expect([error?.kind, seen.length, clock.now() - beganMs]).toEqual([kind, 50, endMs]);
    await clock.pass(0);
    expect(clock.calling()).toBe(0);
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
const LOOKS_PER_SECOND = 5;
/** Looks that a waiter may make before its rate counts. */
const LOOKS_AT_ONCE = 1;
/** The longest that anybody waits for a look where others wait all the time and the limit is half used. */
const LOOK_INTERVAL_MS = 530;

// Round and odd ones, so that ends fall everywhere between two looks.
const durations = [17, 251, 556, 928, 1_390, 2_615, 5_000, 13_131, 30_000, 123_456, 599_000];

describe("the end of every operation is seen in time", () => {
  it.each(durations)("of one that takes %i ms", async (operationMs) => {
    const { watched, run } = await useWatcher({ operationMs });
    expect(await run(watched(1, operationMs))).toBeLessThanOrEqual(boundMs(operationMs));
  });

  it("where short and long ones are waited for together", async () => {
    const operationMsByAction = { start_compute: 700, apply_config: 4_000, suspend_compute: 25_000 };
    const { watched, run, clock, looks } = await useWatcher({ operationMs: 90_000, operationMsByAction });
    const late: Promise<[number, number]>[] = [];
    const stream = async () => {
      for (let index = 0; index < 400; index += 1) {
        const [action, ms] = Object.entries(operationMsByAction)[index % 3] ?? ["check_availability", 90_000];
        late.push(watched(1, ms, action).then((lateMs) => [lateMs, boundMs(ms)]));
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
    const { waiter, watched, run, clock, looks, started, emulator } = await useWatcher({ operationMs: 1_000 });
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } });
    const hanging = waiter.wait(started(1), { timeoutMs: 240_000 });
    const late: Promise<number>[] = [];
    const stream = async () => {
      for (let index = 0; index < 200; index += 1) {
        late.push(watched(10, 1_000));
        await clock.sleep(1_000);
      }
      return Promise.all(late);
    };
    const all = (await run(stream())).sort((a, b) => a - b);
    // The hanging operation is far down the list: from time to time it costs a call of its own, and the others a poll.
    expect(all.at(-1)).toBeLessThanOrEqual(2 * LOOK_INTERVAL_MS);
    expect(all[Math.floor(all.length * 0.9)]).toBeLessThanOrEqual(boundMs(1_000));
    expect(looks()).toBeLessThanOrEqual(looksAllowed(clock.elapsedMs()));
    expect((await run(hanging)).error?.kind).toBe("operation_timeout");
  });
});

/** The first operation of D is seen to have ended within 0.5 s + 0.2 D, and never later than 5 s after it did. */
function boundMs(operationMs: number): number {
  return Math.min(500 + 0.2 * operationMs, 5_000);
}

function looksAllowed(ms: number): number {
  return LOOKS_AT_ONCE + (LOOKS_PER_SECOND * ms) / 1_000;
}

/** A bench with the waiter of its project, and operations to wait for. */
async function useWatcher(options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const { emulator, clock } = bench;
  const { admin, projectId } = emulator;
  const { waiter } = bench.account().project(projectId);
  /** Operations that have just begun, as an answer gives them. */
  const started = (count: number, action = "check_availability"): OperationRecord[] =>
    Array.from({ length: count }, () => {
      const read = decode(operationAnswer, { operation: admin.startOperation({ projectId, action }) });
      if (!read.ok) throw new Error(read.reason);
      return read.value;
    });
  return {
    ...bench,
    ...{ waiter, started },
    looks: () => admin.counts().total,
    /** Waits for operations that begin now, each separately; returns the latest detection's delay, in milliseconds. */
    async watched(count: number, durationMs: number, action?: string): Promise<number> {
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
