/** Counts what the played sequences have met: options, pairs of options, and what each verb has answered. */
import { type Goal, Reference } from "../../engine-model/deployment/resource";
import type { Played } from "./played";
import { Names, STACK } from "./program";
import type { Line } from "./record";
import { drawnAnswers, type Run } from "./sequences";

/** How often each cell is to be met, where so many sequences are played as a whole run has. */
const NEEDED = { option: 40, pair: 10, answer: 1 };

/** What the command line takes with each command. */
const commands: Record<Run["command"], readonly string[]> = {
  preview: ["--exclude", "--exclude-dependents", "--target", "--replace", "--refresh", "--parallel"],
  up: ["--exclude", "--exclude-dependents", "--target", "--replace", "--refresh", "--parallel", "--continue-on-error"],
  refresh: ["--exclude", "--exclude-dependents", "--target", "--parallel"],
  destroy: ["--exclude", "--target", "--refresh", "--parallel", "--continue-on-error"],
};

/** What a program says of a resource. */
const options: Record<string, (goal: Goal) => boolean> = {
  deleteBeforeReplace: (goal) => goal.deleteBeforeReplace === true,
  "deleteBeforeReplace: false": (goal) => goal.deleteBeforeReplace === false,
  retainOnDelete: (goal) => goal.retainOnDelete === true,
  protect: (goal) => goal.protect === true,
  ignoreChanges: ({ ignoreChanges = [] }) => ignoreChanges.length > 0,
  import: ({ importId }) => importId !== undefined,
  aliases: ({ aliases = [] }) => aliases.length > 0,
  dependsOn: ({ dependsOn = [] }) => dependsOn.length > 0,
  parent: ({ parent }) => parent !== STACK,
  "property dependency": ({ inputs }) => Object.values(inputs).some((value) => value instanceof Reference),
};

const flags = commands.up;
const ofPrograms = Object.keys(options);
const names = [...Object.keys(commands), ...flags, ...ofPrograms];

/** Pairs that are none: one excludes the other. */
const apart = [
  ["--exclude", "--target"],
  ["--exclude-dependents", "--target"],
  ["deleteBeforeReplace", "deleteBeforeReplace: false"],
];

/** A count, and where it is lower than it should be. */
export interface Coverage {
  /** The tables, as Markdown. */
  text: string;
  /** Cells that were met too seldom. */
  empty: string[];
}

/** Counts what was played, sequence by sequence. */
export function coverageOf(played: readonly Played[][]): Coverage {
  const counts = countsOf(played);
  const count = (...wanted: string[]) => counts.get(wanted.join(" with ")) ?? 0;
  const pairs = names.flatMap((one, at) =>
    names.slice(at + 1).flatMap((other) => (isTaken(one, other) ? [[one, other]] : [])),
  );
  const answers = answersOf(played.flat());
  const cells = [
    ...names.map((name) => ({ name, count: count(name), needed: NEEDED.option })),
    ...pairs.map((pair) => ({ name: pair.join(" with "), count: count(...pair), needed: NEEDED.pair })),
    ...[...answers].map(([name, by]) => ({ name, count: sum(by), needed: NEEDED.answer })),
  ];
  const row = (name: string, at: number) => {
    const others = names.slice(0, at).map((other) => (isTaken(other, name) ? count(other, name) : "-"));
    return `| ${name} | ${count(name)} | ${others.join(" ")} |`;
  };
  const table = ["| option | runs | with each before it |", "| --- | --- | --- |", ...names.map(row)];
  const heads = Object.keys(commands);
  const said = [...answers].map(([name, by]) => `| ${name} | ${heads.map((one) => by.get(one) ?? 0).join(" | ")} |`);
  return {
    text: [...table, "", `| answer | ${heads.join(" | ")} |`, "| --- | --- | --- | --- | --- |", ...said].join("\n"),
    empty: cells.filter((cell) => cell.count < cell.needed).map((cell) => `${cell.name}: ${cell.count}`),
  };
}

/** Whether the command line, and the engine, take two together. */
function isTaken(one: string, other: string): boolean {
  if (apart.some((pair) => pair.includes(one) && pair.includes(other))) return false;
  const taken = commands[one as Run["command"]];
  if (!taken) return true;
  const hasProgram = one === "preview" || one === "up";
  return taken.includes(other) || (hasProgram && ofPrograms.includes(other));
}

/** By option, and by pair, how many runs with a call have it: two options of a program on one resource. */
function countsOf(played: readonly Played[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const sequence of played) {
    const said = new Names();
    for (const { run, lines } of sequence) {
      const { flags: given, goals } = said.say(run);
      // One that names what the stack does not have ends before it asks for anything.
      if (lines.length === 0) continue;
      const ofRun = [run.command, ...flags.filter((flag) => given.includes(flag))];
      const things = goals.filter(({ custom, isProvider }) => custom && !isProvider);
      const met = new Set(paired(ofRun));
      for (const goal of things) {
        const own = ofPrograms.filter((name) => options[name]?.(goal));
        for (const key of paired([...ofRun, ...own])) met.add(key);
      }
      for (const key of met) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

function paired(given: readonly string[]): string[] {
  return given.flatMap((one, at) => [one, ...given.slice(at + 1).map((other) => `${one} with ${other}`)]);
}

/** By verb and answer, how many calls each command has made. */
function answersOf(played: readonly Played[]): Map<string, Map<string, number>> {
  const drawn = Object.entries({ ...drawnAnswers, import: drawnAnswers.read });
  const keys = drawn.flatMap(([verb, some]) => ["as usual", ...some].map((is) => `${verb} ${is}`));
  const counts = new Map(keys.map((key) => [key, new Map<string, number>()]));
  for (const { lines, run } of played) {
    const verbs = new Map<number, string>();
    for (const line of lines) {
      if (line.at === "begin") verbs.set(line.call, isImport(line) ? "import" : line.verb);
      else {
        const by = counts.get(`${verbs.get(line.call)} ${isOf(line)}`);
        by?.set(run.command, (by.get(run.command) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** The Read of an import shows nothing old. */
function isImport({ verb, asked }: Line & { at: "begin" }): boolean {
  return verb === "read" && Object.keys({ ...(asked.inputs as object), ...(asked.outputs as object) }).length === 0;
}

function isOf({ is, answered, failed }: Line & { at: "end" }): string {
  if (failed) return failed.id === undefined ? "fails" : "fails half-way";
  if (!answered || !("changes" in answered)) return is === undefined || /fails/.test(is) ? "as usual" : is;
  const { changes, replaces, deletesFirst } = answered;
  if (!changes) return "as usual";
  return deletesFirst ? "deletes first" : replaces ? "replaces" : "differs";
}

function sum(by: ReadonlyMap<string, number>): number {
  return [...by.values()].reduce((all, one) => all + one, 0);
}
