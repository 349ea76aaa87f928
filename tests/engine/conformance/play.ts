/** Plays a drawn sequence on the real engine. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWhole } from "../../engine-model/deployment/graph";
import type { Values } from "../../engine-model/words";
import { runPulumi } from "../support/process";
import { createProject, type Project } from "../support/project";
import { fromReal, type Played, type RealResource } from "./played";
import { Names, nameOf, type Said } from "./program";
import type { Line } from "./record";
import type { Run, Sequence } from "./sequences";

/** An engine that asks nothing for so long, in milliseconds, waits for what never comes. */
const HANGING_MS = 90_000;

const STUB = join(import.meta.dirname, "stub");

const COMMANDS: Record<Run["command"], string[]> = {
  preview: ["preview"],
  up: ["up", "--yes", "--skip-preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/** Plays a sequence on the real engine. */
export async function playReal(sequence: Sequence): Promise<Played[]> {
  const project = createProject({ name: "conformance" });
  try {
    writeFileSync(join(project.folders.home, "schemas", "thing-0.0.1.json"), schema());
    const names = new Names();
    const played: Played[] = [];
    for (const [at, run] of sequence.entries()) {
      const one = await runReal(project, at, run, names.say(run));
      played.push(one);
      // The engine refuses a state that it has spoiled.
      if (!isWhole(one.after.map(fromReal))) break;
    }
    return played;
  } finally {
    project.close();
  }
}

async function runReal(project: Project, at: number, run: Run, { yaml, flags }: Said): Promise<Played> {
  const { home } = project.folders;
  const [table, record] = [join(home, `table-${at}.json`), join(home, `record-${at}.jsonl`)];
  writeFileSync(table, JSON.stringify({ run: at, answers: answersOf(run) }));
  project.yaml({ plugins: { providers: [{ name: "thing", path: STUB, version: "0.0.1" }] }, resources: yaml });
  const before = project.exportState().resources as unknown as RealResource[];
  const usual = ["--stack", "dev", "--color", "never", "--non-interactive"];
  const env = { THING_TABLE: table, THING_RECORD: record };
  const hanging = new AbortController();
  const watch = watched(record, () => hanging.abort());
  const args = [...COMMANDS[run.command], ...usual, ...flags];
  const options = { cwd: project.folders.program, env: { ...project.env, ...env }, signal: hanging.signal };
  const { code, text } = await runPulumi(project.folders.bin, args, options);
  watch.end();
  if (/getting stack configuration/.test(text)) throw new Error(`the engine did not begin: ${text}`);
  const { resources, pending_operations: pending = [] } = project.exportState();
  const after = resources as unknown as RealResource[];
  const isHanging = hanging.signal.aborted;
  return { run, lines: linesOf(record), code, text, before, after, pending, isHanging };
}

/** Tells where a file has not changed for a while. */
function watched(file: string, tell: () => void): { end(): void } {
  let size = -1;
  const look = () => {
    const now = existsSync(file) ? statSync(file).size : 0;
    if (now === size) tell();
    size = now;
  };
  const timer = setInterval(look, HANGING_MS);
  return { end: () => clearInterval(timer) };
}

/** The drawn answers by every name that a resource may have. */
function answersOf({ answers }: Run): Values {
  const generations = Array.from({ length: 6 }, (_, generation) => generation);
  const entries = answers.flatMap((its, at) => generations.map((generation) => [nameOf(at, generation), its]));
  return Object.fromEntries(entries);
}

function linesOf(file: string): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** The schema by which YAML knows the properties. */
function schema(): string {
  const text = ["place", "site", "link", "bond"].map((name) => [name, { type: "string" }]);
  const inputProperties = { size: { type: "number" }, ...Object.fromEntries(text) };
  const properties = { ...inputProperties, out: { type: "string" } };
  const resources = { "thing:index:Thing": { inputProperties, properties, required: ["out"] } };
  return JSON.stringify({ name: "thing", version: "0.0.1", resources });
}
