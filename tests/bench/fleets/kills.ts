import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "../../../emulator";
import { cache } from "../../../tools/root.mjs";
import type { Table } from "../tables";
import { createWorkspace } from "../workspace";

const COUNT = 40;
const PARALLEL = 10;
const OPERATION_MS = 1_000;
/** The engine is killed as soon as the platform has this many of them. */
const KILL_AT = 25;
const LOOK_MS = 20;

const up = ["up", "--yes", "--skip-preview", "--stack", "bench", "--parallel", String(PARALLEL)];

/** Kills the engine in the middle of a create, with and without checkpoints, and takes up what it left. */
export async function measureKills(say: (line: string) => void): Promise<Table> {
  const rows = [];
  for (const [name, env] of [
    ["saved after every step", {}],
    ["skipped", { PULUMI_SKIP_CHECKPOINTS: "true" }],
  ] as const) {
    say(`killed while checkpoints are ${name}`);
    rows.push([name, ...(await killHalfWay(env))]);
  }
  const heads = ["checkpoints", "made when killed", "known to the state", "unknown", "endpoints after the next up"];
  return { heads, rows };
}

async function killHalfWay(env: Record<string, string>): Promise<number[]> {
  const emulator = await createEmulator({ operationMs: OPERATION_MS });
  const { admin, projectId } = emulator;
  mkdirSync(cache, { recursive: true });
  const backend = mkdtempSync(join(cache, "bench-backend-"));
  const workspace = await createWorkspace({
    env: {
      PGCOMPUTE_API_KEY: emulator.apiKey,
      PGCOMPUTE_BASE_URL: emulator.url,
      PULUMI_BACKEND_URL: `file://${backend}`,
    },
    watched: "pulumi-resource-pgcompute",
  });
  const seeded = admin.project(projectId).endpoints.length;
  const made = () => admin.project(projectId).endpoints.length - seeded;
  try {
    const resources = Object.fromEntries(
      Array.from({ length: COUNT }, (_, index) => [
        `endpoint${index}`,
        {
          type: "pgcompute:index:Endpoint",
          properties: { projectId, branchId: admin.seedBranch(projectId).id, sizeCu: 1 },
        },
      ]),
    );
    workspace.write({ resources });
    const kill = new AbortController();
    const looking = setInterval(() => made() >= KILL_AT && kill.abort(), LOOK_MS);
    await workspace.run(up, { env, kill: kill.signal }).finally(() => clearInterval(looking));
    const madeThen = made();
    const known = knownTo(join(backend, ".pulumi/stacks/bench/bench.json"));
    // The killed engine's lock goes first; what it left is taken up where it is recognised.
    await workspace.run(["cancel", "--yes", "--stack", "bench"]);
    await workspace.run(up, { env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } });
    return [madeThen, known, madeThen - known, made()];
  } finally {
    workspace.close();
    rmSync(backend, { recursive: true, force: true });
    await emulator.close();
  }
}

function knownTo(file: string): number {
  const { checkpoint } = JSON.parse(readFileSync(file, "utf8"));
  const resources: { type: string }[] = checkpoint.latest?.resources ?? [];
  return resources.filter(({ type }) => type === "pgcompute:index:Endpoint").length;
}
