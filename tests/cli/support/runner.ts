/** A runner like those of GitHub and GitLab, which plays the scripts of the examples' workflows. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { temporaryFolder } from "../../support/temporary-folder";

/** A workflow file, as far as tests look at it. */
interface Workflow {
  on: Record<string, { types?: string[] } | null>;
  env?: Record<string, string>;
  permissions: Record<string, string>;
  defaults?: { run?: { shell?: string } };
  jobs: Record<string, WorkflowJob>;
}

interface WorkflowJob {
  steps: {
    name?: string;
    run?: string;
    uses?: string;
    env?: Record<string, string>;
    with?: Record<string, unknown>;
  }[];
  if?: string;
  environment?: string;
  env?: Record<string, string>;
}

/** Where the examples are. */
export const examples = join(root, "examples");

/** Every workflow of every example, by its path in `examples`. */
export const workflows = readdirSync(examples).flatMap((example) => {
  const folder = join(example, ".github/workflows");
  return existsSync(join(examples, folder))
    ? readdirSync(join(examples, folder)).map((file) => join(folder, file))
    : [];
});

/** A workflow of an example, by its path in `examples`. */
export function readWorkflow(path: string): Workflow {
  return parse(readFileSync(join(examples, path), "utf8"));
}

/** The script of a step, as the workflow has it. */
export function scriptOf(path: string, name: string): string {
  const steps = Object.values(readWorkflow(path).jobs).flatMap((job) => job.steps);
  const script = steps.find((step) => step.name === name)?.run;
  if (script === undefined) throw new Error(`${path} has no step "${name}" with a script`);
  return script;
}

/** A step of the action: its script, and its environment for these inputs. The caller adds the outputs of steps. */
export function actionStep(name: string, given: Record<string, string> = {}) {
  const { inputs, runs } = readAction();
  const step = runs.steps.find((one) => one.name === name);
  if (!step) throw new Error(`action.yml has no step "${name}"`);
  const env = Object.entries(step.env ?? {}).map(([variable, value]) => {
    const filled = value.replaceAll(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, input) => given[input] ?? inputs[input]?.default ?? "",
    );
    return [variable, filled] as const;
  });
  return { script: step.run, env: Object.fromEntries(env.filter(([, value]) => !value.includes("${{"))) };
}

/** The action, as far as tests look at it. */
export function readAction() {
  const action: {
    inputs: Record<string, { default?: string; required?: boolean }>;
    runs: { steps: { name: string; run: string; shell: string; env?: Record<string, string> }[] };
  } = parse(readFileSync(join(root, "action.yml"), "utf8"));
  return action;
}

/** The script of a job of GitLab's pipeline, with what it has of the job that it extends. */
export function gitlabScript(name: string): string {
  const file: Record<string, { extends?: string; script?: string[]; variables?: Record<string, string> }> = parse(
    readFileSync(join(examples, "pipeline/.gitlab-ci.yml"), "utf8"),
  );
  const script = file[name]?.script ?? file[file[name]?.extends ?? ""]?.script;
  if (!script) throw new Error(`.gitlab-ci.yml has no job "${name}" with a script`);
  const own = Object.entries(file[name]?.variables ?? {}).map(([variable, value]) => `export ${variable}='${value}'`);
  return [...own, ...script].join("\n");
}

/** What a machine that runs a workflow's steps has. */
interface RunnerOptions {
  /** Where the steps run; a folder of its own by default. */
  folder?: string;
  /** What `pulumi` does, as a shell script; it does nothing by default. */
  pulumi?: string;
  /** What `gh` answers to a call that has these words in it. */
  said?: Record<string, string>;
  /** Further environment variables of every script. */
  env?: Record<string, string>;
}

/**
 * Opens a machine that runs steps as GitHub's does, with this clone's command as `npx --no-install pgcompute`; the test
 * removes it. `gh` and `pulumi` log their calls to `calls.txt`.
 */
export function openRunner({ folder, pulumi = "", said = {}, env: common = {} }: RunnerOptions = {}) {
  const own = temporaryFolder();
  const [tools, cwd] = [join(own, "tools"), folder ?? join(own, "work")];
  for (const each of [tools, cwd]) mkdirSync(each, { recursive: true });
  const tool = (name: string, text: string) => {
    writeFileSync(join(tools, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(tools, name), 0o755);
  };
  tool(
    "npx",
    `[ "$1 $2" = "--no-install pgcompute" ] || exit 127\nshift 2\nexec node ${join(root, "bin/pgcompute.cjs")} "$@"`,
  );
  // Wherever a script goes: into an example's folder, too.
  const calls = join(cwd, "calls.txt");
  tool("pulumi", `echo "pulumi $*" >> ${calls}\n${pulumi}`);
  const answers = Object.entries(said).map(([words, text]) => `[[ "$*" == *"${words}"* ]] && printf '%s' '${text}'`);
  tool("gh", `echo "gh $*" >> ${calls}\n${answers.join("\n")}\ntrue`);
  /** A file of the folder; empty where it is not there. */
  const file = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : "");
  /** Runs a step's script, and gives the exit code. */
  const run = async (script: string, env: Record<string, string> = {}): Promise<number> => {
    const { PATH = process.env.PATH, ...rest } = { ...common, ...env };
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
      stdio: "ignore",
      cwd,
      env: {
        PATH: [tools, PATH].join(delimiter),
        GITHUB_OUTPUT: join(cwd, "output.txt"),
        GITHUB_STEP_SUMMARY: join(cwd, "summary.md"),
        GITHUB_REPOSITORY: "o/r",
        STACK: "prod",
        PR: "7",
        AUTHOR: "mallory",
        RUNNER_TEMP: own,
        GITHUB_ACTION_PATH: root,
        ...rest,
      },
    });
    const [code] = await once(child, "close");
    return code ?? -1;
  };
  /** What a step's script adds to its outputs. Fails where it fails. */
  const outputsOf = async (script: string, env?: Record<string, string>): Promise<Record<string, string>> => {
    const before = file("output.txt").length;
    const code = await run(script, env);
    if (code !== 0) throw new Error(`the step ended with ${code}`);
    const lines = file("output.txt").slice(before).trim().split("\n").filter(Boolean);
    return Object.fromEntries(lines.map((line) => line.split("=") as [string, string]));
  };
  return { file, run, outputsOf, temp: own };
}
