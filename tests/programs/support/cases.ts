/** Random programs: the initial state and platform, the program's change, and the order of events. */
import { fc } from "../../support/random";

/** Branches that programs speak of. */
export const BRANCHES = 3;

/** What is drawn, in which all that may be undefined may be left out. */
type Drawn<T> = Partial<T> & Pick<T, { [K in keyof T]: undefined extends T[K] ? never : K }[keyof T]>;
/** What an arbitrary draws. */
export type Of<A> = A extends fc.Arbitrary<infer Value> ? Value : never;

/** Properties that are drawn each by itself. */
export const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model) as fc.Arbitrary<Drawn<T>>;
/** Something; undefined in one of so many. */
export const maybe = <T>(one: fc.Arbitrary<T>, freq = 3) => fc.option(one, { nil: undefined, freq });
/** True in one of so many. */
const oneIn = (of: number) => fc.integer({ min: 1, max: of }).map((drawn) => drawn === of);
/** One of these, the heavier the oftener. */
export const weighted = <T>(...all: [weight: number, fc.Arbitrary<T>][]) =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));
/** This and nothing else. */
export const the = <const T>(value: T) => fc.constant(value);
/** One of these values. */
export const oneOf = <const T>(...values: T[]) => fc.constantFrom(...values);

const branch = fc.nat({ max: BRANCHES - 1 });
const type = oneOf("read_write", "read_write", "read_only");
const spot = record({ branch, type });
/** Where an endpoint stands: a branch by its number, and a type. */
export type Spot = Of<typeof spot>;

/**
 * An endpoint's initial owner: a resource that created (`own`) or adopted it (`adopted`); none (`stranger`); none, but
 * named after a resource, after an interrupted run (`orphan`); named so while another stack has it (`elsewhere`), or
 * while somebody else made it with other settings (`forged`); also the previous resource's (`shared`); a replaced
 * resource's, with a failed delete (`pending`).
 */
export type Owner = "own" | "adopted" | "stranger" | "orphan" | "elsewhere" | "forged" | "shared" | "pending";
const owner = weighted<Owner>(
  [16, the("own")],
  [9, the("stranger")],
  [2, the("adopted")],
  [2, oneOf("orphan", "elsewhere", "forged")],
  [1, oneOf("shared", "pending")],
);

const wish = record({
  /** By number; `here` where the slot has an endpoint already. */
  branch: weighted<number | "here">([3, branch], [2, the("here")]),
  /** `same` as the slot's endpoint has already. */
  type: weighted<Spot["type"] | "same">([1, type], [2, the("same")]),
  sizeCu: maybe(the(1), 2),
  preloads: maybe(oneOf("one", "two"), 2),
  adopts: fc.integer({ min: 0, max: 1 }).map((one) => one === 1),
  imports: oneIn(10),
  /** Whether it keeps its name, gets another with an alias, or is another resource altogether. */
  named: weighted<"same" | "alias" | "new">([8, the("same")], [1, the("alias")], [1, the("new")]),
  /** Whether any change replaces it (`replaceOnChanges`). */
  replaces: oneIn(10) as fc.Arbitrary<boolean | undefined>,
});
/** What a program says of a resource. */
export type Wish = Of<typeof wish>;

const seldom = <T>(one: fc.Arbitrary<T>) => weighted<T | undefined>([9, the(undefined)], [1, one]);
const when = seldom(oneOf("before", "after", "both"));
/** When something is so: in the state, in the program, or in both. */
export type When = NonNullable<Of<typeof when>>;

const home = (before: number | undefined, after: number | undefined) =>
  record({
    /** The number of its fleet, in the state and in the program; undefined for a resource of its own. */
    ...{ before: fc.constant(before), after: fc.constant(after) },
    /** As a member: `protect` and `retainOnDelete`. */
    ...{ protect: when, retain: when },
    /** Whether the program takes over what the slot has by its `importId`. */
    imports: before === after ? fc.constant(false) : fc.boolean(),
  });
type Home = Of<ReturnType<typeof home>>;

/** One endpoint that may be there, and one resource or member of a fleet that the program may have. */
export interface Slot {
  before?: (Spot & { owner: Owner }) | undefined;
  after?: Wish | "same" | undefined;
  home?: Home | undefined;
}

const anySlot: fc.Arbitrary<Slot> = fc.record({
  before: maybe(fc.record({ branch, type, owner }), 6),
  after: weighted<Slot["after"]>([3, the("same")], [1, the(undefined)], [6, wish]),
});

/** A resource that moves, or a new one that takes over what is there. */
const plainSlot = (ownedBy: "own" | "stranger"): fc.Arbitrary<Slot> => {
  const adopts = ownedBy === "stranger";
  const where = adopts ? the("here") : branch;
  const same = { type: the("same"), named: the("same") };
  return fc.record({
    before: fc.record({ branch, type: adopts ? the("read_write") : type, owner: fc.constant(ownedBy) }),
    after: fc.record({ branch: where, adopts: fc.constant(adopts), imports: fc.constant(false), ...same }),
  });
};

const slot = weighted<Slot>([5, anySlot], [1, plainSlot("own")], [1, plainSlot("stranger")]);
const elsewhere = fc.tuple(oneOf(undefined, 0, 1), oneOf(undefined, 0, 1)).chain((both) => home(...both));
const inFleets: fc.Arbitrary<Slot> = fc
  .tuple(slot, weighted<Slot["home"]>([3, the(undefined)], [5, home(0, 0)], [2, home(1, 1)], [2, elsewhere]))
  .map(([one, its]) => ({ ...one, home: its }));
const slots = (one: fc.Arbitrary<Slot>) =>
  fc.oneof(...[1, 2, 3, 4, 5].map((length) => fc.array(one, { minLength: length, maxLength: length })));

/** What the program says of a fleet. */
const fleetWish = record({
  maxDeletions: maybe(fc.constant(5), 6),
  /** Whether it has another name, with an alias. */
  isRenamed: oneIn(10),
  /** Whether it is in the program without members, too. */
  staysEmpty: fc.boolean(),
});

const which = fc.nat({ max: 4 });
const edge = fc.tuple(which, which);

const meddling = fc.oneof(
  fc.record({ kind: the("arrives"), spot }),
  fc.record({ kind: the("leaves"), which }),
  fc.record({ kind: the("moves"), which, branch }),
  fc.record({ kind: the("resizes"), which }),
);
/** What somebody else does between preview and up, to what the stack has as to the rest. */
export type Meddling = Of<typeof meddling>;

const ownerChange = fc.record({
  kind: oneOf("gather", "scatter", "scatter", "rename", "reparent", "nest", "sendAway"),
  /** Which of the endpoints that the state has. */
  which,
  /** The fleet that it goes to, or beneath which it is. */
  fleet: oneOf(0, 1),
  whole: fc.boolean(),
  /** Whether the program has the new owner. */
  follows: oneIn(4).map((not) => !not),
  /** Whether the program has the old one, too: where it says so, or where the endpoint is. */
  reuses: oneOf("no", "as said", "there", "there"),
});
/**
 * How a slot's endpoint changed owner since its create, so that its name is another owner's: gathered into a fleet,
 * scattered from one, renamed by an alias (with its fleet if `whole`), given a parent, given a member's name, or moved
 * to another stack (`pulumi state move`).
 */
export type OwnerChange = Of<typeof ownerChange>;

/** The resources that a run's options select or exclude, those with changed owners first. */
const selection = fc.record({
  option: oneOf("target", "exclude"),
  which: fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 9 })), { minLength: 1, maxLength: 2 }),
});

const choices = fc.array(fc.nat({ max: 999 }), { minLength: 24, maxLength: 24 });

const death = fc.record({ call: fc.integer({ min: 1, max: 12 }), moment: oneOf("before", "after") });

/** Random programs of up to 5 endpoints on 3 branches, half of them with up to 2 fleets. */
export const cases = record({
  host: oneOf("plugin", "dynamic"),
  /** The setting `pgcompute:moves`. */
  moves: weighted<"inPlace" | "replace">([6, the("inPlace")], [1, the("replace")]),
  /** The platform, known to the provider; the specification's may let endpoints move to branches with replicas. */
  platform: weighted<"specification" | "lenient" | "neon">([2, the("specification")], [1, oneOf("lenient", "neon")]),
  keepsNames: fc.boolean(),
  /** How old the platform's lists are, in milliseconds. */
  lagMs: weighted<number>([5, the(0)], [1, oneOf(500, 4_000)]),
  slots: fc.oneof(slots(slot), slots(inFleets)),
  fleets: fc.array(fleetWish, { minLength: 2, maxLength: 2 }),
  /** Pairs of slots: the second waits for the first. */
  edges: fc.array(edge, { maxLength: 6, size: "max" }),
  /** Two slots whose wishes change branches. */
  swap: maybe(edge, 2),
  /** Whether the program no longer has the first of its resources by index, so that each has the wish of the next. */
  isShifted: oneIn(10),
  /** One after the other, before the program runs. */
  ownerChanges: weighted<OwnerChange[]>(
    [3, fc.constant([])],
    [2, fc.array(ownerChange, { minLength: 1, maxLength: 3 })],
  ),
  /** Whether the stack is a copy: what it has bears another stack's names, and is in that one's state, too. */
  isCopy: oneIn(12),
  selection: maybe(selection, 3),
  /** Which of what the program wants has a branch that its first preview does not know yet. */
  unknown: seldom(which),
  /** The options `--refresh`, `--parallel 1` and `--continue-on-error`. */
  ...{ refreshes: oneIn(6), isSerial: oneIn(4), goesOn: oneIn(6) },
  /** The setting `pgcompute:adoptInterrupted`. */
  adoptsInterrupted: oneIn(8),
  /** When the first up is killed: at which of its calls. */
  death: seldom(death),
  /** Whether the program says after the first up what the state said before it. */
  isReverted: oneIn(6),
  meddling: weighted<Meddling[]>([3, fc.constant([])], [1, fc.array(meddling, { minLength: 1, maxLength: 2 })]),
  /** What comes next, each time there is a choice; and how many milliseconds each change of an up is under way. */
  choices: fc.record({ preview: choices, up: choices, delays: choices }),
});
/** One program, and all that chance decides about its runs. */
export type Case = Of<typeof cases>;

/** A case without anything in it, for programs that are written by hand. */
export const plain: Case = {
  host: "plugin",
  platform: "specification",
  moves: "inPlace",
  keepsNames: true,
  lagMs: 0,
  slots: [],
  fleets: Array(2).fill({ maxDeletions: 5, isRenamed: false, staysEmpty: true }),
  edges: [],
  isShifted: false,
  ownerChanges: [],
  isCopy: false,
  ...{ refreshes: false, isSerial: false, goesOn: false },
  adoptsInterrupted: false,
  isReverted: false,
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
