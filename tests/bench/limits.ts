import type { EmulatorOptions } from "../../emulator";
import { runAlone } from "./plugin-alone";
import { seconds, type Table } from "./tables";

/** A platform that holds callers back, and how many endpoints are created on it. */
export interface LimitCase {
  name: string;
  count: number;
  emulator: EmulatorOptions;
  /** Calls that may be made at once, and calls a second after that; none for a lock. */
  bucket?: { burst: number; perSecond: number };
}

/** What a limited run took, beside the time that the limit itself dictates. */
export interface LimitRun {
  name: string;
  count: number;
  ms: number;
  calls: number;
  /** Calls answered 423 or 429. */
  refused: number;
  /** What the limit dictates for the calls that were made; for a lock, one operation after the other. */
  dictatedMs: number;
  /** The same creates where nothing holds them back; none beside a lock. */
  freeMs?: number;
}

const PARALLEL = 20;
const OPERATION_MS = 200;
const SECONDS_PER_MINUTE = 60;

const retryAfters = ["none", "seconds"] as const;

/**
 * The limits that are published (specification, section 8, published) and harsher ones, with and without `Retry-After`, and a
 * project-wide lock. Limits by the minute let a small fleet through at once, so that a larger one shows how they hold back.
 */
const limitCases: readonly LimitCase[] = [
  ...retryAfters.flatMap((retryAfter) => [
    perMinute(60, 20, retryAfter),
    perMinute(700, 200, retryAfter),
    perSecond(10, 200, retryAfter),
    perSecond(40, 200, retryAfter),
  ]),
  perMinute(60, 150, "none"),
  perMinute(700, 1_000, "none"),
  { name: "one operation at a time in the project (423)", count: 100, emulator: { lock: "project" } },
];

/** Creates the endpoints of every case through the plugin, 20 at once. */
export async function runLimits(say: (line: string) => void): Promise<LimitRun[]> {
  const free = new Map<number, number>();
  const runs: LimitRun[] = [];
  for (const { name, count, emulator, bucket } of limitCases) {
    if (bucket && !free.has(count)) {
      say(`without a limit, ${count} endpoints`);
      free.set(count, (await create(count, {})).ms);
    }
    say(`limited: ${name}, ${count} endpoints`);
    const { ms, calls, refused } = await create(count, emulator);
    const freeMs = free.get(count);
    const dictatedMs = bucket
      ? (Math.max(0, calls - refused - bucket.burst) / bucket.perSecond) * 1_000
      : count * OPERATION_MS;
    const run = { name, count, ms, calls, refused, dictatedMs };
    runs.push(bucket && freeMs !== undefined ? { ...run, freeMs } : run);
  }
  return runs;
}

/** How much longer than the limit dictates, first. */
export function limitsTable(runs: readonly LimitRun[]): Table {
  return {
    heads: ["platform", "N", "ratio", "refused %", "calls / N", "seconds", "dictated", "without a limit", "refused"],
    rows: runs.map(({ name, count, calls, refused, ms, dictatedMs, freeMs }) => [
      name,
      count,
      dictatedMs === 0 ? "" : (ms / dictatedMs).toFixed(2),
      ((100 * refused) / calls).toFixed(1),
      (calls / count).toFixed(2),
      seconds(ms),
      seconds(dictatedMs),
      freeMs === undefined ? "" : seconds(freeMs),
      refused,
    ]),
  };
}

async function create(count: number, emulator: EmulatorOptions) {
  const options = { count, parallel: PARALLEL, operationMs: OPERATION_MS, emulator, steps: ["create"] as const };
  const [run] = await runAlone(options);
  if (!run) throw new Error("nothing was run");
  return run;
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
