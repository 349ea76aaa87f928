/** Random programs: what the state and the platform have at first, what a program then says, and the order in which all of it comes. */
import type { MoveRule } from "../../../emulator";
import { fc } from "../../support/random";

/** Branches that programs speak of. */
export const BRANCHES = 3;

/** Whose an endpoint is at first. */
export type Owner =
  /** A resource's, which created it. */
  | "own"
  /** A resource's, which took it over. */
  | "adopted"
  /** Nobody's. */
  | "stranger"
  /** Nobody's, but a resource's by its name: an interrupted run created it. */
  | "orphan"
  /** The same by its name, but it has another owner: another stack, whose state has it. */
  | "elsewhere"
  /** The same by its name, but somebody else has made it, with settings of their own. */
  | "forged"
  /** The one that the resource before this one has, too. */
  | "shared";

/** Where an endpoint stands: a branch by its number, and a type. */
export interface Spot {
  branch: number;
  type: "read_write" | "read_only";
}

/** What a program says of a resource. */
export interface Wish {
  /** Where it stands, by number; `here` where the slot has an endpoint already. */
  branch: number | "here";
  /** Its type; `same` as the slot's endpoint has already. */
  type: Spot["type"] | "same";
  sizeCu?: 1 | undefined;
  preloads?: "one" | "two" | undefined;
  adopts: boolean;
  imports: boolean;
  /** Whether it keeps its name, gets another with an alias, or is another resource altogether. */
  named: "same" | "alias" | "new";
  /** Whether any change replaces it (`replaceOnChanges`). */
  replaces?: boolean | undefined;
}

/** When something is so: in the state, in the program, or in both. */
export type When = "before" | "after" | "both";

/** Where a slot's resource is: the number of its fleet; absent for a resource of its own. */
export interface Home {
  before?: number | undefined;
  after?: number | undefined;
  /** As a member: `protect` and `retainOnDelete`. */
  protect?: When | undefined;
  retain?: When | undefined;
  /** Whether the program takes over what the slot has by its `importId`. */
  imports: boolean;
}

/** One endpoint that may be there, and one resource or member of a fleet that the program may have. */
export interface Slot {
  before?: (Spot & { owner: Owner }) | undefined;
  after?: Wish | "same" | undefined;
  home?: Home | undefined;
}

/** What the program says of each fleet. */
export interface FleetWish {
  maxDeletions?: number | undefined;
  /** Whether it has another name, with an alias. */
  isRenamed: boolean;
  /** Whether it is in the program without members, too. */
  staysEmpty: boolean;
}

/**
 * What has become of a slot's endpoint since it was created, so that its name tells another owner than it has: a single one that was
 * gathered into a fleet, a member that was scattered, another name by an alias (of its fleet, where it is `whole`), a parent, the very
 * name that a member of a fleet has, or another stack (`pulumi state move`).
 */
export interface OwnerChange {
  kind: "gather" | "scatter" | "rename" | "reparent" | "nest" | "sendAway";
  /** Which of the endpoints that the state has. */
  which: number;
  /** The fleet that it goes to, or beneath which it is. */
  fleet: 0 | 1;
  whole: boolean;
  /** Whether the program has the new owner. */
  follows: boolean;
  /** Whether the program has the old one, too: where it says so, or where the endpoint is. */
  reuses: "no" | "as said" | "there";
}

/** The resources that the engine shows to a run, or that it hides from it: those come first whose endpoints have other owners by now. */
export interface Selection {
  option: "target" | "exclude";
  which: number[];
}

/** What somebody else does between preview and up, to what the stack has as to the rest. */
export type Meddling =
  | { kind: "arrives"; spot: Spot }
  | { kind: "leaves"; which: number }
  | { kind: "moves"; which: number; branch: number }
  | { kind: "resizes"; which: number };

/** One program, and all that chance decides about its runs. */
export interface Case {
  host: "plugin" | "dynamic";
  moveRule: MoveRule;
  /** The setting `pgcompute:moves`. */
  moves: "inPlace" | "replace";
  keepsNames: boolean;
  slots: Slot[];
  fleets: FleetWish[];
  /** Pairs of slots of which the second waits for the first. */
  edges: [number, number][];
  /** Two slots whose wishes change branches. */
  swap?: [number, number] | undefined;
  /** One after the other, before the program runs. */
  ownerChanges: OwnerChange[];
  /** Whether the stack is a copy: what it has bears another stack's names, and is in that one's state, too. */
  isCopy: boolean;
  selection?: Selection | undefined;
  /** The setting `pgcompute:adoptInterrupted`. */
  adoptsInterrupted: boolean;
  meddling: Meddling[];
  /** What comes next, each time there is a choice; and how many milliseconds each change of an up is under way. */
  choices: { preview: number[]; up: number[]; delays: number[] };
}

const maybe = <T>(one: fc.Arbitrary<T>, freq = 3) => fc.option(one, { nil: undefined, freq });

/** True in one of so many. */
const oneIn = (of: number) => fc.integer({ min: 1, max: of }).map((drawn) => drawn === of);

const branch = fc.nat({ max: BRANCHES - 1 });
const type = fc.constantFrom("read_write" as const, "read_write" as const, "read_only" as const);
const spot: fc.Arbitrary<Spot> = fc.record({ branch, type });

const owner = fc.oneof(
  { weight: 16, arbitrary: fc.constant<Owner>("own") },
  { weight: 9, arbitrary: fc.constant<Owner>("stranger") },
  { weight: 2, arbitrary: fc.constant<Owner>("adopted") },
  { weight: 2, arbitrary: fc.constantFrom<Owner>("orphan", "elsewhere", "forged") },
  { weight: 1, arbitrary: fc.constant<Owner>("shared") },
);

const wish: fc.Arbitrary<Wish> = fc.record({
  branch: fc.oneof({ weight: 3, arbitrary: branch }, { weight: 2, arbitrary: fc.constant("here" as const) }),
  type: fc.oneof({ weight: 1, arbitrary: type }, { weight: 2, arbitrary: fc.constant("same" as const) }),
  sizeCu: maybe(fc.constant(1 as const), 2),
  preloads: maybe(fc.constantFrom("one" as const, "two" as const), 2),
  adopts: fc.integer({ min: 0, max: 1 }).map((one) => one === 1),
  imports: oneIn(10),
  named: fc.oneof(
    { weight: 8, arbitrary: fc.constant("same" as const) },
    { weight: 1, arbitrary: fc.constant("alias" as const) },
    { weight: 1, arbitrary: fc.constant("new" as const) },
  ),
  replaces: oneIn(10),
});

const anySlot: fc.Arbitrary<Slot> = fc.record({
  before: maybe(fc.record({ branch, type, owner }), 6),
  after: fc.oneof(
    { weight: 3, arbitrary: fc.constant("same" as const) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: wish },
  ),
});

/** A resource that moves, or a new one that takes over what is there. */
const plainSlot = (owner: "own" | "stranger"): fc.Arbitrary<Slot> => {
  const own = fc.constant(owner);
  const adopts = owner === "stranger";
  const where = adopts ? fc.constant("here" as const) : branch;
  const same = { type: fc.constant("same" as const), named: fc.constant("same" as const) };
  return fc.record({
    before: fc.record({ branch, type: adopts ? fc.constant("read_write" as const) : type, owner: own }),
    after: fc.record({ branch: where, adopts: fc.constant(adopts), imports: fc.constant(false), ...same }),
  });
};

const slot = fc.oneof(
  { weight: 5, arbitrary: anySlot },
  { weight: 1, arbitrary: plainSlot("own") },
  { weight: 1, arbitrary: plainSlot("stranger") },
);

const seldom = <T>(one: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one });

const when = seldom(fc.constantFrom<When>("before", "after", "both"));

const home = (before: number | undefined, after: number | undefined): fc.Arbitrary<Home> =>
  fc.record({
    ...{ before: fc.constant(before), after: fc.constant(after), protect: when, retain: when },
    imports: before === after ? fc.constant(false) : fc.boolean(),
  });

const elsewhere = fc
  .tuple(fc.constantFrom(undefined, 0, 1), fc.constantFrom(undefined, 0, 1))
  .chain(([before, after]) => home(before, after));

const inFleets: fc.Arbitrary<Slot> = fc
  .tuple(
    slot,
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 5, arbitrary: home(0, 0) },
      { weight: 2, arbitrary: home(1, 1) },
      { weight: 2, arbitrary: elsewhere },
    ),
  )
  .map(([one, its]) => ({ ...one, home: its }));

const slots = (one: fc.Arbitrary<Slot>) =>
  fc.oneof(...[1, 2, 3, 4, 5].map((length) => fc.array(one, { minLength: length, maxLength: length })));

const fleetWish: fc.Arbitrary<FleetWish> = fc.record({
  maxDeletions: maybe(fc.constant(5), 6),
  isRenamed: oneIn(10),
  staysEmpty: fc.boolean(),
});

const index = fc.nat({ max: 4 });
const edge = fc.tuple(index, index);
const choices = fc.array(fc.nat({ max: 999 }), { minLength: 24, maxLength: 24 });

const which = index;
const meddling: fc.Arbitrary<Meddling> = fc.oneof(
  fc.record({ kind: fc.constant("arrives" as const), spot }),
  fc.record({ kind: fc.constant("leaves" as const), which }),
  fc.record({ kind: fc.constant("moves" as const), which, branch }),
  fc.record({ kind: fc.constant("resizes" as const), which }),
);

const ownerChange: fc.Arbitrary<OwnerChange> = fc.record({
  kind: fc.constantFrom("gather", "scatter", "scatter", "rename", "reparent", "nest", "sendAway"),
  which,
  fleet: fc.constantFrom(0, 1),
  ...{ whole: fc.boolean(), follows: oneIn(4).map((not) => !not) },
  reuses: fc.constantFrom("no", "as said", "there", "there"),
});

const selection: fc.Arbitrary<Selection> = fc.record({
  option: fc.constantFrom("target", "exclude"),
  which: fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 9 })), { minLength: 1, maxLength: 2 }),
});

/** Random programs of up to 5 endpoints on 3 branches, half of them with up to 2 fleets. */
export const cases: fc.Arbitrary<Case> = fc.record({
  host: fc.constantFrom("plugin" as const, "dynamic" as const),
  moves: fc.oneof({ weight: 6, arbitrary: fc.constant("inPlace" as const) }, fc.constant("replace" as const)),
  moveRule: fc.constantFrom("no-endpoint" as const, "no-read-write" as const),
  keepsNames: fc.boolean(),
  slots: fc.oneof({ weight: 1, arbitrary: slots(slot) }, { weight: 1, arbitrary: slots(inFleets) }),
  fleets: fc.tuple(fleetWish, fleetWish),
  edges: fc.array(edge, { maxLength: 6, size: "max" }),
  swap: maybe(edge, 2),
  ownerChanges: fc.oneof(
    { weight: 3, arbitrary: fc.constant<OwnerChange[]>([]) },
    { weight: 2, arbitrary: fc.array(ownerChange, { minLength: 1, maxLength: 3 }) },
  ),
  isCopy: oneIn(12),
  selection: maybe(selection, 3),
  adoptsInterrupted: oneIn(8),
  meddling: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Meddling[]>([]) },
    { weight: 1, arbitrary: fc.array(meddling, { minLength: 1, maxLength: 2 }) },
  ),
  choices: fc.record({ preview: choices, up: choices, delays: choices }),
});

/** A case without anything in it, for programs that are written by hand. */
export const plain: Case = {
  host: "plugin",
  moveRule: "no-endpoint",
  moves: "inPlace",
  keepsNames: true,
  slots: [],
  fleets: Array(2).fill({ maxDeletions: 5, isRenamed: false, staysEmpty: true }),
  edges: [],
  ownerChanges: [],
  isCopy: false,
  adoptsInterrupted: false,
  meddling: [],
  choices: { preview: [], up: [], delays: [] },
};

/** What a program says of a resource that keeps its name and takes over nothing. */
export const to = (branch: Wish["branch"], type: Wish["type"] = "same"): Wish => ({
  ...{ branch, type },
  ...{ adopts: false, imports: false, named: "same" },
});

/** An endpoint, and whose it is. */
export const at = (branch: number, type: Spot["type"], owner: Owner) => ({ branch, type, owner });

/** One that a resource has created. */
export const own = (branch: number, type: Spot["type"]) => at(branch, type, "own");

/** A member of this fleet, before and after. */
export const inFleet = (number: number) => ({ before: number, after: number, imports: false });
