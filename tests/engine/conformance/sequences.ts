/** Random sequences of runs: programs, options of the command line, and what the provider answers. */
import { fc } from "../../support/random";

/** The verbs of a provider. */
export const verbs = ["check", "diff", "create", "update", "read", "delete"] as const;
/** One of them. */
export type Verb = (typeof verbs)[number];

/** What the provider may answer under each verb besides the usual. */
export const drawnAnswers = {
  check: ["refuses", "fails"],
  diff: ["differs", "replaces", "deletes first", "fails"],
  create: ["fails", "fails half-way"],
  update: ["fails", "fails half-way"],
  read: ["differs", "is gone", "fails"],
  delete: ["fails"],
} as const satisfies Record<Verb, readonly string[]>;

/** How long each call takes in milliseconds, and what its answer is. */
export interface Drawn {
  is?: string;
  ms?: number;
}

/** What is said of a resource; others by their number, which is smaller. */
export interface Slot {
  /** Changes with each rename. */
  generation: number;
  size: number;
  place?: string | undefined;
  site?: string | undefined;
  link?: number | undefined;
  bond?: number | undefined;
  dependsOn?: number | undefined;
  parent?: number | undefined;
  protect?: boolean | undefined;
  retainOnDelete?: boolean | undefined;
  deleteBeforeReplace?: boolean | undefined;
  ignoreChanges?: boolean | undefined;
  isImported?: boolean | undefined;
  /** Whether it has its former URN as an alias, where that is another. */
  isAliased: boolean;
}

/** The options of the command line, resources by their number. */
export interface Flags {
  exclude?: number[] | undefined;
  excludeDependents?: boolean | undefined;
  target?: number[] | undefined;
  replace?: number | undefined;
  refresh?: boolean | undefined;
  serial?: boolean | undefined;
  goesOn?: boolean | undefined;
}

/** One run. */
export interface Run {
  command: "preview" | "up" | "refresh" | "destroy";
  /** By number; undefined where the program has it not. */
  slots: (Slot | undefined)[];
  flags: Flags;
  /** By number and verb. */
  answers: Partial<Record<Verb, Drawn>>[];
}

/** A stack's runs, one after the other. */
export type Sequence = Run[];

/** The resources of a program at most. */
export const SLOTS = 5;

const oneIn = (many: number) => fc.integer({ min: 1, max: many }).map((one) => (one === 1 ? true : undefined));
const maybe = <T>(many: number, one: fc.Arbitrary<T>) =>
  fc.tuple(oneIn(many), one).map(([is, value]) => (is ? value : undefined));
const below = (at: number, many: number) => (at === 0 ? fc.constant(undefined) : maybe(many, fc.nat({ max: at - 1 })));

const slot = (at: number) =>
  fc.record({
    generation: fc.constant(0),
    size: fc.integer({ min: 1, max: 3 }),
    place: maybe(4, fc.constantFrom("here", "there")),
    site: maybe(5, fc.constantFrom("here", "there")),
    link: below(at, 5),
    bond: below(at, 5),
    dependsOn: below(at, 3),
    parent: below(at, 5),
    protect: oneIn(8),
    retainOnDelete: oneIn(8),
    deleteBeforeReplace: maybe(6, fc.boolean()),
    ignoreChanges: oneIn(7),
    isImported: oneIn(12),
    isAliased: fc.integer({ min: 1, max: 4 }).map((one) => one > 1),
  });

/** What becomes of a resource from one program to the next. */
const edit = fc.record({
  kind: fc.constantFrom("same", "same", "same", "anew", "anew", "gone", "renamed", "resized", "displaced"),
  unprotects: fc.boolean(),
});

const drawn = (verb: Verb) => {
  // Few calls are updates.
  const is = maybe(verb === "update" ? 4 : 9, fc.constantFrom<string>(...drawnAnswers[verb]));
  const ms = fc.constantFrom(0, 0, 5, 25);
  return fc.record({ is, ms }).map((one): Drawn => ({ ms: one.ms, ...(one.is !== undefined && { is: one.is }) }));
};
const answers = fc.record({
  ...{ check: maybe(3, drawn("check")), diff: maybe(2, drawn("diff")) },
  ...{ create: drawn("create"), update: drawn("update"), read: drawn("read"), delete: drawn("delete") },
});

const selected = fc.array(fc.nat({ max: SLOTS - 1 }), { minLength: 1, maxLength: 2 });
const flags = fc
  .record({
    selects: fc.constantFrom("nothing", "nothing", "exclude", "exclude", "target"),
    which: selected,
    excludeDependents: oneIn(2),
    replace: maybe(4, fc.nat({ max: SLOTS - 1 })),
    refresh: oneIn(4),
    serial: oneIn(4),
    goesOn: oneIn(3),
  })
  .map(
    ({ selects, which, excludeDependents, ...rest }): Flags => ({
      ...rest,
      ...(selects === "exclude" && { exclude: which, excludeDependents }),
      ...(selects === "target" && { target: which }),
    }),
  );

const run = fc.record({
  command: fc.constantFrom<Run["command"]>("preview", "up", "up", "up", "refresh", "destroy"),
  edits: fc.tuple(...Array.from({ length: SLOTS }, () => edit)),
  fresh: fc.tuple(...Array.from({ length: SLOTS }, (_, at) => slot(at))),
  answers: fc.array(answers, { minLength: SLOTS, maxLength: SLOTS }),
  flags,
});

/** Sequences of three to six runs, the first of which makes something. */
export const sequences: fc.Arbitrary<Sequence> = fc.array(run, { minLength: 3, maxLength: 6 }).map((runs) => {
  let slots: Run["slots"] = [];
  return runs.map(({ command, edits, fresh, answers: its, flags: given }, at): Run => {
    slots = edits.map((one, slotAt) => edited(slots[slotAt], fresh[slotAt] as Slot, at === 0 ? "anew" : one.kind, one));
    if (at === 0) return { command: "up", slots, flags: { serial: given.serial }, answers: its };
    return { command, slots, flags: allowed(command, given), answers: its };
  });
});

function edited(old: Slot | undefined, fresh: Slot, kind: string, { unprotects }: { unprotects: boolean }) {
  // A quarter of the slots is empty, such as those whose size is drawn so.
  if (!old || kind === "anew") return fresh.size === 3 && fresh.place === undefined ? undefined : keeping(fresh, old);
  if (kind === "gone") return undefined;
  const now = { ...old, ...(unprotects && { protect: undefined }) };
  if (kind === "renamed") return { ...now, generation: old.generation + 1, isAliased: fresh.isAliased };
  if (kind === "resized") return { ...now, size: fresh.size };
  if (kind === "displaced") return { ...now, place: fresh.place, site: fresh.site };
  return now;
}

function keeping(fresh: Slot, old: Slot | undefined): Slot {
  return { ...fresh, generation: old?.generation ?? 0 };
}

/** The options that a command has. */
function allowed(command: Run["command"], { replace, refresh, goesOn, excludeDependents, ...rest }: Flags): Flags {
  if (command === "refresh") return { ...rest, excludeDependents };
  if (command === "destroy") return { ...rest, refresh, goesOn };
  if (command === "preview") return { ...rest, replace, refresh, excludeDependents };
  return { ...rest, replace, refresh, goesOn, excludeDependents };
}
