import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalWorkspace, type PulumiCommand, type PulumiFn, Stack } from "@pulumi/pulumi/automation";
import { version } from "../../package.json";
import { engineBin } from "../../tools/engine/install.mjs";
import { cache, root } from "../../tools/root.mjs";
import { engineEnvironment } from "../engine/support/environment";
import { runPulumi } from "../engine/support/process";
import { type ProcessCost, watchProcess } from "./process-cost";

/** One run of the engine: how long it took, and what the provider's process cost. */
export interface EngineRun {
  wallMs: number;
  cost: ProcessCost;
}

/** The verbs of the engine that are measured. */
export type Verb = "preview" | "up" | "refresh" | "destroy";

/** A folder with a program and a stack of its own, `bench`, on a file backend. */
export interface Workspace {
  /** Replaces the YAML program. */
  write(program: Record<string, unknown>): void;
  /** Runs the engine; rejects with its output when it fails. */
  run(args: string[]): Promise<EngineRun>;
  /** Runs a verb with a function of this process as the program, as the Automation API does. */
  runInline(verb: Verb, program: PulumiFn, parallel: number): Promise<EngineRun>;
  /** The state of the file backend, as it lies there. */
  state(): { resources: Record<string, unknown>[] };
  close(): void;
}

/**
 * Makes a workspace; `env` is added, and `watched` is a part of the command line of the process that is watched. What a stand-in answers
 * with, `outputs`, lies in a file: a fleet's are more than an environment may hold.
 */
export async function createWorkspace(options: {
  env: Record<string, string>;
  watched: string;
  outputs?: Record<string, unknown>;
}): Promise<Workspace> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-"));
  const folders = {
    bin: await engineBin(),
    program: join(folder, "program"),
    backend: join(folder, "backend"),
    home: join(folder, "home"),
  };
  for (const path of [folders.program, folders.backend, join(folders.home, "schemas")])
    mkdirSync(path, { recursive: true });
  // Installed plugins, whose schemas the engine keeps: it need not start them to ask.
  const bins = { pgcompute: join(root, "bin"), benchwait: join(root, "tests/bench/wait-plugin") };
  copyFileSync(join(root, "schema.json"), join(folders.home, "schemas", `pgcompute-${version}.json`));
  const providers = Object.entries(bins).map(([name, path]) => ({ name, path, version }));
  const outputs = join(folder, "outputs.json");
  writeFileSync(outputs, JSON.stringify(options.outputs ?? {}));
  const env = { ...engineEnvironment(folders), BENCH_OUTPUTS: outputs, ...options.env };

  const run = async (args: string[], more: Record<string, string> = {}): Promise<EngineRun> => {
    const watch = watchProcess(options.watched, folders.home);
    const all = [...args, "--non-interactive", "--color", "never"];
    const ended = await runPulumi(folders.bin, all, { cwd: folders.program, env: { ...env, ...more } });
    const cost = watch.stop();
    if (ended.code !== 0) throw new Error(`pulumi ${args.join(" ")} failed (${ended.code}):\n${ended.text}`);
    return { wallMs: ended.durationMs, cost };
  };
  const engineVersion = execFileSync(join(folders.bin, "pulumi"), ["version"], { env, encoding: "utf8" })
    .trim()
    .slice(1);
  const write = (program: Record<string, unknown>) =>
    // JSON is YAML, and a thousand resources parse faster.
    writeFileSync(
      join(folders.program, "Pulumi.yaml"),
      JSON.stringify({ name: "bench", runtime: "yaml", plugins: { providers }, ...program }),
    );

  const runInline = async (verb: Verb, program: PulumiFn, parallel: number): Promise<EngineRun> => {
    write({ runtime: "nodejs" });
    let ended: EngineRun | undefined;
    const command = {
      command: join(folders.bin, "pulumi"),
      // All that is asked of it is its text.
      version: { toString: () => engineVersion },
      async run(args: string[]) {
        // Afterwards the API asks for outputs and history by further processes, which are not measured.
        if (args[0] !== "stack")
          ended = await run(args, { PULUMI_DEBUG_COMMANDS: "true", PULUMI_AUTOMATION_API: "true" });
        return { stdout: args[1] === "history" ? "[]" : "{}", stderr: "", code: 0 };
      },
    };
    const workspace = await LocalWorkspace.create({
      workDir: folders.program,
      program,
      pulumiCommand: command as unknown as PulumiCommand,
      envVars: { PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true" },
    });
    const stack = await Stack.select("bench", workspace);
    await stack[verb]({ parallel });
    if (!ended) throw new Error(`the Automation API ran nothing for ${verb}`);
    return ended;
  };

  write({});
  await run(["stack", "init", "bench"]);
  return {
    write,
    run,
    runInline,
    state() {
      const file = join(folders.backend, ".pulumi/stacks/bench/bench.json");
      return { resources: [], ...JSON.parse(readFileSync(file, "utf8")).checkpoint.latest };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
