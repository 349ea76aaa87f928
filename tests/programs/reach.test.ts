import { expect, it } from "vitest";
import { type Planned, reachOf } from "./support/reach";

const none = { said: "same", done: "same", from: undefined, to: undefined, isMeddled: false } as const;
const planned = (name: string, part: Partial<Planned>): Planned => ({ ...none, name, ...part });
const otherwise = { said: "replace", done: "update" } as const;

const cases: { what: string; all: Planned[]; reached: string[] }[] = [
  {
    what: "nobody where nothing was touched, however it was planned",
    all: [planned("r", { ...otherwise, from: "a", to: "b" })],
    reached: [],
  },
  { what: "who is bound for a touched branch", all: [planned("r", { from: "a", to: "touched" })], reached: ["r"] },
  { what: "who stays there and leaves the program", all: [planned("r", { from: "touched" })], reached: ["r"] },
  { what: "nobody who leaves it for another", all: [planned("r", { from: "touched", to: "b" })], reached: [] },
  {
    what: "who is bound for what another leaves otherwise than was said",
    all: [planned("second", { from: "b", to: "a" }), planned("first", { ...otherwise, from: "a", to: "touched" })],
    reached: ["first", "second"],
  },
  {
    what: "nobody behind one that did as was said",
    all: [planned("second", { from: "b", to: "a" }), planned("first", { from: "a", to: "touched" })],
    reached: ["first"],
  },
  {
    what: "nobody behind one that was not planned at all",
    all: [
      planned("second", { from: "b", to: "a" }),
      planned("first", { ...otherwise, done: undefined, from: "a", to: "touched" }),
    ],
    reached: ["first"],
  },
  {
    what: "who is bound for where one goes whose own endpoint was changed",
    all: [planned("first", { ...otherwise, from: "a", to: "b", isMeddled: true }), planned("second", { to: "b" })],
    reached: ["first", "second"],
  },
];

it.each(cases)("reaches $what", ({ all, reached }) => {
  expect([...reachOf(all, ["touched"])].sort()).toEqual(reached);
});
