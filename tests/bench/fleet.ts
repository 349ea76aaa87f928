import { join } from "node:path";
import { createEmulator, type EmulatorOptions } from "../../emulator";
import { root } from "../../tools/root.mjs";
import { createWorkspace, type Workspace } from "./workspace";

/** The steps of a fleet's life, in their order. */
export const fleetSteps = [
  "preview of a new program",
  "create",
  "preview with no change",
  "refresh",
  "update of all",
  "destroy",
] as const;

/** One step of a fleet's life. */
export type StepName = (typeof fleetSteps)[number];

/** What one step cost. */
export interface FleetStep {
  step: StepName;
  wallMs: number;
  /** Largest resident size of the provider's process. */
  peakMb: number;
  /** Calls to the API by route; none for the provider that only waits. */
  calls: Record<string, number>;
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
  /** Further options of the emulator. */
  emulator?: EmulatorOptions;
  /** Further environment variables of the engine. */
  env?: Record<string, string>;
  /** Which steps to run; default all. */
  steps?: readonly StepName[];
  say: (line: string) => void;
}

/** Takes N read-write endpoints, each on a branch of its own in one project, through their life on the real engine. */
export async function runFleet(options: FleetOptions): Promise<FleetStep[]> {
  const { count, operationMs } = options;
  const emulator = await createEmulator({ operationMs, ...options.emulator });
  const { admin, projectId } = emulator;
  const branches = Array.from({ length: count }, () => admin.seedBranch(projectId).id);
  const workspace = await createWorkspace({
    env: { PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url, ...options.env },
    watched: "pulumi-resource-pgcompute",
  });
  const program = (suspendTimeoutSeconds: number) =>
    fleetOf("pgcompute:index:Endpoint", branches, { projectId, sizeCu: 1, suspendTimeoutSeconds });
  try {
    return await live(workspace, program, options, () => {
      const log = admin.log();
      admin.clearLog();
      const calls: Record<string, number> = {};
      for (const { route } of log) calls[route ?? "unknown"] = (calls[route ?? "unknown"] ?? 0) + 1;
      return { calls, total: log.length, refused: log.filter(({ status }) => Number(status) >= 400).length };
    });
  } finally {
    workspace.close();
    await emulator.close();
  }
}

/** The same life with a provider that only waits as long as an operation: the engine's own cost. */
export async function runWaitingFleet(options: FleetOptions): Promise<FleetStep[]> {
  const workspace = await createWorkspace({
    bin: join(root, "tests/bench/wait-plugin"),
    env: { BENCH_WAIT_MS: String(options.operationMs), ...options.env },
    watched: "pulumi-resource-benchwait",
  });
  const branches = Array.from({ length: options.count }, (_, index) => `br-${index}`);
  const program = (suspendTimeoutSeconds: number) =>
    fleetOf("benchwait:index:Endpoint", branches, { projectId: "bench", sizeCu: 1, suspendTimeoutSeconds });
  try {
    return await live(workspace, program, options, () => ({ calls: {}, total: 0, refused: 0 }));
  } finally {
    workspace.close();
  }
}

function fleetOf(type: string, branches: readonly string[], properties: Record<string, unknown>) {
  return {
    resources: Object.fromEntries(
      branches.map((branchId, index) => [`endpoint${index}`, { type, properties: { ...properties, branchId } }]),
    ),
  };
}

type Counted = Pick<FleetStep, "calls" | "total" | "refused">;

async function live(
  workspace: Workspace,
  program: (suspendTimeoutSeconds: number) => Record<string, unknown>,
  { count, parallel, say, steps: wanted = fleetSteps }: FleetOptions,
  countCalls: () => Counted,
): Promise<FleetStep[]> {
  const up = ["up", "--yes", "--skip-preview"];
  const commands: Record<StepName, string[]> = {
    "preview of a new program": ["preview"],
    create: up,
    "preview with no change": ["preview"],
    refresh: ["refresh", "--yes", "--skip-preview"],
    "update of all": up,
    destroy: ["destroy", "--yes", "--skip-preview"],
  };
  const steps: FleetStep[] = [];
  for (const step of wanted) {
    workspace.write(program(step === "update of all" || step === "destroy" ? 900 : 600));
    countCalls();
    const run = await workspace.run([...commands[step], "--stack", "bench", "--parallel", String(parallel)]);
    const counted = countCalls();
    steps.push({ step, wallMs: run.wallMs, peakMb: run.peak.megabytes, ...counted });
    say(`${count} endpoints, ${step}: ${counted.total} calls, ${(run.wallMs / 1_000).toFixed(1)} s`);
  }
  return steps;
}
