import { describe, expect, it } from "vitest";
import { defaultMaxDeletions, hasChanges, type MemberChange } from "../../../provider/fleet/plan";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { type Case, changesOf, ownerOf, plan, recordAt, refusalsOf, stepsOf } from "./planned";

describe("what becomes of the members", () => {
  const cases: [string, Case, Record<string, MemberChange>][] = [
    ["one changes its type", { stored: { a: "1" }, wanted: { a: "1r" } }, { a: "replace" }],
    ["one grows", { stored: { a: "1" }, wanted: { a: ["1", { sizeCu: 2 }] } }, { a: "update" }],
    ["one is protected from now on", { stored: { a: "1" }, wanted: { a: ["1", { protect: true }] } }, { a: "update" }],
    ["moves are not to be had", { stored: { a: "1" }, wanted: { a: "2" }, noMoves: "no moves" }, { a: "replace" }],
    [
      "moves are not to be had, nor the branch known",
      { stored: { a: "1" }, wanted: { a: ["1", { branchId: UNKNOWN }] }, noMoves: "no moves" },
      { a: "replace" },
    ],
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
    [
      "three change places in a circle, and two in another",
      { stored: { a: "1", b: "2", c: "3", d: "4", e: "5" }, wanted: { a: "2", b: "3", c: "1", d: "5", e: "4" } },
      { a: "replace", b: "update", c: "update", d: "replace", e: "update" },
    ],
    [
      "what an interrupted run made is there",
      { wanted: { a: "1" }, found: { a: { record: recordAt("ep-x", "1"), as: "interrupted" } } },
      { a: "adopt" },
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
      { stored: { a: "1" }, wanted: { a: "1" }, moved: { a: "br-2" }, noMoves: "no moves" },
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
    ["one may adopt", { wanted: { a: ["1", { adoptExisting: UNKNOWN }] }, others: { x: "1" } }, { a: "adopt" }],
    [
      "nobody knows yet whether it stays protected",
      { stored: { a: ["1", { protect: true }] }, wanted: { a: ["1", { protect: UNKNOWN }] } },
      { a: "same" },
    ],
    [
      "one changes its type, and is no longer protected",
      { stored: { a: ["1", { protect: true }] }, wanted: { a: "1r" } },
      { a: "replace" },
    ],
    [
      "one changes its type, and nobody knows where it goes",
      { stored: { a: "1" }, wanted: { a: ["1r", { branchId: UNKNOWN }] } },
      { a: "replace" },
    ],
    [
      "one is protected, and only its branch is not known",
      {
        stored: { a: ["1", { protect: true }] },
        wanted: { a: ["1", { protect: true, branchId: UNKNOWN }] },
        noMoves: "no moves",
      },
      { a: "replace" },
    ],
    [
      "an imported one that was taken over leaves",
      { stored: { a: ["1", { adopted: true }] }, wanted: {}, imported: true },
      { a: "release" },
    ],
  ];

  it.each(cases)("%s", (_, one, changes) => {
    const planned = plan(one);
    expect(planned.refusals).toEqual([]);
    expect(changesOf(one)).toEqual(changes);
    expect(hasChanges(planned)).toBe(Object.values(changes).some((change) => change !== "same"));
    for (const { key, change, claim, found, movedTo } of planned.members.values()) {
      if (change === "same") expect(movedTo).toBe(one.moved?.[key]);
      if (change === "adopt") expect(found?.as).toBe(one.found?.[key]?.as ?? "adopted");
      if (change === "create" || change === "adopt" || change === "replace") expect(claim.arrival).toBe(change);
    }
  });

  it("one of which nobody knows where it goes changes nothing for the others", () => {
    const unknown: Case = { stored: { a: "1", b: "2" }, wanted: { a: ["1", { branchId: UNKNOWN }], b: "1" } };
    expect(plan(unknown).refusals).toEqual([]);
    expect(changesOf(unknown)).toEqual({ a: "update", b: "update" });
  });

  it.each([
    ["a primary, for a replica", "1", "2r", "1r"],
    ["a replica, for a primary", "1r", "2", "1"],
    ["a replica, for a replica", "1r", "2r", "1r"],
  ])("one of which nobody knows where it goes may stay where another comes beside it: %s", (_, there, from, to) => {
    const unknown: Case = {
      stored: { a: there, b: from },
      wanted: { a: [there, { branchId: UNKNOWN }], b: [to, { protect: true }] },
    };
    expect(changesOf(unknown)).toEqual({ a: "update", b: "replace" });
    expect(plan(unknown).members.get("b")?.diff?.messages.join()).toMatch(
      /replaced: member "a", of which it is not known yet where it goes, may stay on branch br-1, and an endpoint moves in/,
    );
    expect(refusalsOf({ ...unknown, maxDeletions: 0 })).toMatchObject([{ kind: "too_many", replaced: ["b"] }]);
    const kept: Case = { ...unknown, stored: { a: there, b: [from, { protect: true }] } };
    expect(refusalsOf(kept)).toMatchObject([{ kind: "protected", about: ["b"], change: "replaced" }]);
  });
});

describe("the order", () => {
  it.each<[string, Case, string[]]>([
    [
      "a chain from its end",
      { stored: { a: "1", b: "2", c: "3" }, wanted: { a: "2", b: "3", c: "4" } },
      ["change c", "change b", "change a"],
    ],
    ["a delete that makes room for a new one", { stored: { a: "1" }, wanted: { b: "1" } }, ["go a", "come b"]],
    [
      "other deletes last",
      { stored: { a: "1", b: "2" }, wanted: { b: ["2", { sizeCu: 1 }], c: "3" } },
      ["change b", "come c", "go a"],
    ],
    [
      "what frees a branch before the primary that a replica waits for",
      { stored: { z: "1" }, wanted: { a: "2", r: "2r", b: "1" } },
      ["go z", "come a", "come b", "come r"],
    ],
    [
      "a replica that waits for no primary that leaves",
      { stored: { a: "3", z: "1" }, wanted: { a: "4", z: "2", r: "1r" } },
      ["change a", "change z", "come r"],
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
    [
      "one that comes to where another was moved",
      { stored: { a: "1", b: "3" }, wanted: { a: "1", b: "2", c: "2r" }, moved: { a: "br-2" } },
      [{ kind: "moved_there", about: ["b"], other: ownerOf("a"), movedFrom: "br-1" }],
    ],
    [
      "one that comes to where another was moved away",
      { stored: { a: "1" }, wanted: { a: "1", b: "1" }, moved: { a: "br-2" } },
      [{ kind: "declared_twice", about: ["b"], first: ownerOf("a") }],
    ],
    [
      "a branch where one stays that is let go",
      { stored: { a: ["1", { retainOnDelete: true }] }, wanted: { b: "1" } },
      [{ kind: "left_behind", about: ["b"], other: ownerOf("a"), id: "p/ep-a", isNew: true }],
    ],
    [
      "a replacement of what is protected, by its type, whatever its branch is to be",
      { stored: { a: ["1", { protect: true }] }, wanted: { a: ["1r", { protect: true, branchId: UNKNOWN }] } },
      [{ kind: "protected", about: ["a"], change: "replaced", why: "an endpoint cannot change its type" }],
    ],
    [
      "a delete of what was just imported",
      { stored: { a: "1" }, wanted: {}, imported: true },
      [{ kind: "undeclared", about: ["a"], id: "p/ep-a" }],
    ],
    [
      "a swap of what is protected",
      {
        stored: { a: ["1", { protect: true }], b: ["2", { adopted: true }] },
        wanted: { a: ["2", { protect: true }], b: "1" },
      },
      [{ kind: "circle", about: ["a", "b"] }],
    ],
    [
      "a move that leaves behind what another needs",
      { stored: { a: ["1", { adopted: true }], r: "2r", b: "3" }, wanted: { a: "2", r: "2r", b: "1" } },
      [{ kind: "left_behind", about: ["b"], other: ownerOf("a") }],
    ],
  ])("%s", (_, one, refusals) => {
    expect(refusalsOf(one)).toMatchObject(refusals);
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
    expect(refusalsOf({ ...one, maxDeletions: 2 })).toEqual([
      { about: [], kind: "too_many", deleted: ["b", "c"], replaced: ["a"], limit: 2, members: 4 },
    ]);
    expect(plan({ ...one, maxDeletions: 3 }).refusals).toEqual([]);
  });

  it.each<[string, Case]>([
    ["what is not known yet", { stored: { a: "1" }, wanted: { a: ["1", { projectId: UNKNOWN }] } }],
    ["what stays on the platform", { stored: { a: ["1", { adopted: true }] }, wanted: { a: "1r" } }],
    ["what no state has", { wanted: { a: "1" }, found: { a: { record: recordAt("ep-x", "1r"), as: "interrupted" } } }],
    ["anything while the limit is not known", { stored: { a: "1" }, wanted: {}, maxDeletions: UNKNOWN }],
  ])("does not count %s", (_, one) => {
    expect(plan({ maxDeletions: 0, ...one }).refusals).toEqual([]);
  });

  it("does not count what is refused anyway", () => {
    const one: Case = { stored: { a: ["1", { protect: true }] }, wanted: {}, maxDeletions: 0 };
    expect(refusalsOf(one).map(({ kind }) => kind)).toEqual(["protected"]);
  });
});
