import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withBookkeeping } from "../../../provider/endpoint/state";
import { type Member, parseFleet } from "../../../provider/fleet/parse-fleet";
import { defaultMaxDeletions, type Found, type MemberChange, planFleet } from "../../../provider/fleet/plan";
import type { StoredMember } from "../../../provider/fleet/state";
import { UNKNOWN } from "../../../provider/lib/unknown";
import type { EndpointRecord } from "../../../provider/platform/records";

type Changes = Record<string, unknown>;

/** A place in short: `1` is the read-write endpoint of branch 1, `1r` a replica there. */
function inputsAt(place: string): Changes {
  return { projectId: "p", branchId: `br-${place[0]}`, type: place.endsWith("r") ? "read_only" : "read_write" };
}

function storedAt(key: string, place: string, options: Changes = {}): StoredMember {
  const { adopted, ...rest } = options;
  const values = { ...inputsAt(place), endpointId: `ep-${key}`, host: `ep-${key}.example.com` };
  const set = ["projectId", "branchId", "type"] as const;
  return { state: withBookkeeping(values, { set: [...set], ...(adopted === true && { adopted }) }), ...rest };
}

function recordAt(id: string, place: string): EndpointRecord {
  return { id, ...inputsAt(place) } as EndpointRecord;
}

interface Case {
  stored?: Record<string, string | [string, Changes]>;
  wanted: Record<string, string | [string, Changes]>;
  others?: Record<string, string>;
  /** Members whose endpoints stand on another branch than the state has. */
  moved?: Record<string, string>;
  found?: Record<string, Found>;
  maxDeletions?: number;
  movesInPlace?: boolean;
}

function plan(one: Case) {
  const { stored = {}, wanted, others = {}, moved = {}, found = {}, maxDeletions = 99, movesInPlace = true } = one;
  const members = Object.entries(stored).map(([key, one]) => {
    const [place, options = {}] = typeof one === "string" ? [one] : one;
    return [key, storedAt(key, place, options)] as const;
  });
  const endpoints = Object.fromEntries(
    Object.entries(wanted).map(([key, one]) => {
      const [place, more = {}] = typeof one === "string" ? [one] : one;
      return [key, { ...inputsAt(place), ...more }];
    }),
  );
  const records = Object.entries(others).map(([id, place]) => recordAt(id, place));
  return planFleet({
    stored: new Map(members),
    wanted: parseFleet({ endpoints }).members as ReadonlyMap<string, Member>,
    found: new Map(Object.entries(found)),
    maxDeletions,
    branchOf: (_, endpointId) => moved[endpointId.replace("ep-", "")],
    isGivenUp: () => false,
    isTakenBefore: () => false,
    surroundings: {
      others: ({ branchId }) => records.filter((record) => record.branchId === branchId),
      isComeTo: () => false,
      mayAdopt: () => true,
      movesInPlace,
    },
  });
}

function changesOf(one: Case): Record<string, MemberChange> {
  return Object.fromEntries([...plan(one).members].map(([key, { change }]) => [key, change]));
}

const stepsOf = (one: Case) => plan(one).steps.map(({ key, part }) => `${part} ${key}`);

describe("what becomes of the members", () => {
  const cases: [string, Case, Record<string, MemberChange>][] = [
    ["nothing", { stored: { a: "1" }, wanted: { a: "1" } }, { a: "same" }],
    ["one is new", { stored: { a: "1" }, wanted: { a: "1", b: "2" } }, { a: "same", b: "create" }],
    ["one leaves", { stored: { a: "1", b: "2" }, wanted: { a: "1" } }, { a: "same", b: "delete" }],
    ["one moves", { stored: { a: "1" }, wanted: { a: "2" } }, { a: "update" }],
    ["one changes its type", { stored: { a: "1" }, wanted: { a: "1r" } }, { a: "replace" }],
    ["one grows", { stored: { a: "1" }, wanted: { a: ["1", { sizeCu: 2 }] } }, { a: "update" }],
    ["one is protected from now on", { stored: { a: "1" }, wanted: { a: ["1", { protect: true }] } }, { a: "update" }],
    ["moves are not to be had", { stored: { a: "1" }, wanted: { a: "2" }, movesInPlace: false }, { a: "replace" }],
    ["a replica is in the way", { stored: { a: "1" }, wanted: { a: "2" }, others: { x: "2r" } }, { a: "replace" }],
    ["a key is renamed", { stored: { a: "1" }, wanted: { b: "1" } }, { b: "create", a: "delete" }],
    [
      "an adopted one leaves",
      { stored: { a: ["1", { adopted: true }], b: ["2", { retainOnDelete: true }] }, wanted: {} },
      { a: "release", b: "release" },
    ],
    [
      "a primary moves with its replicas",
      { stored: { a: "1", r: "1r", s: "1r" }, wanted: { a: "2", r: "2r", s: "2r" } },
      { a: "update", r: "replace", s: "replace" },
    ],
    ["two swap", { stored: { a: "1", b: "2" }, wanted: { a: "2", b: "1" } }, { a: "replace", b: "update" }],
    [
      "what an interrupted run made is there",
      { wanted: { a: "1" }, found: { a: { record: recordAt("ep-x", "1"), as: "interrupted" } } },
      { a: "take" },
    ],
    [
      "what an interrupted run made is of another type",
      { wanted: { a: "1" }, found: { a: { record: recordAt("ep-x", "1r"), as: "interrupted" } } },
      { a: "replace" },
    ],
    [
      "one was moved, and its replica stays",
      { stored: { a: "1", r: "1r" }, wanted: { a: "1", r: "1r" }, moved: { a: "br-2" } },
      { a: "same", r: "same" },
    ],
    [
      "two were exchanged by hand",
      { stored: { a: "1", b: "2" }, wanted: { a: "1", b: "2" }, moved: { a: "br-2", b: "br-1" } },
      { a: "same", b: "same" },
    ],
    [
      "one was moved where there are no moves",
      { stored: { a: "1" }, wanted: { a: "1" }, moved: { a: "br-2" }, movesInPlace: false },
      { a: "same" },
    ],
    [
      "one was moved to where it is to be",
      { stored: { a: "1" }, wanted: { a: "2" }, moved: { a: "br-2" } },
      { a: "update" },
    ],
    [
      "one that was moved leaves, and another comes there",
      { stored: { a: "1" }, wanted: { b: "2" }, moved: { a: "br-2" } },
      { b: "create", a: "delete" },
    ],
    ["one adopts", { wanted: { a: ["1", { adoptExisting: true }] }, others: { x: "1" } }, { a: "take" }],
    ["nothing is there to adopt", { wanted: { a: ["1", { adoptExisting: true }] } }, { a: "create" }],
  ];

  it.each(cases)("%s", (_, one, changes) => {
    expect(plan(one).refusals).toEqual([]);
    expect(changesOf(one)).toEqual(changes);
  });

  it("one of which nobody knows where it goes changes nothing for the others", () => {
    const unknown: Case = { stored: { a: "1", b: "2" }, wanted: { a: ["1", { branchId: UNKNOWN }], b: "1" } };
    expect(plan(unknown).refusals).toEqual([]);
    expect(changesOf(unknown)).toEqual({ a: "update", b: "update" });
  });
});

describe("the order", () => {
  it.each<[string, Case, string[]]>([
    [
      "a chain from its end",
      { stored: { a: "1", b: "2", c: "3" }, wanted: { a: "2", b: "3", c: "4" } },
      ["change c", "change b", "change a"],
    ],
    ["a delete that makes room", { stored: { a: "1", b: "2" }, wanted: { b: "1" } }, ["go a", "change b"]],
    ["a delete that makes room for a new one", { stored: { a: "1" }, wanted: { b: "1" } }, ["go a", "come b"]],
    [
      "other deletes last",
      { stored: { a: "1", b: "2" }, wanted: { b: ["2", { sizeCu: 1 }], c: "3" } },
      ["change b", "come c", "go a"],
    ],
    ["a primary before its replicas", { wanted: { r: "1r", a: "1" } }, ["come a", "come r"]],
    ["a replacement's delete before its create", { stored: { a: "1" }, wanted: { a: "1r" } }, ["go a", "come a"]],
    [
      "one of two that swap makes room",
      { stored: { a: "1", b: "2" }, wanted: { a: "2", b: "1" } },
      ["go a", "change b", "come a"],
    ],
  ])("%s", (_, one, steps) => {
    expect(stepsOf(one)).toEqual(steps);
  });
});

describe("what cannot be", () => {
  it.each<[string, Case, object[]]>([
    ["two on one branch", { wanted: { a: "1", b: "1" } }, [{ kind: "declared_twice", key: "b", other: "a" }]],
    [
      "one that comes to where another was moved",
      { stored: { a: "1", b: "3" }, wanted: { a: "1", b: "2", c: "2r" }, moved: { a: "br-2" } },
      [{ kind: "moved_there", key: "b", other: "a", movedFrom: "br-1" }],
    ],
    [
      "one that comes to where another was moved away",
      { stored: { a: "1" }, wanted: { a: "1", b: "1" }, moved: { a: "br-2" } },
      [{ kind: "declared_twice", key: "b", other: "a" }],
    ],
    [
      "a branch that has one",
      { wanted: { a: "1" }, others: { x: "1" } },
      [{ kind: "occupied", key: "a", occupant: { id: "x" } }],
    ],
    [
      "a branch where one stays that is let go",
      { stored: { a: ["1", { retainOnDelete: true }] }, wanted: { b: "1" } },
      [{ kind: "left_behind", key: "b", other: "a" }],
    ],
    [
      "a delete of what is protected",
      { stored: { a: ["1", { protect: true }] }, wanted: {} },
      [{ kind: "protected", key: "a", change: "deleted" }],
    ],
    [
      "a replacement of what is protected",
      { stored: { a: ["1", { protect: true }] }, wanted: { a: ["1r", { protect: true }] } },
      [{ kind: "protected", key: "a", change: "replaced" }],
    ],
    [
      "a swap of what is protected",
      {
        stored: { a: ["1", { protect: true }], b: ["2", { adopted: true }] },
        wanted: { a: ["2", { protect: true }], b: "1" },
      },
      [{ kind: "circle", keys: ["a", "b"] }],
    ],
    [
      "a move that leaves behind what another needs",
      { stored: { a: ["1", { adopted: true }], r: "2r", b: "3" }, wanted: { a: "2", r: "2r", b: "1" } },
      [{ kind: "left_behind", key: "b", other: "a" }],
    ],
  ])("%s", (_, one, refusals) => {
    expect(plan(one).refusals).toMatchObject(refusals);
  });

  it("makes room with one that may go", () => {
    const swap: Case = {
      stored: { a: ["1", { protect: true }], b: "2" },
      wanted: { a: ["2", { protect: true }], b: "1" },
    };
    expect(changesOf(swap)).toEqual({ a: "update", b: "replace" });
  });
});

describe("how many may be deleted", () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 1],
    [4, 2],
    [1_000, 500],
  ])("of %i members, %i unsaid", (members, limit) => {
    expect(defaultMaxDeletions(members)).toBe(limit);
  });

  it("refuses more, and names them", () => {
    const one: Case = { stored: { a: "1", b: "2", c: "3", d: ["4", { retainOnDelete: true }] }, wanted: { a: "1r" } };
    expect(plan({ ...one, maxDeletions: 2 }).refusals).toEqual([
      { kind: "too_many", deleted: ["b", "c"], replaced: ["a"], limit: 2, members: 4 },
    ]);
    expect(plan({ ...one, maxDeletions: 3 }).refusals).toEqual([]);
  });

  it("does not count what is not known yet", () => {
    const one: Case = { stored: { a: "1" }, wanted: { a: ["1", { projectId: UNKNOWN }] }, maxDeletions: 0 };
    expect(plan(one).refusals).toEqual([]);
  });
});

/** The platform's rules in short: which endpoints stand where, and what is refused. */
class Model {
  readonly places = new Map<string, string>();

  come(id: string, place: string): void {
    const isPrimary = !place.endsWith("r");
    if (isPrimary && [...this.places.values()].includes(place)) throw new Error(`${place} has a primary`);
    this.places.set(id, place);
  }

  move(id: string, place: string): void {
    for (const [other, at] of this.places)
      if (other !== id && at[0] === place[0]) throw new Error(`${place} is not empty`);
    this.places.set(id, place);
  }
}

describe("whatever the members were and are to be", () => {
  const place = fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom("", "", "r"))
    .map(([at, type]) => `${at}${type}`);
  const places = fc.dictionary(fc.constantFrom(..."abcdefgh"), place, { noNullPrototype: true }).map(oncePrimary);
  const sizes = { numRuns: Number(process.env.PGCOMPUTE_RUNS ?? 2_000) };

  it("any order that the steps allow leads there by the platform's rules", () => {
    fc.assert(
      fc.property(places, places, fc.array(fc.nat(), { minLength: 30, maxLength: 30 }), (before, after, choices) => {
        const planned = plan({ stored: before, wanted: after });
        expect(planned.refusals).toEqual([]);
        const model = new Model();
        for (const [key, at] of Object.entries(before)) model.places.set(key, at);
        const done = new Set<unknown>();
        let open = planned.steps;
        for (let turn = 0; open.length > 0; turn += 1) {
          const ready = open.filter(({ after: first }) =>
            first.every((one) => done.has(one) || !planned.steps.includes(one)),
          );
          const step = ready[(choices[turn % choices.length] ?? 0) % ready.length];
          if (!step) throw new Error("nothing can be done");
          const to = after[step.key] ?? "";
          if (step.part === "go") model.places.delete(step.key);
          else if (step.part === "come") model.come(step.key, to);
          else if (before[step.key]?.[0] !== to[0]) model.move(step.key, to);
          done.add(step);
          open = open.filter((one) => one !== step);
        }
        expect(Object.fromEntries(model.places)).toEqual(after);
      }),
      sizes,
    );
  });

  it("nobody is replaced who could move, but one for each circle", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(["1", "2", "3", "4", "5", "6"], { minLength: 6 }), (shuffled) => {
        const keys = [..."abcdef"];
        const stored = Object.fromEntries(keys.map((key, at) => [key, `${at + 1}`]));
        const wanted = Object.fromEntries(keys.map((key, at) => [key, shuffled[at] ?? ""]));
        const replaced = Object.values(changesOf({ stored, wanted })).filter((change) => change === "replace");
        expect(replaced).toHaveLength(circlesIn(shuffled.map((to) => Number(to) - 1)));
      }),
    );
  });

  it("thousands are planned in a moment, in pairs that swap too", () => {
    const keys = Array.from({ length: 5_000 }, (_, at) => `m${at}`);
    const branch = (at: number) => ({ projectId: "p", branchId: `br-${at}`, type: "read_write" });
    const stored = new Map(
      keys.map((key, at) => [key, { state: withBookkeeping({ ...branch(at), endpointId: `ep-${at}` }, { set: [] }) }]),
    );
    const endpoints = Object.fromEntries(keys.map((key, at) => [key, branch(at ^ 1)]));
    const planned = planFleet({
      stored,
      wanted: parseFleet({ endpoints }).members as ReadonlyMap<string, Member>,
      found: new Map(),
      maxDeletions: undefined,
      branchOf: () => undefined,
      isGivenUp: () => false,
      isTakenBefore: () => false,
      surroundings: { others: () => [], isComeTo: () => false, mayAdopt: () => false, movesInPlace: true },
    });
    expect(planned.refusals).toEqual([]);
    expect(planned.steps).toHaveLength(7_500);
  });
});

/** Of the primaries that would share a branch, the first stays one. */
function oncePrimary(places: Record<string, string>): Record<string, string> {
  const taken = new Set<string>();
  return Object.fromEntries(
    Object.entries(places).map(([key, at]) => {
      if (at.endsWith("r") || !taken.has(at)) {
        taken.add(at);
        return [key, at];
      }
      return [key, `${at}r`];
    }),
  );
}

/** How many circles of two or more a permutation has. */
function circlesIn(permutation: readonly number[]): number {
  const seen = new Set<number>();
  let circles = 0;
  for (const start of permutation.keys()) {
    let length = 0;
    for (let at = start; !seen.has(at); at = permutation[at] ?? at) {
      seen.add(at);
      length += 1;
    }
    if (length > 1) circles += 1;
  }
  return circles;
}
