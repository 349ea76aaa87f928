import { describe, expect, it } from "vitest";
import { defaultMaxDeletions, hasChanges } from "../../../provider/fleet/plan";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { type Case, ownerOf, plan, recordAt, refusalsOf } from "./planned";

type Members = Case["wanted"];
type More = Omit<Case, "stored" | "wanted">;
const noMoves = { moves: "replace" } as const;
const kept = { protect: true };
const somewhere = { branchId: UNKNOWN };
const moved = (to: string): More => ({ moved: { a: to } });
const interrupted = (place: string): More => ({ found: { a: { record: recordAt("ep-x", place), as: "interrupted" } } });

// What the table of places (tests/unit/places) says of fleets is not said again here.

describe("what becomes of the members", () => {
  it.each<[string, Members, Members, string, More?]>([
    ["one is to stay when it goes", { a: "1" }, { a: ["1", { retainOnDelete: true }] }, "a update"],
    ["moves are not to be had", { a: "1" }, { a: "2" }, "a replace", noMoves],
    ["what an interrupted run made is there", {}, { a: "1" }, "a adopt", interrupted("1")],
    ["one was moved, and its replica stays", { a: "1", r: "1r" }, { a: "1", r: "1r" }, "a same, r same", moved("br-2")],
    ["one was moved where there are no moves", { a: "1" }, { a: "1" }, "a same", { ...moved("br-2"), ...noMoves }],
    ["one was moved to where it is to be", { a: "1" }, { a: "2" }, "a update", moved("br-2")],
    ["one that was moved leaves, and another comes there", { a: "1" }, { b: "2" }, "a delete, b create", moved("br-2")],
    ["one may adopt", {}, { a: ["1", { adoptExisting: UNKNOWN }] }, "a adopt", { others: { x: "1" } }],
    ["nobody knows yet whether it stays protected", { a: ["1", kept] }, { a: ["1", { protect: UNKNOWN }] }, "a same"],
    ["one changes its type, and is no longer protected", { a: ["1", kept] }, { a: "1r" }, "a replace"],
    ["one changes its type, and nobody knows where it goes", { a: "1" }, { a: ["1r", somewhere] }, "a replace"],
    [
      "one is protected, and only its branch is not known",
      { a: ["1", kept] },
      { a: ["1", { ...kept, ...somewhere }] },
      "a update",
    ],
    ["nobody knows where a replica goes", { a: "1r" }, { a: ["1r", somewhere] }, "a replace"],
    ["a primary and its replica go together", { a: "1", r: "1r" }, { a: "2", r: "2r" }, "a update, r replace"],
    ["two swap where moves are not to be had", { a: "1", b: "2" }, { a: "2", b: "1" }, "a replace, b replace", noMoves],
    [
      "one goes nobody knows where, and another comes there",
      { a: "1", b: "2" },
      { a: ["1", somewhere], b: "1" },
      "a update, b update",
    ],
  ])("%s", (_, stored, wanted, changes, more) => {
    const one = { stored, wanted, ...more };
    const planned = plan(one);
    expect(planned.refusals).toEqual([]);
    expect([...planned.members].map(([key, { change }]) => `${key} ${change}`).join(", ")).toBe(changes);
    expect(hasChanges(planned)).toBe(/create|adopt|update|replace|delete|release/.test(changes));
    for (const { key, change, found, movedTo } of planned.members.values()) {
      if (change === "same") expect(movedTo).toBe(one.moved?.[key]);
      if (change === "adopt") expect(found?.as).toBe(one.found?.[key]?.as ?? "adopted");
    }
  });
});

it.each<[string, Members, Members, string]>([
  ["other deletes last", { a: "1", b: "2" }, { b: ["2", { sizeCu: 1 }], c: "3" }, "change b, come c, go a"],
  [
    "what frees a branch before the primary that a replica waits for",
    { z: "1" },
    { a: "2", r: "2r", b: "1" },
    "go z, come a, come b, come r",
  ],
  ["changes before creates", { b: "2" }, { a: "1", b: ["2", { sizeCu: 1 }] }, "change b, come a"],
  ["a replacement's delete before its create", { a: "1" }, { a: "1r" }, "go a, come a"],
  ["a replica that leaves before a primary that comes to its branch", { r: "1r" }, { a: "1" }, "go r, come a"],
  ["no replica after a primary that leaves its branch", { a: "1" }, { r: "1r" }, "come r, go a"],
])("the order: %s", (_, stored, wanted, steps) => {
  expect(
    plan({ stored, wanted })
      .steps.map(({ key, part }) => `${part} ${key}`)
      .join(", "),
  ).toBe(steps);
});

it.each<[string, Members, Members, object, More?]>([
  [
    "one that comes to where another was moved",
    { a: "1", b: "3" },
    { a: "1", b: "2", c: "2r" },
    { kind: "moved_there", about: ["b"], other: ownerOf("a"), movedFrom: "br-1" },
    moved("br-2"),
  ],
  [
    "one that comes to where another was moved away",
    { a: "1" },
    { a: "1", b: "1" },
    { kind: "declared_twice", about: ["b"], first: ownerOf("a") },
    moved("br-2"),
  ],
  [
    "a branch where one stays that is let go",
    { a: ["1", { retainOnDelete: true }] },
    { b: "1" },
    { kind: "left_for_importing", about: ["b"], other: ownerOf("a"), id: "p/ep-a" },
  ],
  [
    "a replacement of what is protected, by its type, whatever its branch is to be",
    { a: ["1", kept] },
    { a: ["1r", { ...kept, ...somewhere }] },
    { kind: "replace_protected", about: ["a"] },
  ],
  [
    "a delete of what was just imported",
    { a: "1" },
    {},
    { kind: "undeclared", about: ["a"], id: "p/ep-a" },
    { imported: true },
  ],
])("what cannot be: %s", (_, stored, wanted, refusal, more) => {
  expect(refusalsOf({ stored, wanted, ...more })).toMatchObject([refusal]);
});

describe("how many may be deleted", () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 1],
    [1_000, 500],
  ])("of %i members, %i unsaid", (members, limit) => {
    expect(defaultMaxDeletions(members)).toBe(limit);
  });

  it("refuses more, and names them", () => {
    const one: Case = { stored: { a: "1", b: "2", c: "3", d: ["4", { retainOnDelete: true }] }, wanted: { a: "1r" } };
    expect(refusalsOf({ ...one, maxDeletions: 2 })).toEqual([
      { about: [], kind: "too_many", deleted: ["b", "c"], replaced: ["a"], limit: 2, members: 4 },
    ]);
    expect(plan({ ...one, maxDeletions: 3 }).refusals).toEqual([]);
  });

  it.each<[string, Case]>([
    ["what is not known yet", { stored: { a: "1" }, wanted: { a: ["1", { projectId: UNKNOWN }] } }],
    ["what stays on the platform", { stored: { a: ["1", { adopted: true }] }, wanted: { a: "1r" } }],
    [
      "a replica that follows its primary",
      { stored: { a: "1", r: "1r", s: "1r" }, wanted: { a: "2", r: "2r", s: "2r" } },
    ],
    ["anything while the limit is not known", { stored: { a: "1" }, wanted: {}, maxDeletions: UNKNOWN }],
  ])("does not count %s", (_, one) => {
    expect(plan({ maxDeletions: 0, ...one }).refusals).toEqual([]);
  });

  it("does not count what is refused anyway", () => {
    const one: Case = { stored: { a: ["1", { protect: true }] }, wanted: {}, maxDeletions: 0 };
    expect(refusalsOf(one).map(({ kind }) => kind)).toEqual(["delete_protected"]);
  });
});
