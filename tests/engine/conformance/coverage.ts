/** Counts what the played sequences have met: options, pairs of options, and what each verb has answered. */
import type { Played } from "./played";
import { drawnAnswers, type Run, type Verb, verbs } from "./sequences";

/** How often each cell is to be met, where so many sequences are played as a whole run has. */
const NEEDED = { option: 40, pair: 10, answer: 1 };

const options = {
  "--exclude": ({ flags }: Run) => flags.exclude !== undefined,
  "--exclude-dependents": ({ flags }: Run) => flags.exclude !== undefined && flags.excludeDependents === true,
  "--target": ({ flags }: Run) => flags.target !== undefined,
  "--replace": ({ flags }: Run) => flags.replace !== undefined,
  "--refresh": ({ flags }: Run) => flags.refresh === true,
  "--parallel 1": ({ flags }: Run) => flags.serial === true,
  "--continue-on-error": ({ flags }: Run) => flags.goesOn === true,
  deleteBeforeReplace: said("deleteBeforeReplace"),
  retainOnDelete: said("retainOnDelete"),
  protect: said("protect"),
  ignoreChanges: said("ignoreChanges"),
  import: said("isImported"),
  aliases: ({ slots }: Run) => slots.some((slot) => slot !== undefined && slot.generation > 0 && slot.isAliased),
  dependsOn: said("dependsOn"),
  parent: said("parent"),
  "property dependency": (run: Run) => said("link")(run) || said("bond")(run),
};

const names = Object.keys(options) as (keyof typeof options)[];

/** What the command line refuses together. */
const refused = (one: string, other: string) =>
  /^--(target|exclude)/.test(one) && one !== other && /^--(target|exclude)/.test(other);

/** A count, and where it is lower than it should be. */
export interface Coverage {
  /** The table, as Markdown. */
  text: string;
  /** Cells that were met too seldom. */
  empty: string[];
}

/** Counts what was played. */
export function coverageOf(played: readonly Played[]): Coverage {
  const met = played.map(({ run }) => new Set(names.filter((name) => options[name](run))));
  const count = (...wanted: (keyof typeof options)[]) =>
    met.filter((one) => wanted.every((name) => one.has(name))).length;
  const answers = answersOf(played);
  const isTaken = (one: string, other: string) =>
    !refused(one, other) || (one.includes("exclude") && other.includes("exclude"));
  const pairs = names.flatMap((one, at) =>
    names.slice(at + 1).flatMap((other) => (isTaken(one, other) ? [[one, other] as const] : [])),
  );
  const cells = [
    ...names.map((name) => ({ name: name as string, count: count(name), needed: NEEDED.option })),
    ...pairs.map(([one, other]) => ({ name: `${one} with ${other}`, count: count(one, other), needed: NEEDED.pair })),
    ...[...answers].map(([name, many]) => ({ name, count: many, needed: NEEDED.answer })),
  ];
  const row = (name: keyof typeof options, at: number) => {
    const others = names.slice(0, at).map((other) => (isTaken(name, other) ? count(name, other) : "-"));
    return `| ${name} | ${count(name)} | ${others.join(" ")} |`;
  };
  const table = ["| option | runs | with each before it |", "| --- | --- | --- |", ...names.map(row)];
  const said = ["| answer | calls |", "| --- | --- |", ...[...answers].map(([name, many]) => `| ${name} | ${many} |`)];
  return {
    text: [...table, "", ...said].join("\n"),
    empty: cells.filter((cell) => cell.count < cell.needed).map((cell) => `${cell.name}: ${cell.count}`),
  };
}

/** By verb and answer, how many calls outside of previews. */
function answersOf(played: readonly Played[]): Map<string, number> {
  const counts = new Map<string, number>();
  const keys = verbs.flatMap((verb) => ["as usual", ...drawnAnswers[verb]].map((is) => `${verb} ${is}`));
  for (const key of keys) counts.set(key, 0);
  for (const { lines } of played) {
    const verbOf = new Map<number, Verb>();
    for (const line of lines) {
      if (line.at === "begin") verbOf.set(line.call, line.verb);
      else {
        const key = `${verbOf.get(line.call)} ${isOf(line)}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  return counts;
}

function isOf({ is, answered, failed }: { is?: string; answered?: object; failed?: { id?: string } }): string {
  if (failed) return failed.id === undefined ? "fails" : "fails half-way";
  if (!answered || !("changes" in answered)) return is === undefined || /fails/.test(is) ? "as usual" : is;
  const { changes, replaces, deletesFirst } = answered as Record<string, unknown>;
  if (!changes) return "as usual";
  return deletesFirst ? "deletes first" : replaces ? "replaces" : "differs";
}

function said(
  name:
    | "deleteBeforeReplace"
    | "retainOnDelete"
    | "protect"
    | "ignoreChanges"
    | "isImported"
    | "dependsOn"
    | "parent"
    | "link"
    | "bond",
) {
  return ({ slots, command }: Run) => {
    if (command === "destroy" || command === "refresh") return false;
    return slots.some((slot) => slot?.[name] !== undefined && slot[name] !== false);
  };
}
