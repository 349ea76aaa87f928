import { describe, expect, it } from "vitest";
import { OperationWaiter } from "../../../../provider/platform/project/operation-waiter";
import type { OperationRecord } from "../../../../provider/platform/records";
import { createVirtualClock } from "../../../support/virtual-clock";

const TIMEOUT = { timeoutMs: 3_600_000 };

describe("once an operation of the action has been seen", () => {
  it.each([
    [200, true],
    [200, false],
    [2_000, true],
    [2_000, false],
    [20_000, true],
  ])("the end of one of about %i ms is seen in time, its duration told: %s", async (meanMs, isTold) => {
    const { waiter, clock, start, looks } = setUp(isTold);
    await clock.run(waiter.wait([start(meanMs)], TIMEOUT));
    const random = sequence(7);
    const late: number[] = [];
    // Ten at a time, each the next one as soon as it is done, as a run of the engine has them.
    const worker = async () => {
      for (let count = 0; count < 20; count += 1) {
        const durationMs = meanMs * (0.7 + 0.6 * random());
        const endMs = clock.now() + durationMs;
        const { error } = await waiter.wait([start(durationMs)], TIMEOUT);
        expect(error).toBeUndefined();
        late.push(clock.now() - endMs);
      }
    };
    const beganMs = clock.now();
    await clock.run(Promise.all(Array.from({ length: 10 }, worker)));
    late.sort((a, b) => a - b);
    expect(late[late.length * 0.5]).toBeLessThanOrEqual(100);
    expect(late[late.length * 0.95]).toBeLessThanOrEqual(250 + 0.1 * meanMs);
    expect(looks()).toBeLessThanOrEqual(20 + (8 * (clock.now() - beganMs)) / 1_000);
  });

  it("several that are due within a moment share a look", async () => {
    const { waiter, clock, start, looks } = setUp(true);
    await clock.run(waiter.wait([start(2_000)], TIMEOUT));
    const before = looks();
    for (let round = 0; round < 10; round += 1) {
      await clock.run(Promise.all(Array.from({ length: 10 }, () => waiter.wait([start(2_000)], TIMEOUT))));
    }
    // A hundred operations, with less than a look for each.
    expect(looks() - before).toBeLessThanOrEqual(60);
  });
});

/** A platform on a steered clock whose operations take as long as they are told to. */
function setUp(isTold: boolean) {
  const clock = createVirtualClock();
  const all = new Map<string, { record: OperationRecord; endMs: number; durationMs: number }>();
  let looks = 0;
  const shown = ({ record, endMs, durationMs }: { record: OperationRecord; endMs: number; durationMs: number }) => {
    if (clock.now() < endMs) return { ...record, status: "running", totalDurationMs: 0 };
    return { ...record, status: "finished", ...(isTold ? { totalDurationMs: durationMs } : {}) };
  };
  const waiter = new OperationWaiter(
    {
      limitUsed: () => 0,
      platformTime: () => undefined,
      async getOperation(_project, id) {
        looks += 1;
        const found = all.get(id);
        if (!found) throw new Error("nobody started it");
        return shown(found);
      },
      async listOperations() {
        looks += 1;
        return { items: [...all.values()].reverse().map(shown) };
      },
    },
    clock,
    "p",
  );
  return {
    waiter,
    clock,
    looks: () => looks,
    start(durationMs: number): OperationRecord {
      const at = new Date(clock.now()).toISOString();
      const times = { createdAt: at, updatedAt: at };
      const id = `op-${all.size}`;
      const record = { id, projectId: "p", action: "start_compute", status: "running", failuresCount: 0, ...times };
      all.set(id, { record, endMs: clock.now() + durationMs, durationMs });
      return record;
    },
  };
}

/** Numbers from 0 to 1 that are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
