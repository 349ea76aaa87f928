import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { version } from "../../package.json";
import { engineBin } from "../../tools/engine/install.mjs";
import { cache, root } from "../../tools/root.mjs";
import { engineEnvironment, makeFolders } from "../engine/support/environment";
import { INLINE, selectInline } from "../engine/support/inline";
import { runPulumi } from "../engine/support/process";
import { stateFile } from "../engine/support/stack-files";
import { type ProcessCost, watchProcess } from "./process-cost";

/** One run of the engine: how long it took, and what the provider's process cost. */
export interface EngineRun {
  wallMs: number;
  cost: ProcessCost;
}

/** The verbs of the engine that are measured. */
export type Verb = "preview" | "up" | "refresh" | "destroy";

/** A folder with a program and a stack of its own, `bench`, on a file backend. */
export type Workspace = Awaited<ReturnType<typeof createWorkspace>>;

/**
 * Creates a workspace; `env` is added, and `watched` is part of the watched process's command line. A stand-in's
 * `outputs` go to a file, as a fleet's are too large for the environment.
 */
export async function createWorkspace(options: {
  env: Record<string, string>;
  watched: string;
  outputs?: Record<string, unknown>;
}) {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-"));
  const folders = makeFolders(await engineBin(), folder);
  // Installed plugins, whose schemas the engine keeps: it need not start them to ask.
  const bins = { pgcompute: join(root, "bin"), benchwait: join(root, "tests/bench/wait-plugin") };
  mkdirSync(join(folders.home, "schemas"));
  copyFileSync(join(root, "schema.json"), join(folders.home, "schemas", `pgcompute-${version}.json`));
  const providers = Object.entries(bins).map(([name, path]) => ({ name, path, version }));
  const outputs = join(folder, "outputs.json");
  writeFileSync(outputs, JSON.stringify(options.outputs ?? {}));
  const env = { ...engineEnvironment(folders), BENCH_OUTPUTS: outputs, ...options.env };

  /** Runs the engine; rejects with its output when it fails. */
  const run = async (args: string[], more: Record<string, string> = {}): Promise<EngineRun> => {
    const watch = watchProcess(options.watched, folders.home);
    const all = [...args, "--non-interactive", "--color", "never"];
    const ended = await runPulumi(folders.bin, all, { cwd: folders.program, env: { ...env, ...more } });
    const cost = watch.stop();
    if (ended.code !== 0) throw new Error(`pulumi ${args.join(" ")} failed (${ended.code}):\n${ended.text}`);
    return { wallMs: ended.durationMs, cost };
  };
  /** Replaces the YAML program. */
  const write = (program: Record<string, unknown>) =>
    // JSON is YAML, and a thousand resources parse faster.
    writeFileSync(
      join(folders.program, "Pulumi.yaml"),
      JSON.stringify({ name: "bench", runtime: "yaml", plugins: { providers }, ...program }),
    );

  /** Runs a verb with a function of this process as the program, as the Automation API does. */
  const runInline = async (verb: Verb, program: PulumiFn, parallel: number): Promise<EngineRun> => {
    write({ runtime: "nodejs" });
    let ended: EngineRun | undefined;
    const stack = await selectInline(folders, "bench", program, async (args) => {
      ended = await run(args, INLINE);
    });
    await stack[verb]({ parallel });
    if (!ended) throw new Error(`the Automation API ran nothing for ${verb}`);
    return ended;
  };

  write({});
  await run(["stack", "init", "bench"]);
  return {
    ...{ write, run, runInline },
    /** The state of the file backend, as it lies there. */
    state(): { resources: Record<string, unknown>[] } {
      const text = readFileSync(stateFile(folders, "bench", "bench"), "utf8");
      return { resources: [], ...JSON.parse(text).checkpoint.latest };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
