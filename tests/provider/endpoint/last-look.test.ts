import { describe, expect, it } from "vitest";
import type { CallEffect } from "../../../emulator";
import { partial, useCreate } from "./support";

const SPAN_MS = 30_000;
/** Between two of the repeats, which are 5 s apart by then. */
const NEARLY_OVER_MS = 29_000;

const LOST: CallEffect = { kind: "reset", when: "after" };
const asksForPause = { retryAfter: { form: "seconds", seconds: 300 } } as const;

/** A create whose answer is lost while no list shows what it has made, and whose repeats meet the lock of its own start. */
async function useLocked(effect = LOST) {
  const one = await useCreate({ lock: "project", operationMs: 600_000 });
  const { emulator, clock } = one;
  const { admin } = emulator;
  admin.addFault({ route: "endpoints.create", count: 1, effect });
  for (const route of ["branches.endpoints", "endpoints.list", "operations.list"])
    admin.addFault({ route, effect: { kind: "stale-list", ageMs: 600_000 } });
  return {
    ...one,
    /** Does something while the create waits for the lock, for the last time; from then on the lists show all. */
    async atLast(act: () => void): Promise<void> {
      await clock.sleep(NEARLY_OVER_MS);
      admin.clearFaults();
      act();
    },
    /** The answers to its requests. */
    answers: () => admin.log({ route: "endpoints.create" }).map(({ status }) => status),
  };
}

describe("a create whose repeats are refused because of what its lost request began", () => {
  it.each([502, 429])("says what may be there where the last look is answered %i", async (status) => {
    const { bench, make, atLast, answers, clock, emulator, inputs } = await useLocked();
    void atLast(() => emulator.admin.addFault({ method: "GET", effect: { kind: "status", status } }));
    const { message } = await bench.fails(make({}, { timeoutMs: SPAN_MS, deadlineMs: clock.now() + SPAN_MS }));
    expect(message).toContain(`under the name ${bench.on(inputs.branchId)[0]?.name}`);
    expect(message).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    expect(new Set(answers())).toEqual(new Set([0, 423]));
  });

  it.each<[string, CallEffect, number[]]>([
    ["waits for the lock", LOST, [0, 423]],
    ["pauses before the first repeat", { kind: "status", status: 503, when: "after", ...asksForPause }, [503]],
  ])("keeps its endpoint where it is interrupted while it %s", async (_, effect, statuses) => {
    const { bench, make, atLast, answers, emulator, inputs } = await useLocked(effect);
    const interrupt = new AbortController();
    void atLast(() => interrupt.abort());
    const error = await partial(bench.fails(make({}, { signal: interrupt.signal })));
    expect(error).toMatchObject({
      kind: "cancelled",
      id: `${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`,
    });
    expect(new Set(answers())).toEqual(new Set(statuses));
  });

  it("takes five seconds for its last look where it is interrupted, and no more", async () => {
    const { bench, make, atLast, clock, emulator } = await useLocked();
    const interrupt = new AbortController();
    void atLast(() => {
      emulator.admin.addFault({ method: "GET", effect: { kind: "status", status: 429, ...asksForPause } });
      interrupt.abort();
    });
    const beganMs = clock.now();
    const error = await bench.fails(make({}, { signal: interrupt.signal }));
    expect(error).toMatchObject({ kind: "cancelled", remedy: { kind: "maybe_created" } });
    expect(clock.now() - beganMs).toBe(NEARLY_OVER_MS + 5_000);
    expect(clock.sleeping()).toBe(0);
  });
});
