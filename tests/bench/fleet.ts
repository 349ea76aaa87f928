/** The life of N endpoints on the real engine, with the provider or with a stand-in that only waits. */
import { createEmulator } from "../../emulator";
import { type Program, standInFor, toInline, toYaml, type Wanted } from "./programs";
import { createWorkspace, type Verb, type Workspace } from "./workspace";

/** The steps of a fleet's life, in their order, and what the engine is asked for in each. */
const verbs = {
  preview: "preview",
  create: "up",
  "no change": "preview",
  refresh: "refresh",
  update: "up",
  destroy: "destroy",
} as const satisfies Record<string, Verb>;

/** One step of a fleet's life. */
export type StepName = keyof typeof verbs;

/** What one step cost. */
export interface FleetStep {
  step: StepName;
  wallMs: number;
  /** Largest resident size of the provider's process. */
  peakMb: number;
  /** Processor time of the provider's process. */
  processorMs: number;
  /** Calls to the API by route; none for the provider that only waits. */
  calls: Record<string, number>;
  total: number;
  /** Calls answered 4xx or 5xx. */
  refused: number;
}

/** A fleet's life, and what it left in the state after the create. */
export interface FleetRun {
  steps: FleetStep[];
  /** Of the state, for each endpoint, without its spaces and line ends. */
  bytesPerEndpoint: number;
  /** The outputs of one resource, for a stand-in to answer with. */
  outputs: Record<string, unknown>;
}

/** One fleet to run, with its stand-in after it. */
export interface FleetCase {
  program: Program;
  count: number;
  /** How long an operation takes on the platform, in milliseconds. */
  operationMs: number;
  parallel: number;
  /** How many projects the endpoints are spread over; default one. */
  projects?: number;
}

interface FleetOptions extends FleetCase {
  say: (line: string) => void;
}

/** Takes N read-write endpoints, each on a branch of its own, through their life on the real engine. */
export async function runFleet(options: FleetOptions): Promise<FleetRun> {
  const { count, operationMs, program } = options;
  const emulator = await createEmulator({ operationMs });
  const { admin, projectId } = emulator;
  const all = [projectId, ...Array.from({ length: (options.projects ?? 1) - 1 }, () => admin.seedProject().project.id)];
  const projects = Array.from({ length: count }, (_, at) => all[at % all.length] ?? projectId);
  const branches = projects.map((project) => admin.seedBranch(project).id);
  const place = { projectId, branches, ...(all.length > 1 && { projects }) };
  const workspace = await createWorkspace({
    env: { PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url },
    watched: program.process,
  });
  try {
    return await live(workspace, program, place, options, () => {
      const { byRoute: calls, byStatus, total } = admin.counts();
      admin.clearLog();
      const refusals = Object.entries(byStatus).filter(([status]) => Number(status) >= 400);
      return { calls, total, refused: refusals.reduce((sum, [, count]) => sum + count, 0) };
    });
  } finally {
    workspace.close();
    await emulator.close();
  }
}

/**
 * The same life with a provider that only waits as long as an operation and returns these outputs: the engine's own
 * cost.
 */
export async function runWaitingFleet(options: FleetOptions, outputs: Record<string, unknown>): Promise<FleetRun> {
  const program = standInFor(options.program);
  const branches = Array.from({ length: options.count }, (_, index) => `br-${index}`);
  const say = (line: string) => options.say(`${program.name}: ${line}`);
  const nothing = () => ({ calls: {}, total: 0, refused: 0 });
  const env = { BENCH_WAIT_MS: String(options.operationMs) };
  const workspace = await createWorkspace({ env, watched: program.process, outputs });
  try {
    return await live(workspace, program, { projectId: "bench", branches }, { ...options, say }, nothing);
  } finally {
    workspace.close();
  }
}

async function live(
  workspace: Workspace,
  program: Program,
  place: Omit<Wanted, "suspendTimeoutSeconds">,
  { count, parallel, say }: FleetOptions,
  countCalls: () => Pick<FleetStep, "calls" | "total" | "refused">,
): Promise<FleetRun> {
  const run = (verb: Verb, suspendTimeoutSeconds: number, endpoints = place) => {
    const resources = program.declare({ ...endpoints, suspendTimeoutSeconds });
    if (program.language === "TypeScript") return workspace.runInline(verb, toInline(resources), parallel);
    workspace.write(toYaml(resources));
    const flags = verb === "preview" ? [] : ["--yes", "--skip-preview"];
    return workspace.run([verb, ...flags, "--stack", "bench", "--parallel", String(parallel)]);
  };
  // What only the first run of a machine does belongs to no step.
  await run("preview", 600, { ...place, branches: place.branches.slice(0, 1) });
  const result: FleetRun = { steps: [], bytesPerEndpoint: 0, outputs: {} };
  for (const step of Object.keys(verbs) as StepName[]) {
    countCalls();
    const { wallMs, cost } = await run(verbs[step], step === "update" || step === "destroy" ? 900 : 600);
    const counted = countCalls();
    result.steps.push({ step, wallMs, ...cost, ...counted });
    const routes = Object.entries(counted.calls).map(([route, calls]) => `, ${calls} ${route}`);
    const took = `${(wallMs / 1_000).toFixed(1)} s, ${cost.peakMb.toFixed(0)} MB`;
    say(`${count} endpoints, ${step}: ${counted.total} calls, ${took}${routes.join("")}`);
    if (step === "create") Object.assign(result, shapeOf(workspace, program, count));
  }
  return result;
}

function shapeOf(workspace: Workspace, program: Program, count: number) {
  const mine = workspace.state().resources.filter(({ type }) => type === program.type);
  const bytes = mine.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  return { bytesPerEndpoint: bytes / count, outputs: (mine[0]?.outputs ?? {}) as Record<string, unknown> };
}
