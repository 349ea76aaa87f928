/** Plays each kind of refusal once on the engine's model, and follows its advice until a preview is empty. */
import { expect, it } from "vitest";
import { at, type Case, inFleet, own, plain, to } from "./support/cases";
import { playOut } from "./support/play";
import { usePlatform } from "./support/world";

const leaves = (branch: number, owner: "own" | "adopted" = "own") => ({
  before: at(branch, "read_write", owner),
  home: { ...inFleet(0), after: undefined },
});
const adopts = { ...to(0, "read_write"), adopts: true };

const ways: Record<string, [words: string, program: Partial<Case>]> = {
  "all others go first, where one leaves the branch": [
    "let the other resources go first",
    { slots: [{ before: own(0, "read_write"), after: to(1) }, { after: to(0, "read_write") }] },
  ],
  "all others go first, where a member leaves the branch": [
    "let the other resources go first",
    { slots: [{ before: own(0, "read_write"), after: to(1), home: inFleet(0) }, { after: to(0, "read_write") }] },
  ],
  "one is left out of the program for a run, where the one that has the branch waits for it": [
    "leave this one out of the program for one run",
    { slots: [{ before: own(0, "read_write"), after: to(1) }, { after: to(0, "read_write") }], edges: [[1, 0]] },
  ],
  "two exchange their branches by an empty one": [
    "an empty branch for one run",
    {
      slots: [
        { before: own(0, "read_write"), after: to(1) },
        { before: own(1, "read_write"), after: to(0) },
      ],
    },
  ],
  "nobody's endpoint is adopted": [
    "Take it over with `adoptExisting: true`",
    { slots: [{ before: at(0, "read_write", "stranger"), after: to(0, "read_write") }] },
  ],
  "two members exchange their branches by an empty one": [
    "Give one of them an empty branch for one run",
    {
      slots: [
        { before: own(0, "read_write"), after: to(1), home: inFleet(0) },
        { before: own(1, "read_write"), after: to(0), home: inFleet(0) },
      ],
    },
  ],
  "one of two that declare a branch is given up": [
    "Remove one of the two",
    { slots: [{ after: to(0, "read_write") }, { after: to(0, "read_write") }] },
  ],
  "the branch of before is said for one run, where replicas stand on the one that a primary moves to": [
    "Say branch br-number-0 for one run",
    {
      slots: [
        { before: own(0, "read_write"), after: to(1) },
        { before: own(1, "read_only"), after: "same" },
      ],
    },
  ],
  "a replica waits for the primary that moves to its branch": [
    "add `dependsOn: [r1]`",
    {
      slots: [
        { before: own(0, "read_only"), after: to(1) },
        { before: own(0, "read_write"), after: to(1) },
      ],
      isSerial: true,
    },
  ],
  "one of two that have an endpoint goes": [
    "in a run that sends nothing for it",
    {
      slots: [
        { before: own(0, "read_write"), after: "same" },
        { before: at(0, "read_write", "shared"), after: "same" },
      ],
    },
  ],
  "what asks for another's endpoint is taken off": [
    'Leave "r0" out of the program',
    { slots: [{ after: adopts }, { before: at(0, "read_write", "adopted"), after: to(1) }] },
  ],
  "what an interrupted run left is taken up": [
    "take up what it made",
    { slots: [{ before: at(0, "read_write", "orphan"), after: to(0, "read_write") }] },
  ],
  "what an interrupted run left for a member is taken up": [
    "take up what it made",
    { slots: [{ before: at(0, "read_write", "orphan"), after: to(0, "read_write"), home: inFleet(0) }] },
  ],
  "what was taken over stays as it is": [
    "Take the option that replaces it",
    { slots: [{ before: at(0, "read_write", "adopted"), after: { ...to(0), sizeCu: 1, replaces: true } }] },
  ],
  "what a member leaves is taken over by another one": [
    "then give it `importId",
    { slots: [leaves(0, "adopted"), { after: to(0, "read_write"), home: inFleet(0) }] },
  ],
  "a member is protected no longer": [
    "Keep the member with `protect: false`",
    {
      slots: [
        { before: own(0, "read_write"), home: { ...inFleet(0), after: undefined, protect: "before" } },
        { before: own(1, "read_write"), after: "same", home: inFleet(0) },
      ],
    },
  ],
  "more members may go": [
    "set `maxDeletions: 2`",
    {
      slots: [leaves(0), leaves(1), { before: own(2, "read_write"), after: "same", home: inFleet(0) }],
      fleets: Array(2).fill({ isRenamed: false, staysEmpty: true }),
    },
  ],
};

it.each(Object.entries(ways))("%s", async (_, [words, program]) => {
  const { bench, api } = await usePlatform();
  const { followed } = await playOut(bench, api, { ...plain, ...program });
  expect(followed.join("\n")).toContain(words);
});
