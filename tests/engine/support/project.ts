import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { inject } from "vitest";
import { version } from "../../../package.json";
import { root } from "../../../tools/root.mjs";
import { engineEnvironment, type Folders } from "./environment";
import { runPulumi } from "./process";
import type { Ended } from "./run";
import { inlineStack, type Stack, yamlStack } from "./stack";
import { copyTemplate, writeConfig } from "./template";

/** What a project starts with. */
export interface ProjectOptions {
  /** The project's name, a part of every URN; `engine-test` by default. */
  name?: string;
  /** Stack configuration by full key (`pgcompute:baseUrl`); a value in `{ secret }` is kept encrypted. */
  config?: Record<string, string | { secret: string }>;
  /** Further environment variables of every engine process; undefined takes one away. */
  env?: Record<string, string | undefined>;
}

/** A Pulumi program's folder with a stack of its own, `dev`, shared with no other test. */
export interface Project {
  readonly name: string;
  readonly folders: Folders;
  readonly env: Readonly<Record<string, string>>;
  /** The stack with a program in this process as its program. */
  stack(program: PulumiFn): Stack;
  /** The stack with a YAML program (`resources`, `outputs`, `variables`, ...); name and runtime are added. */
  yaml(program: Record<string, unknown>): Stack;
  /** Runs `pulumi` as a person would, `--stack` not included. Does not reject on an exit code. */
  cli(args: string[], options?: CliOptions): Promise<Ended>;
  /** Sets stack configuration, as `ProjectOptions.config` does. */
  setConfig(config: NonNullable<ProjectOptions["config"]>): Promise<void>;
  /** The state as it lies in the backend: secrets encrypted. Undefined resources mean an empty stack. */
  exportState(): Deployment;
  /** The very text of the state's file, to look for what must not be in it. */
  stateText(): string;
  /** Puts another state in its place; secrets may be in plain text. */
  importState(deployment: Deployment): void;
  /** Removes the project's folders, unless PGCOMPUTE_KEEP is set. */
  close(): void;
}

/** How a `cli` call differs from the project's way. */
export interface CliOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  signal?: AbortSignal;
  onText?: (text: string) => void;
}

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
  initErrors?: string[];
  protect?: boolean;
  taint?: boolean;
}

/**
 * The plugin of this tree, as an installed one of its version: so the engine finds the schema where it keeps those of plugins that
 * it knows, and need not start the plugin once more in each run to ask for it.
 */
const plugins = { providers: [{ name: "pgcompute", path: join(root, "bin"), version }] };

/** Makes a project with an empty stack `dev`: a folder in the clone, a state of plain files, no account, no network. */
export async function createProject(options: ProjectOptions = {}): Promise<Project> {
  const name = options.name ?? "engine-test";
  const base = join(inject("engineRunFolder"), `${name}-${randomBytes(4).toString("hex")}`);
  const folders: Folders = {
    bin: inject("engineBin"),
    program: join(base, "program"),
    backend: join(base, "backend"),
    home: join(base, "home"),
  };
  for (const folder of [folders.program, folders.backend, folders.home]) mkdirSync(folder, { recursive: true });
  const env = merge({ ...engineEnvironment(folders), ...inject("engineKeys") }, options.env);
  const stateFile = join(folders.backend, ".pulumi", "stacks", name, "dev.json");
  const stateText = () => readFileSync(stateFile, "utf8");
  const saveProgram = (program: Record<string, unknown>) =>
    // JSON is YAML.
    writeFileSync(join(folders.program, "Pulumi.yaml"), `${JSON.stringify({ name, ...program }, null, 2)}\n`);

  const project: Project = {
    name,
    folders,
    env,
    stack(program) {
      saveProgram({ runtime: "nodejs" });
      return inlineStack(project, program);
    },
    yaml(program) {
      saveProgram({ runtime: "yaml", plugins, ...program });
      return yamlStack(project);
    },
    cli: (args, { cwd = folders.program, env: more, signal, onText } = {}) =>
      runPulumi(folders.bin, args, { cwd, env: merge(env, more), signal, onText }),
    async setConfig(config) {
      const secrets = writeConfig(inject("engineTemplate"), folders, config);
      const entries = Object.entries(secrets).flatMap(([key, value]) =>
        typeof value === "string" ? [] : ["--secret", `${key}=${value.secret}`],
      );
      if (entries.length > 0) await mustSucceed(project, ["config", "set-all", "--stack", "dev", ...entries]);
    },
    exportState() {
      const deployment = JSON.parse(stateText()).checkpoint.latest as Partial<Deployment> | null;
      return { ...deployment, resources: deployment?.resources ?? [] };
    },
    stateText,
    importState(latest) {
      const state = JSON.parse(stateText());
      writeFileSync(stateFile, JSON.stringify({ ...state, checkpoint: { ...state.checkpoint, latest } }));
    },
    close() {
      // A process of a run that was killed may write there for a moment yet.
      if (!process.env.PGCOMPUTE_KEEP) rmSync(base, { recursive: true, force: true, maxRetries: 10 });
    },
  };

  mkdirSync(join(folders.home, "schemas"));
  copyFileSync(join(root, "schema.json"), join(folders.home, "schemas", `pgcompute-${version}.json`));
  copyTemplate(inject("engineTemplate"), folders, name);
  saveProgram({ runtime: "nodejs" });
  if (options.config) await project.setConfig(options.config);
  return project;
}

async function mustSucceed(project: Project, args: string[]): Promise<void> {
  const ended = await project.cli([...args, "--non-interactive"]);
  if (ended.code !== 0) throw new Error(`pulumi ${args.slice(0, 2).join(" ")} failed:\n${ended.text}`);
}

function merge(env: Record<string, string>, more: Record<string, string | undefined> = {}): Record<string, string> {
  const entries = Object.entries({ ...env, ...more });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
