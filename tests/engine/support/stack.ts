import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineEvent, PulumiFn } from "@pulumi/pulumi/automation";
import { INLINE, selectInline } from "./inline";
import type { Project } from "./project";
import { type Ended, type Run, readRun } from "./run";

/** How one run differs from the plain one. */
export interface RunOptions {
  /** True when the test wants a failure: then a success is what rejects. */
  expectFailure?: boolean;
  /** True where either end is the test's to judge. */
  mayFail?: boolean;
  /** Further arguments of the command line, such as `["--replace", urn]` or `["--diff"]`. */
  args?: string[];
  /** Called with each piece of output as it comes, to act in the middle of a run. */
  onText?: (text: string) => void;
  /** Further environment variables; undefined takes one away. */
  env?: Record<string, string | undefined>;
}

/** The engine's verbs on a stack. Each rejects with the whole output if the engine fails unexpectedly. */
export type Stack = Record<Verb, (options?: RunOptions) => Promise<Run>>;

type Verb = keyof typeof commands;

const commands = {
  preview: ["preview"],
  up: ["up", "--yes", "--skip-preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  previewRefresh: ["refresh", "--preview-only"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/** What Pulumi's SDK says where it reaches no engine, as happens now and then on a busy machine: nothing was registered. */
const UNREACHED = "14 UNAVAILABLE: No connection established";

/** A stack whose program is a function of this process, by the Automation API. */
export function inlineStack(project: Project, program: PulumiFn): Stack {
  const run = async (verb: Verb, options: RunOptions): Promise<Run> => {
    let ended: Ended | undefined;
    const stack = await selectInline(project.folders, "dev", program, async (args) => {
      ended = await project.cli([...args, "--non-interactive", ...(options.args ?? [])], {
        ...options,
        env: { ...INLINE, ...options.env },
      });
      if (ended.code !== 0) throw new EngineFailed();
    });
    const events: EngineEvent[] = [];
    try {
      await stack[verb]({ color: "never", onEvent: (event) => events.push(event) });
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error;
    }
    if (!ended) throw new Error(`the Automation API ran nothing for ${verb}`);
    return readRun(ended, events);
  };
  return verbs(async (verb, options) => {
    const first = await run(verb, options);
    return first.text.includes(UNREACHED) ? run(verb, options) : first;
  });
}

/** A stack whose program lies in the project's folder, by the command line. */
export function yamlStack(project: Project): Stack {
  return verbs(async (verb, options) => {
    const log = join(project.folders.home, `events-${randomBytes(4).toString("hex")}.jsonl`);
    const flags = ["--stack", "dev", "--color", "never", "--non-interactive", "--event-log", log];
    const ended = await project.cli([...commands[verb], ...flags, ...(options.args ?? [])], {
      ...options,
      env: { PULUMI_DEBUG_COMMANDS: "true", ...options.env }, // without it there is no --event-log
    });
    const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
    return readRun(
      ended,
      lines.map((line) => JSON.parse(line)),
    );
  });
}

/** Says that the engine ended with an exit code, through the Automation API and out again. */
class EngineFailed extends Error {}

function verbs(run: (verb: Verb, options: RunOptions) => Promise<Run>): Stack {
  const checked =
    (verb: Verb) =>
    async (options: RunOptions = {}) => {
      const result = await run(verb, options);
      if (options.mayFail || result.ok === !options.expectFailure) return result;
      const what = result.ok ? "succeeded, which the test did not expect" : `failed (exit code ${result.code})`;
      throw new Error(`${verb} ${what}:\n${result.text}`);
    };
  return Object.fromEntries(Object.keys(commands).map((verb) => [verb, checked(verb as Verb)])) as unknown as Stack;
}
