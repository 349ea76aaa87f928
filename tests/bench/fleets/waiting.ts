/** Creates by a provider that only waits, for what the engine takes by itself. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { cache } from "../../../tools/root.mjs";
import { type FleetStep, runWaitingFleet } from "../fleet";

/** How many resources the engine changes at a time, in all of these measurements. */
export const PARALLEL = 10;
/** How long the waiting provider takes for each, in milliseconds. */
export const OPERATION_MS = 200;

const KB = 1_024;

/**
 * How long the engine alone takes to create a stack and how large its state gets, in KB. On a file backend of its own,
 * unless `env` names another one; then the size is 0.
 */
export async function createWaiting(
  count: number,
  env: Record<string, string>,
  say: (line: string) => void,
): Promise<FleetStep & { kilobytes: number }> {
  mkdirSync(cache, { recursive: true });
  const backend = mkdtempSync(join(cache, "bench-backend-"));
  try {
    const {
      steps: [step],
    } = await runWaitingFleet({
      count,
      parallel: PARALLEL,
      operationMs: OPERATION_MS,
      // As users have it, with a backup of the state after each run.
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
