import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation/index.js";
import { createEmulator, type Emulator } from "../../emulator";
import { engineEnvironment } from "../../tests/engine/support/environment";
import { engineBin } from "../engine/install.mjs";
import { linkSelf } from "../link.mjs";
import { cache, root } from "../root.mjs";
import { compileProgram } from "./program";

/** The demo's surroundings: an emulator with a free branch, and the example's stack on the real engine. */
export interface Stage {
  emulator: Emulator;
  /** The branch in the program's configuration, at first without endpoint. */
  branchId: string;
  stack: Stack;
  /** The reason why the endpoints are no Postgres servers; `undefined` if they are. */
  withoutServers: string | undefined;
  /** The engine's version, such as `3.259.0`. */
  engineVersion: string;
  /** Sets the program's stack configuration, by key without namespace. */
  configure(values: Record<string, string>): Promise<void>;
  /** Stops the emulator and removes every folder. */
  close(): Promise<void>;
}

/** Duration of the demo's operations, in milliseconds: long enough to see the wait. */
const OPERATION_MS = 600;
const EXAMPLE = "examples/primary-and-replica";

/** Sets up the stage; stderr shows the progress of a first build of the engine. Leaves nothing behind on failure. */
export async function setStage(): Promise<Stage> {
  linkSelf();
  const bin = await engineBin();
  mkdirSync(cache, { recursive: true });
  // Within the clone, where the program's process and its provider's launcher find their packages.
  const folder = mkdtempSync(join(cache, `demo-${process.pid}-`));
  const folders = {
    bin,
    program: join(folder, "program"),
    backend: join(folder, "backend"),
    home: join(folder, "home"),
  };
  const restore = useEnvironment(engineEnvironment(folders));
  let emulator: Emulator | undefined;
  const close = async () => {
    await emulator?.close();
    restore();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const name of ["backend", "home"] as const) mkdirSync(folders[name]);
    const { name, program } = compileProgram(join(root, EXAMPLE), folders.program);
    const platform = await startPlatform();
    ({ emulator } = platform);
    const { projectId, url, apiKey } = emulator;
    const branchId = emulator.admin.seedBranch(projectId, { name: "demo" }).id;
    const pulumiCommand = withoutUnread(await PulumiCommand.get());
    const stack = await LocalWorkspace.createOrSelectStack(
      { stackName: "dev", projectName: name, program },
      { workDir: folders.program, pulumiCommand },
    );
    const configure = (values: Record<string, string>) =>
      stack.setAllConfig(Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }])));
    await stack.setAllConfig({
      "pgcompute:baseUrl": { value: url },
      "pgcompute:apiKey": { value: apiKey, secret: true },
      projectId: { value: projectId },
      branch: { value: "demo" },
    });
    const engineVersion = String(pulumiCommand.version);
    return { ...platform, branchId, stack, engineVersion, configure, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts the platform with Postgres servers, or without them and with the reason. In CI the servers are required on
 * tested systems.
 */
async function startPlatform(): Promise<Pick<Stage, "emulator" | "withoutServers">> {
  const options = { operationMs: OPERATION_MS };
  try {
    return { emulator: await createEmulator({ ...options, postgres: true }), withoutServers: undefined };
  } catch (error) {
    if (process.env.CI && process.platform !== "win32") throw error;
    const withoutServers = error instanceof Error ? error.message : String(error);
    return { emulator: await createEmulator(options), withoutServers };
  }
}

/** The Automation API's untyped method for running a command. */
interface Runs {
  run(args: string[], ...rest: unknown[]): Promise<unknown>;
}

/** Drops the three further processes with which the Automation API reads outputs and history after each run. */
function withoutUnread(command: PulumiCommand): PulumiCommand {
  const real = command as unknown as Runs;
  const unread: Record<string, string> = { output: "{}", history: "[]" };
  const quick: Runs = {
    async run(args, ...rest) {
      const stdout = args[0] === "stack" ? unread[args[1] ?? ""] : undefined;
      return stdout === undefined ? real.run(args, ...rest) : { stdout, stderr: "", code: 0 };
    },
  };
  return Object.assign(Object.create(command), quick);
}

/** Sets the environment of this process and its children; the result restores the old one. */
function useEnvironment(env: Readonly<Record<string, string>>): () => void {
  const before = { ...process.env };
  const replace = (values: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) if (!(name in values)) delete process.env[name];
    Object.assign(process.env, values);
  };
  replace(env);
  return () => replace(before);
}
