import { describe, expect, it } from "vitest";
import { useCreate } from "./support";

const SPAN_MS = 30_000;
/** Between two of the repeats, which are 5 s apart by then. */
const NEARLY_OVER_MS = 29_000;

/** A create whose answer is lost while no list shows what it has made, and whose repeats meet the lock of its own start. */
async function useLocked() {
  const one = await useCreate({ lock: "project", operationMs: 600_000 });
  const { emulator, clock } = one;
  const { admin } = emulator;
  admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
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
});
