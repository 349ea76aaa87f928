/** Calls that the emulator holds, so that a run can be struck at a chosen moment. */
import { vi } from "vitest";
import type { Bench } from "../../support/platform";

/**
 * Where a change stands when its run is struck: its request has arrived and nothing is done; it is done and not
 * answered; it is answered and its operations run.
 */
export type Moment = "before" | "after" | "waiting";

/** All of them. */
export const moments: readonly Moment[] = ["before", "after", "waiting"];

/** Which calls are to be in flight at a moment. */
export interface Hold {
  method: "POST" | "PATCH" | "DELETE";
  /** The end of the call's path below the API's. */
  path: string;
  moment: Moment;
  /** How many of the calls; 1 by default. */
  count?: number;
  /** How many to let pass to the holds before this one. */
  skip?: number;
}

/** Longer than any test, on the emulator's clock: only `release` ends it. */
const HOLD_MS = 60_000;

/**
 * Holds these calls, and every operation. Where the calls are to be answered at last, `release` lets them; else they
 * are cut when the other side goes, and what was not done never is.
 */
export function hold(
  { emulator: { admin } }: Bench,
  holds: readonly Hold[],
  { answered }: { answered: boolean },
): void {
  admin.clearFaults();
  admin.clearLog();
  admin.addFault({ on: "operation", effect: { kind: "slow", operationMs: HOLD_MS } });
  for (const { method, path, moment, count = 1, skip = 0 } of holds) {
    if (moment === "waiting") continue;
    const effect = answered
      ? ({ kind: "delay", ms: HOLD_MS, when: moment } as const)
      : ({ kind: "stall-headers", when: moment } as const);
    admin.addFault({ method, path: `*${path}`, count, skip, effect });
  }
}

/** Resolves when exactly these calls are in flight or, where they only wait for operations, answered. */
export async function untilInFlight({ emulator: { admin } }: Bench, holds: readonly Hold[]): Promise<void> {
  const wanted = (filter: (one: Hold) => boolean) =>
    holds.filter(filter).reduce((sum, { count = 1 }) => sum + count, 0);
  const held = wanted(({ moment }) => moment !== "waiting");
  await vi.waitFor(
    () => {
      const calls = admin.log().filter(({ method }) => method !== "GET");
      const open = calls.filter(({ status }) => status === 0);
      if (calls.length !== wanted(() => true) || open.length !== held) {
        const seen = calls.map(({ method, path, status, faults }) => `${method} ${path} ${status} ${faults}`);
        throw new Error(
          `${open.length} of ${held} held, ${calls.length} of ${wanted(() => true)}:\n${seen.join("\n")}`,
        );
      }
    },
    { timeout: 120_000, interval: 10 },
  );
}

/** Answers what is held, and lets every operation end, those too that follow on another. */
export function release({ emulator: { admin } }: Bench): void {
  admin.clearFaults();
  do admin.advance(HOLD_MS);
  while (admin.state().projects.some(({ operations }) => operations.some(({ status }) => isOpen(status))));
}

/** Lets the operations of the struck run end as soon as somebody asks about operations, and not before. */
export async function releaseWhenAsked<T>(bench: Bench, run: Promise<T>): Promise<T> {
  const { admin } = bench.emulator;
  admin.clearFaults();
  admin.clearLog();
  const timer = setInterval(() => {
    if (!admin.log().some(({ route }) => route.startsWith("operations."))) return;
    clearInterval(timer);
    release(bench);
  }, 10);
  try {
    return await run;
  } finally {
    clearInterval(timer);
    release(bench);
  }
}

function isOpen(status: string): boolean {
  return status === "scheduling" || status === "running";
}
