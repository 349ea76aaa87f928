import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "../../emulator";
import { engineEnvironment } from "../../tests/engine/support/environment";
import { runPulumi } from "../../tests/engine/support/process";
import { build } from "../build.mjs";
import { engineBin } from "../engine/install.mjs";
import { cache } from "../root.mjs";

/** What the engine printed of a change to a shop's endpoints: for people, in colour, and for `pgcompute review`. */
export interface ReviewScene {
  text: string;
  plan: string;
}

type Endpoints = Record<string, Record<string, unknown>>;

/** Plays the scene on the real engine: a stack with four endpoints, and the preview of a change to all of them. */
export async function playReview(): Promise<ReviewScene> {
  await build({ types: false, ifStale: true });
  const bin = await engineBin();
  const emulator = await createEmulator({ operationMs: 20 });
  const { projectId, url, apiKey, admin } = emulator;
  mkdirSync(cache, { recursive: true });
  const base = mkdtempSync(join(cache, `picture-${process.pid}-`));
  const folders = { bin, program: join(base, "program"), backend: join(base, "backend"), home: join(base, "home") };
  for (const folder of [folders.program, folders.backend, folders.home]) mkdirSync(folder);
  const env = { ...engineEnvironment(folders), PULUMI_CONFIG_PASSPHRASE: "picture" };
  const pulumi = async (...args: string[]) => {
    const ended = await runPulumi(bin, args, { cwd: folders.program, env });
    if (ended.code === 0) return ended.stdout;
    throw new Error(`pulumi ${args.join(" ")} failed:\n${ended.text}`);
  };
  const declare = (endpoints: Endpoints) => {
    const resources = Object.entries(endpoints).map(([name, properties]) => [
      name,
      { type: "pgcompute:index:Endpoint", properties: { projectId, ...properties } },
    ]);
    const program = { name: "shop", runtime: "yaml", resources: Object.fromEntries(resources) };
    writeFileSync(join(folders.program, "Pulumi.yaml"), JSON.stringify(program));
  };
  const branch = (name: string) => admin.seedBranch(projectId, { id: `br-${name}`, name }).id;
  const [checkout, reports, sessions, search, legacy] = ["checkout", "reports", "sessions", "search", "legacy"].map(
    branch,
  );
  try {
    declare({
      checkout: { branchId: checkout, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
      reports: { branchId: reports, type: "read_only", sizeCu: 1 },
      sessions: { branchId: sessions, sizeCu: 1, suspendTimeoutSeconds: 600 },
      legacy: { branchId: legacy, sizeCu: 0.5 },
    });
    await pulumi("stack", "init", "prod");
    await pulumi("config", "set", "pgcompute:baseUrl", url);
    await pulumi("config", "set", "--secret", "pgcompute:apiKey", apiKey);
    await pulumi("up", "--yes", "--skip-preview", "--non-interactive");
    declare({
      checkout: { branchId: checkout, autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 4 },
      reports: { branchId: reports, sizeCu: 2 },
      sessions: { branchId: sessions, sizeCu: 1, suspendTimeoutSeconds: 120 },
      search: { branchId: search, sizeCu: 3, suspendTimeoutSeconds: -1 },
    });
    return {
      text: await pulumi("preview", "--non-interactive", "--color", "always"),
      plan: await pulumi("preview", "--json"),
    };
  } finally {
    await emulator.close();
    rmSync(base, { recursive: true, force: true });
  }
}
