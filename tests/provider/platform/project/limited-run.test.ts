import { setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { OperationWaiter } from "../../../../provider/platform/project/operation-waiter";
import { type Rank, RequestQueue } from "../../../../provider/platform/rate-limit/request-queue";
import type { OperationRecord } from "../../../../provider/platform/records";
import { createVirtualClock } from "../../../support/virtual-clock";
import { createLimiter, floorMs, type LimiterShape } from "../../../unit/platform/rate-limit/limiter";

const COUNT = 1_000;
const CALL_MS = 5;
const published: LimiterShape = { kind: "bucket", calls: 700, perMs: 60_000, retryAfter: "none" };

describe("a thousand changes, and the looks at what they began, at 700 calls a minute", () => {
  it.each([
    [20, 200],
    [20, 2_000],
    [50, 200],
    [100, 200],
    [1_000, 200],
  ])("%i at a time, operations of %i ms", async (workers, operationMs) => {
    const { ms, calls, refused } = await runChanges(workers, operationMs);
    // What takes the time is the limit, or the operations where those are longer.
    const dictatedMs = Math.max(floorMs(published, calls - refused), Math.ceil(COUNT / workers) * operationMs);
    expect(ms / dictatedMs).toBeLessThanOrEqual(1.3);
    expect(refused / calls).toBeLessThanOrEqual(0.05);
    expect(calls / COUNT).toBeLessThanOrEqual(1.15);
  });
});

/** Changes of so many workers, each the next one as soon as its operation is seen to have ended. */
async function runChanges(workers: number, operationMs: number) {
  const clock = createVirtualClock();
  const queue = new RequestQueue({ clock, random: () => 0.5, maxRateLimitMs: 600_000 });
  const limiter = createLimiter(published, clock.now());
  const idle = new AbortController().signal;
  setMaxListeners(0, idle);
  const endsAt = new Map<string, number>();
  let calls = 0;
  let refused = 0;

  const call = async <T>(rank: Rank, answer: () => T): Promise<T> => {
    for (let turn = rank; ; turn = rank === "look" ? "look" : "refused") {
      const permit = await queue.acquire(turn, idle);
      if (!permit) throw new Error("given up");
      calls += 1;
      await clock.sleep(CALL_MS);
      if (limiter(clock.now()) === 0) {
        permit.passed();
        return answer();
      }
      refused += 1;
      permit.refused();
    }
  };
  const shown = (id: string): OperationRecord => {
    const at = new Date(clock.now()).toISOString();
    const status = clock.now() < (endsAt.get(id) ?? 0) ? "running" : "finished";
    const times = { createdAt: at, updatedAt: at, ...(status === "finished" && { totalDurationMs: operationMs }) };
    return { id, projectId: "p", action: "start_compute", status, failuresCount: 0, ...times };
  };
  const waiter = new OperationWaiter(
    {
      getOperation: (_, id) => call("look", () => shown(id)),
      listOperations: () => call("look", () => ({ items: [...endsAt.keys()].map(shown).reverse() })),
      limitUsed: () => queue.used(),
      platformTime: () => undefined,
    },
    clock,
    "p",
  );
  let left = COUNT;
  const worker = async () => {
    for (; left > 0; ) {
      left -= 1;
      const operation = await call("change", () => {
        const id = `op-${left}-${endsAt.size}`;
        endsAt.set(id, clock.now() + operationMs);
        return shown(id);
      });
      const { error } = await waiter.wait([operation], { timeoutMs: 3_600_000 });
      if (error) throw error;
      endsAt.delete(operation.id);
    }
  };
  const beganMs = clock.now();
  await clock.run(Promise.all(Array.from({ length: workers }, worker)));
  return { ms: clock.now() - beganMs, calls, refused };
}
