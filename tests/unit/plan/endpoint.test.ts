import { describe } from "vitest";
import { table } from "./endpoint-table";

describe("a branch changes hands", () => {
  const aa = { from: "rw b2", to: "rw b3" };
  const bb = { from: "rw b1", to: "rw b2" };
  table({
    "a chain in its order": { resources: { aa: { ...aa, done: true }, bb }, plans: { aa: "move", bb: "move" } },
    "a chain without an order names who leaves": {
      resources: { aa, bb },
      plans: { aa: "move", bb: "order: aa, bb" },
    },
    "a chain the wrong way round names who has the branch": {
      there: [["ep-aa", "rw b2", "aa"]],
      resources: { bb, aa },
      plans: { bb: "occupied: ep-aa of aa, leaves b1", aa: "move" },
    },
    "two that exchange their branches": {
      there: [
        ["ep-aa", "rw b1", "aa"],
        ["ep-bb", "rw b2", "bb"],
      ],
      resources: { aa: { from: "rw b1", to: "rw b2" }, bb: { from: "rw b2", to: "rw b1" } },
      plans: { aa: "occupied: ep-bb of bb, leaves b1", bb: "occupied: ep-aa of aa, leaves b2" },
    },
    "two that exchange their branches where the platform has no moves": {
      there: [["ep-bb", "rw b2"]],
      resources: { aa: { from: "rw b1", to: "rw b2", noMoves: true } },
      plans: { aa: "occupied: ep-bb, leaves b1 late" },
    },
    "roles change on one branch, in their order": {
      resources: { one: { from: "rw b", to: "ro b", done: true }, two: { from: "ro b", to: "rw b" } },
      plans: { one: "replace", two: "replace" },
    },
    "roles change on one branch, without an order": {
      resources: { one: { from: "rw b", to: "ro b" }, two: { from: "ro b", to: "rw b" } },
      plans: { one: "replace", two: "order: one, two" },
    },
    "roles change on one branch, the wrong way round": {
      there: [["ep-one", "rw b", "one"]],
      resources: { two: { from: "ro b", to: "rw b" }, one: { from: "rw b", to: "ro b" } },
      plans: { two: "occupied: ep-one of one", one: "replace" },
    },
    "what is replaced on another branch leaves late": {
      there: [["ep-x", "ro b2"]],
      resources: { one: { from: "rw b1", to: "rw b2", done: true }, two: { to: "rw b1" } },
      plans: { one: "replace", two: "leaves late: one" },
    },
    "what was taken over stays where it is when its resource changes its type": {
      resources: { one: { from: "rw b", to: "ro b", released: true, done: true }, two: { to: "rw b" } },
      plans: { one: "replace", two: "new left behind: one" },
    },
    "a replica comes to where what was taken over stays": {
      resources: {
        one: { from: "rw b", to: "ro c", released: true, done: true },
        two: { from: "ro a", to: "ro b" },
      },
      plans: { one: "replace", two: "replace" },
    },
    "what is replaced with what it depends on goes first, but not what was taken over": {
      resources: {
        one: { from: "rw a", to: "rw a", byForce: "with another" },
        two: { from: "rw b", to: "rw b", byForce: "with another", released: true },
        three: { from: "rw c", to: "rw c", byForce: "with another", released: true, adopts: true },
      },
      plans: { one: "create", two: "new occupied: ep-two", three: "adopt ep-three" },
    },
    "what would move, and is replaced by force, leaves late": {
      resources: { one: { from: "rw b1", to: "rw b2", byForce: true, done: true }, two: { to: "rw b1" } },
      plans: { one: "replace", two: "leaves late: one" },
    },
    "what was taken over stays where it is when it is replaced by force": {
      resources: {
        one: { from: "rw a", to: "rw a", released: true, byForce: true },
        two: { from: "rw b", to: "rw b", byForce: true },
      },
      plans: { one: "released: ep-one", two: "stays" },
    },
    "two read-write endpoints are declared on one branch": {
      resources: { one: { to: "rw b" }, two: { to: "rw b" } },
      plans: { one: "create", two: "declared twice: one" },
    },
  });
});

describe("a single endpoint", () => {
  table({
    stays: { resources: { main: { from: "rw b", to: "rw b" } }, plans: { main: "stays" } },
    "is not planned while its branch is not known": { resources: { main: { from: "rw b" } }, plans: { main: "stays" } },
    "moves to a branch without any": { resources: { main: { from: "rw a", to: "rw b" } }, plans: { main: "move" } },
    "is replaced where a replica stands": {
      there: [["ep-x", "ro b"]],
      resources: { main: { from: "rw a", to: "rw b" } },
      plans: { main: "replace" },
    },
    "is replaced where the platform has no moves": {
      resources: { main: { from: "rw a", to: "rw b", noMoves: true } },
      plans: { main: "replace" },
    },
    "was moved already by an interrupted run": {
      there: [["ep-main", "rw b", "main"]],
      resources: { main: { from: "rw a", to: "rw b" } },
      plans: { main: "move" },
    },
    "is replaced by force, and an interrupted replacement has left its new one": {
      there: [
        ["ep-main", "rw gone"],
        ["ep-new", "rw b", "main"],
      ],
      resources: { main: { from: "rw b", to: "rw b", byForce: true } },
      plans: { main: "own: ep-new" },
    },
    "is replaced by force, and takes up what an interrupted replacement has left": {
      there: [
        ["ep-main", "rw gone"],
        ["ep-new", "rw b", "main"],
      ],
      resources: { main: { from: "rw b", to: "rw b", byForce: true, takesUp: true } },
      plans: { main: "stays" },
    },
    "is replaced by force, and somebody else has come in its place": {
      there: [
        ["ep-main", "rw gone"],
        ["ep-x", "rw b"],
      ],
      resources: { main: { from: "rw b", to: "rw b", byForce: true } },
      plans: { main: "occupied: ep-x" },
    },
    "has another read-write endpoint in its way, and is itself gone from its branch": {
      there: [
        ["ep-main", "rw c"],
        ["ep-x", "rw b"],
      ],
      resources: { main: { from: "rw a", to: "rw b" } },
      plans: { main: "occupied: ep-x, left a" },
    },
  });
});
