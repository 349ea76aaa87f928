import { createEmulator } from "../../emulator";
import { createWorkspace, type EngineRun } from "./workspace";

/** What one step of a fleet's life cost. */
export interface FleetStep {
  step: "preview of a new program" | "create" | "preview with no change" | "refresh" | "update of all" | "destroy";
  wallMs: number;
  peakMb: number;
  /** Calls by route. */
  calls: Record<string, number>;
  /** Calls to the API in all. */
  total: number;
  /** Calls answered 4xx or 5xx. */
  refused: number;
}

/** How a fleet is run. */
export interface FleetOptions {
  count: number;
  parallel: number;
  /** How long an operation takes on the platform, in milliseconds. */
  operationMs: number;
  say: (line: string) => void;
}

/** Takes N read-write endpoints, each on a branch of its own in one project, through their life on the real engine. */
export async function runFleet({ count, parallel, operationMs, say }: FleetOptions): Promise<FleetStep[]> {
  const emulator = await createEmulator({ operationMs });
  const { admin, projectId } = emulator;
  const branches = Array.from({ length: count }, () => admin.seedBranch(projectId).id);
  const workspace = await createWorkspace({
    env: { PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url },
    watched: "pulumi-resource-pgcompute",
  });
  const program = (suspendTimeoutSeconds: number) => ({
    resources: Object.fromEntries(
      branches.map((branchId, index) => [
        `endpoint${index}`,
        { type: "pgcompute:index:Endpoint", properties: { projectId, branchId, sizeCu: 1, suspendTimeoutSeconds } },
      ]),
    ),
  });
  const steps: FleetStep[] = [];
  const step = async (name: FleetStep["step"], args: string[]) => {
    admin.clearLog();
    const run: EngineRun = await workspace.run([...args, "--stack", "bench", "--parallel", String(parallel)]);
    const log = admin.log();
    const calls: Record<string, number> = {};
    for (const { route } of log) calls[route ?? "unknown"] = (calls[route ?? "unknown"] ?? 0) + 1;
    const refused = log.filter(({ status }) => Number(status) >= 400).length;
    steps.push({ step: name, wallMs: run.wallMs, peakMb: run.peak.megabytes, calls, total: log.length, refused });
    say(
      `${count} endpoints, ${name}: ${log.length} calls, ${(run.wallMs / 1_000).toFixed(1)} s ${JSON.stringify(calls)}`,
    );
  };
  try {
    workspace.write(program(600));
    await step("preview of a new program", ["preview"]);
    await step("create", ["up", "--yes", "--skip-preview"]);
    await step("preview with no change", ["preview"]);
    await step("refresh", ["refresh", "--yes", "--skip-preview"]);
    workspace.write(program(900));
    await step("update of all", ["up", "--yes", "--skip-preview"]);
    await step("destroy", ["destroy", "--yes", "--skip-preview"]);
  } finally {
    workspace.close();
    await emulator.close();
  }
  return steps;
}
