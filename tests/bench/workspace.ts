import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineBin } from "../../tools/engine/install.mjs";
import { cache, root } from "../../tools/root.mjs";
import { engineEnvironment } from "../engine/support/environment";
import { type MemoryPeak, watchMemory } from "./memory";

/** One run of the engine: how long it took and the largest resident size of the provider's process. */
export interface EngineRun {
  wallMs: number;
  peak: MemoryPeak;
}

/** How one run of the engine differs from the others of its workspace. */
export interface EngineRunOptions {
  env?: Record<string, string>;
  /** Kills the engine as a pipeline's runner does (SIGKILL). Such a run does not reject. */
  kill?: AbortSignal;
}

/** A folder with a YAML program and a stack of its own on a file backend. */
export interface Workspace {
  /** Replaces the program. */
  write(program: Record<string, unknown>): void;
  /** Runs the engine; rejects with its output when it fails. */
  run(args: string[], options?: EngineRunOptions): Promise<EngineRun>;
  close(): void;
}

/** Makes a workspace; `bin` is put first on PATH, `env` is added, and `process` names the process whose memory is watched. */
export async function createWorkspace(options: {
  bin?: string;
  env: Record<string, string>;
  watched: string;
}): Promise<Workspace> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-"));
  const folders = {
    bin: await engineBin(),
    program: join(folder, "program"),
    backend: join(folder, "backend"),
    home: join(folder, "home"),
  };
  for (const name of ["program", "backend", "home"] as const) mkdirSync(folders[name]);
  const inherited = engineEnvironment(folders);
  const path = [options.bin ?? join(root, "bin"), inherited.PATH].join(":");
  const env = { ...inherited, ...options.env, PATH: path };
  const run = async (args: string[], { env: more, kill }: EngineRunOptions = {}): Promise<EngineRun> => {
    const started = performance.now();
    const child = spawn(join(folders.bin, "pulumi"), [...args, "--non-interactive", "--color", "never"], {
      cwd: folders.program,
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    kill?.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
    const memory = watchMemory(options.watched, folders.home);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        text = (text + chunk.toString()).slice(-100_000);
      });
    }
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    const peak = memory.stop();
    if (code !== 0 && !kill?.aborted) throw new Error(`pulumi ${args.join(" ")} failed (${code}):\n${text}`);
    return { wallMs: performance.now() - started, peak };
  };
  const write = (program: Record<string, unknown>) =>
    // JSON is YAML, and a thousand resources parse faster.
    writeFileSync(join(folders.program, "Pulumi.yaml"), JSON.stringify({ name: "bench", runtime: "yaml", ...program }));
  write({});
  await run(["stack", "init", "bench"]);
  return { write, run, close: () => rmSync(folder, { recursive: true, force: true }) };
}
