import type { EmulatorOptions } from "../../emulator";
import { type AloneRun, runAlone } from "./plugin-alone";

/** A platform that holds callers back, and how many endpoints are created on it. */
export interface LimitCase {
  name: string;
  count: number;
  emulator: EmulatorOptions;
  /** Calls that may be made at once, and calls a second after that; none for a lock. */
  bucket?: { burst: number; perSecond: number };
}

/** What a limited run took, beside the time that the limit itself dictates. */
export interface LimitRun extends AloneRun {
  name: string;
  dictatedMs: number;
}

const PARALLEL = 20;
const OPERATION_MS = 200;
const SECONDS_PER_MINUTE = 60;

const retryAfters = ["none", "seconds"] as const;

/** The limits of the public facts and harsher ones, with and without `Retry-After`, and a project-wide lock. */
export const limitCases: readonly LimitCase[] = [
  ...retryAfters.flatMap((retryAfter) => [
    perMinute(60, 20, retryAfter),
    perMinute(700, 200, retryAfter),
    perSecond(10, 200, retryAfter),
    perSecond(40, 200, retryAfter),
  ]),
  { name: "one operation at a time in the project (423)", count: 100, emulator: { lock: "project" } },
];

/** Creates the endpoints of a case through the plugin, `parallel` at once. */
export async function runLimited(one: LimitCase): Promise<LimitRun> {
  const run = await runAlone(one.count, PARALLEL, OPERATION_MS, one.emulator);
  const { bucket } = one;
  const dictatedMs = bucket
    ? Math.max(
        (Math.max(0, run.calls - run.refused - bucket.burst) / bucket.perSecond) * 1_000,
        (one.count / PARALLEL) * OPERATION_MS,
      )
    : one.count * OPERATION_MS;
  return { ...run, name: one.name, dictatedMs };
}

function perMinute(calls: number, count: number, retryAfter: "none" | "seconds"): LimitCase {
  return {
    name: `${calls} calls a minute, ${naming(retryAfter)}`,
    count,
    emulator: { rateLimit: { perMinute: calls, retryAfter } },
    bucket: { burst: calls, perSecond: calls / SECONDS_PER_MINUTE },
  };
}

function perSecond(calls: number, count: number, retryAfter: "none" | "seconds"): LimitCase {
  return {
    name: `${calls} calls a second, ${naming(retryAfter)}`,
    count,
    emulator: { rateLimit: { perSecond: calls, retryAfter } },
    bucket: { burst: calls, perSecond: calls },
  };
}

function naming(retryAfter: "none" | "seconds"): string {
  return retryAfter === "none" ? "no Retry-After" : "with Retry-After";
}
