/** Plays a drawn sequence on the real engine, and each of its runs on the model, from the state that the engine left. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Plan, run as runModel, type Version } from "../../engine-model/deployment/deployment";
import { isWhole } from "../../engine-model/deployment/graph";
import type { Resource } from "../../engine-model/deployment/resource";
import type { Values } from "../../engine-model/words";
import { runPulumi } from "../support/process";
import { createProject, type Project } from "../support/project";
import { Names, nameOf, type Said } from "./program";
import { Difference, type Line, Recorded, type Unseen } from "./record";
import type { Run, Sequence } from "./sequences";

/** What is left of a resource in the real state. */
interface RealResource {
  urn: string;
  type: string;
  custom: boolean;
  id?: string;
  inputs?: Values;
  outputs?: Values;
  parent?: string;
  provider?: string;
  dependencies?: string[];
  propertyDependencies?: Record<string, string[] | null>;
  ignoreChanges?: string[];
  importID?: string;
  protect?: boolean;
  retainOnDelete?: boolean;
  delete?: boolean;
  pendingReplacement?: boolean;
  initErrors?: string[];
}

/** A run of the real engine: what it was asked, what the provider was asked, and how it ended. */
export interface Played {
  run: Run;
  lines: Line[];
  code: number;
  /** What the engine wrote. */
  text: string;
  before: RealResource[];
  after: RealResource[];
  pending: unknown[];
  /** Whether the engine came to no end by itself. */
  isHanging: boolean;
}

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

/** Plays the runs of a sequence on the model. Returns the differences, by run. */
export async function compare(played: readonly Played[], version?: Version): Promise<string[]> {
  const names = new Names();
  const differences: string[] = [];
  for (const [at, one] of played.entries()) {
    const said = names.say(one.run);
    const difference = await differenceOf(one, said, version);
    const command = `${one.run.command} ${said.flags.join(" ")}`;
    if (!difference) continue;
    const record = one.lines.map((line) => JSON.stringify(line)).join("\n");
    differences.push(`run ${at}, ${command}: ${difference.message}\n${one.text}\n${record}`);
  }
  return differences;
}

/** The difference that is there whenever the unseen is done. */
async function differenceOf(played: Played, said: Said, version?: Version): Promise<Difference | undefined> {
  const differences: Difference[] = [];
  for (const goals of [said.goals, said.goals.toReversed()]) {
    for (const unseen of UNSEEN) {
      try {
        await holdRun(played, { ...said, goals }, unseen, version);
        return undefined;
      } catch (error) {
        if (!(error instanceof Difference)) throw error;
        differences.push(error);
      }
    }
  }
  return differences[0];
}

const STEPS = [7, 0, 1, 2, 3, 4, 5, 6];
const UNSEEN: readonly Unseen[] = (["late", "before an end", "soon"] as const).flatMap((registers) =>
  STEPS.map((steps): Unseen => ({ registers, steps })),
);

async function holdRun(played: Played, said: Said, unseen: Unseen, version?: Version): Promise<void> {
  const { run, lines, code, before, after, pending, isHanging } = played;
  const { command, flags } = run;
  const isPreview = command === "preview";
  const choices = new Recorded(lines, isPreview, unseen);
  const plan: Plan = {
    ...{ version, choices, provider: choices.provider(), program: said.goals, isPreview },
    ...{ targets: said.targets, excludes: said.excludes, replaces: said.replaces },
    excludesDependents: flags.excludeDependents === true,
    refreshes: command === "refresh" || flags.refresh === true,
    refreshesOnly: command === "refresh",
    goesOn: flags.goesOn === true,
    programFails: true,
    ...(flags.serial && { atOnce: 1 }),
  };
  const { state, failures, ...ended } = await runModel(before.map(fromReal), plan);
  choices.hold(failures.length > 0);
  if (ended.isHanging !== isHanging) {
    throw new Difference(isHanging ? "the engine comes to no end" : "the model comes to no end");
  }
  const told = failures.map(({ urn, verb, error }) => `${verb} of ${urn.split("::").at(-1)}: ${error}`);
  if ((code !== 0) !== told.length > 0) {
    throw new Difference(`the engine ended with ${code}, the model with ${told.join("; ") || "no failure"}`);
  }
  if (pending.length > 0 && isWhole(state)) throw new Difference(`pending operations: ${JSON.stringify(pending)}`);
  holdState(state, after.map(fromReal), told.length > 0 ? idsIn(lines) : undefined);
}

/** The resources that the provider was asked to change. */
function idsIn(lines: readonly Line[]): Set<unknown> {
  const changes = lines.flatMap((line) =>
    line.at === "begin" && /create|update|delete/.test(line.verb) ? [line] : [],
  );
  const made = lines.flatMap((line) => (line.at === "end" ? [line.answered?.id, line.failed?.id] : []));
  return new Set([...changes.map(({ asked }) => asked.id), ...made]);
}

/**
 * Throws where the states differ. After a failure nothing tells whether a resource that is the same was gone over before
 * the engine stopped, and has its new name and options: of those it is held that they are there.
 */
function holdState(model: readonly Resource[], real: readonly Resource[], changed?: ReadonlySet<unknown>): void {
  const pictureOf = (one: Resource) => {
    const { id, delete: isLeaving, pendingReplacement, ...rest } = picture(one);
    const isSeen = !changed || id === "" || changed.has(id);
    return { id, delete: isLeaving, pendingReplacement, ...(isSeen && rest) };
  };
  const inOrder = (some: readonly Resource[]) => some.map((one) => JSON.stringify(pictureOf(one))).sort();
  const [wanted, had] = [inOrder(model), inOrder(real)];
  if (isDeepStrictEqual(wanted, had)) return;
  const only = (some: string[], others: string[]) => some.filter((one) => !others.includes(one)).join("\n");
  throw new Difference(`the states differ. Engine:\n${only(had, wanted)}\nmodel:\n${only(wanted, had)}`);
}

/** What is compared of a resource. The stack's own and the provider's values are the engine's business. */
function picture(one: Resource): Values {
  const sorted = (values: Values) => Object.fromEntries(Object.entries(values).sort());
  const values = { inputs: sorted(one.inputs), outputs: sorted(one.outputs), parent: one.parent };
  return {
    ...{ urn: one.urn, id: /::pulumi:/.test(one.urn) ? "" : one.id },
    ...(!/::pulumi:/.test(one.urn) && values),
    dependencies: one.dependencies.toSorted(),
    propertyDependencies: sorted(one.propertyDependencies),
    ...{ protect: one.protect, retainOnDelete: one.retainOnDelete },
    ...{ delete: one.isPendingDelete === true, pendingReplacement: one.isPendingReplacement === true },
    hasInitErrors: one.initErrors.length > 0,
  };
}

function fromReal(one: RealResource): Resource {
  const needs = Object.entries(one.propertyDependencies ?? {});
  const propertyDependencies = Object.fromEntries(
    needs.flatMap(([name, urns]) => (urns?.length ? [[name, urns]] : [])),
  );
  return {
    ...{ urn: one.urn, custom: one.custom, id: one.id ?? "", inputs: one.inputs ?? {}, outputs: one.outputs ?? {} },
    ...{ parent: one.parent, provider: one.provider?.split("::").slice(0, -1).join("::") || undefined },
    ...(one.type.startsWith("pulumi:providers:") && { isProvider: true }),
    ...{ dependencies: one.dependencies ?? [], propertyDependencies },
    ...{ protect: one.protect === true, retainOnDelete: one.retainOnDelete === true },
    ...{ ignoreChanges: one.ignoreChanges ?? [], replaceOnChanges: [], importId: one.importID },
    ...{ isPendingDelete: one.delete === true, isPendingReplacement: one.pendingReplacement === true },
    initErrors: one.initErrors ?? [],
  };
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
