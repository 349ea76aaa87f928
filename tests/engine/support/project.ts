import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { inject } from "vitest";
import { version } from "../../../package.json";
import { root } from "../../../tools/root.mjs";
import { engineEnvironment, makeFolders } from "./environment";
import { type ProcessOptions, runPulumi } from "./process";
import type { Ended } from "./run";
import { inlineStack, type Stack, yamlStack } from "./stack";
import { type Config, makeStack, stateFile, writeConfig } from "./stack-files";

/** What a project starts with. */
export interface ProjectOptions {
  /** The project's name, a part of every URN; `engine-test` by default. */
  name?: string;
  config?: Config;
  /** Further environment variables of every engine process; undefined takes one away. */
  env?: Record<string, string | undefined>;
}

/** A Pulumi program's folder with a stack of its own, `dev`, shared with no other test. */
export type Project = ReturnType<typeof createProject>;

/** How a `cli` call differs from the project's way. */
type CliOptions = Partial<Pick<ProcessOptions, "cwd" | "onText">> & Pick<ProjectOptions, "env">;

/** The part of a state that tests look at. */
export interface Deployment {
  resources: StateResource[];
  pending_operations?: unknown[];
}

/** A resource as it lies in the state. */
export interface StateResource {
  urn: string;
  type: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  protect?: boolean;
  taint?: boolean;
  delete?: boolean;
}

/**
 * This tree's plugin, as installed in its version: the engine then finds its schema in the cache, and need not start
 * the plugin for it in each run.
 */
const plugins = { providers: [{ name: "pgcompute", path: join(root, "bin"), version }] };

/** Makes a project with an empty stack `dev`: a folder in the clone, a state of plain files, no account, no network. */
export function createProject({ name = "engine-test", config = {}, env: given }: ProjectOptions = {}) {
  const base = join(inject("engineRunFolder"), `${name}-${randomBytes(4).toString("hex")}`);
  const folders = makeFolders(inject("engineBin"), base);
  const env = merge({ ...quickened(engineEnvironment(folders)), ...inject("engineKeys") }, given);
  const state = stateFile(folders, name);
  const stateText = () => readFileSync(state, "utf8");
  const saveProgram = (program: Record<string, unknown>) =>
    // JSON is YAML.
    writeFileSync(join(folders.program, "Pulumi.yaml"), `${JSON.stringify({ name, ...program }, null, 2)}\n`);

  const project = {
    name,
    folders,
    env,
    /** The stack with a program in this process as its program. */
    stack(program: PulumiFn): Stack {
      saveProgram({ runtime: "nodejs" });
      return inlineStack(project, program);
    },
    /** The stack with a YAML program (`resources`, `outputs`, `variables`, ...); name and runtime are added. */
    yaml(program: Record<string, unknown>): Stack {
      saveProgram({ runtime: "yaml", plugins, ...program });
      return yamlStack(project);
    },
    /** Runs `pulumi` as a person would, `--stack` not included. Does not reject on an exit code. */
    cli: (args: string[], { cwd = folders.program, env: more, onText }: CliOptions = {}): Promise<Ended> =>
      runPulumi(folders.bin, args, { cwd, env: merge(env, more), onText }),
    /** Runs `pulumi` on the stack as a person who says yes. Rejects with all that it wrote where it fails. */
    async pulumi(...args: string[]): Promise<Ended> {
      const ended = await project.cli([...args, "--yes", "--stack", "dev", "--non-interactive"]);
      if (ended.code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${ended.text}`);
      return ended;
    },
    /** Sets stack configuration, as `ProjectOptions.config` does. */
    setConfig: (more: Config) => writeConfig(folders, more),
    /** The stack's outputs of the last run. */
    outputs: (): Record<string, unknown> =>
      project.exportState().resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {},
    /** The state as it lies in the backend: secrets encrypted. Undefined resources mean an empty stack. */
    exportState(): Deployment {
      const deployment = JSON.parse(stateText()).checkpoint.latest as Partial<Deployment>;
      return { ...deployment, resources: deployment.resources ?? [] };
    },
    /** The very text of the state's file, to look for what must not be in it. */
    stateText,
    /** Puts another state in its place; secrets may be in plain text. */
    importState(latest: Deployment) {
      const whole = JSON.parse(stateText());
      writeFileSync(state, JSON.stringify({ ...whole, checkpoint: { ...whole.checkpoint, latest } }));
    },
    /** Removes the project's folders, unless PGCOMPUTE_KEEP is set. */
    close() {
      // A process of a run that was killed may write there for a moment yet.
      if (!process.env.PGCOMPUTE_KEEP) rmSync(base, { recursive: true, force: true, maxRetries: 10 });
    },
  };

  mkdirSync(join(folders.home, "schemas"));
  copyFileSync(join(root, "schema.json"), join(folders.home, "schemas", `pgcompute-${version}.json`));
  makeStack(folders, name);
  saveProgram({ runtime: "nodejs" });
  project.setConfig(config);
  return project;
}

/** Less work for the same run: a launcher of dynamic providers that starts sooner, and a collector that works seldom. */
function quickened(env: Record<string, string>): Record<string, string> {
  const launcher = join(root, "tests/engine/support/launcher");
  return { ...env, GOGC: "400", PATH: [launcher, env.PATH].join(delimiter) };
}

function merge(env: Record<string, string>, more: Record<string, string | undefined> = {}): Record<string, string> {
  const entries = Object.entries({ ...env, ...more });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
