import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { cache } from "../../../tools/root.mjs";
import { type FleetStep, runWaitingFleet } from "../fleet";
import { seconds, type Table } from "./section";

const PARALLEL = 10;
const OPERATION_MS = 200;
const KB = 1_024;

/** As users have it, with a backup of the state after each run; and with the engine's switch. */
const ways = [
  { name: "saved after every step", env: {} },
  { name: "skipped", env: { PULUMI_SKIP_CHECKPOINTS: "true" } },
] as const;

/** A stack of a given size, created with and without checkpoints by a provider that only waits. */
export async function measureCheckpoints(say: (line: string) => void): Promise<Table> {
  const rows = [];
  for (const count of [100, 1_000]) {
    let first: number | undefined;
    for (const { name, env } of ways) {
      const { wallMs, kilobytes } = await createWaiting(count, env, (line) => say(`checkpoints ${name}: ${line}`));
      first ??= wallMs;
      const floorMs = Math.ceil(count / PARALLEL) * OPERATION_MS;
      const share = first === wallMs ? "1" : (wallMs / first).toFixed(2);
      rows.push([name, count, seconds(wallMs), seconds(floorMs), share, Math.round(kilobytes)]);
    }
  }
  const heads = ["checkpoints", "resources", "seconds", "floor", "to those saved", "state at the end, KB"];
  return { heads, rows };
}

/** X, in KB; on a file backend unless `env` says
 * otherwise, and then without the size. */
export async function createWaiting(
  count: number,
  env: Record<string, string>,
  say: (line: string) => void,
): Promise<FleetStep & { kilobytes: number }> {
  mkdirSync(cache, { recursive: true });
  const backend = mkdtempSync(join(cache, "bench-backend-"));
  try {
    const [step] = await runWaitingFleet({
      count,
      parallel: PARALLEL,
      operationMs: OPERATION_MS,
      env: {
        PULUMI_BACKEND_URL: `file://${backend}`,
        PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "false",
        ...env,
      },
      steps: ["create"],
      say,
    });
    if (!step) throw new Error("nothing was run");
    const file = join(backend, ".pulumi/stacks/bench/bench.json");
    return { ...step, kilobytes: existsSync(file) ? statSync(file).size / KB : 0 };
  } finally {
    rmSync(backend, { recursive: true, force: true });
  }
}
