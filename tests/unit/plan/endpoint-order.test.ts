import { describe } from "vitest";
import { table } from "./endpoint-table";

describe("an endpoint has one owner", () => {
  table({
    "what another resource is about to leave is not adopted before that": {
      resources: { main: { to: "rw b1", adopts: true, done: true }, legacy: { from: "rw b1", to: "rw b2" } },
      plans: { main: "adopt ep-legacy", legacy: "order: legacy, main" },
    },
    "what bears the name of another resource is not adopted at all": {
      there: [["ep-legacy", "rw b1", "legacy"]],
      resources: { main: { to: "rw b1", adopts: true }, legacy: { from: "rw b1", to: "rw b2" } },
      plans: { main: "new occupied: ep-legacy of legacy", legacy: "move" },
    },
    "after that one has left, there is nothing to adopt": {
      resources: {
        legacy: { from: "rw b1", to: "rw b2", done: true },
        main: { to: "rw b1", adopts: true },
      },
      plans: { legacy: "move", main: "create" },
    },
    "two that would stay with one endpoint": {
      resources: { main: { to: "rw b", adopts: true, done: true }, legacy: { from: "rw b", to: "rw b" } },
      plans: { main: "adopt ep-legacy", legacy: "two owners: main, legacy" },
    },
    "two that have one read-write endpoint in the state": {
      there: [["ep-one", "rw b"]],
      resources: { one: { from: "rw b", to: "rw b" }, two: { from: "rw b", to: "rw c" } },
      plans: { one: "stays", two: "two owners: one, two" },
    },
    "what is another's by this run is not adopted": {
      resources: { legacy: { from: "rw b", to: "rw b" }, main: { to: "rw b", adopts: true } },
      plans: { legacy: "stays", main: "declared twice: legacy" },
    },
    "what an interrupted run created for the resource is its own, adopted or not": {
      there: [["ep-left", "rw b", "main"]],
      resources: { main: { to: "rw b", adopts: true } },
      plans: { main: "own: ep-left" },
    },
    "what an interrupted run created is taken up when that is asked for": {
      there: [["ep-left", "rw b", "main"]],
      resources: { main: { to: "rw b", takesUp: true } },
      plans: { main: "adopt ep-left" },
    },
    "a replica that an interrupted run created is taken up when that is asked for, and no other": {
      there: [
        ["ep-other", "ro b", "other"],
        ["ep-left", "ro b", "main"],
        ["ep-elsewhere", "ro c", "main"],
      ],
      resources: { main: { to: "ro b", takesUp: true }, second: { to: "ro b", takesUp: true }, other: { to: "ro b" } },
      plans: { main: "adopt ep-left", second: "create", other: "create" },
    },
    "what is nobody's is adopted by a new resource": {
      there: [["ep-x", "rw b"]],
      resources: { main: { to: "rw b", adopts: true } },
      plans: { main: "adopt ep-x" },
    },
    "only a new resource adopts": {
      there: [["ep-x", "rw b"]],
      resources: { main: { from: "rw a", to: "rw b" } },
      plans: { main: "occupied: ep-x, leaves a" },
    },
  });
});

describe("a primary and its replica move to an empty branch together", () => {
  const primary = { from: "rw b1", to: "rw b2" };
  const replica = { from: "ro b1", to: "ro b2" };
  table({
    "the primary first: the replica is replaced": {
      resources: { primary: { ...primary, done: true }, replica },
      plans: { primary: "move", replica: "replace" },
    },
    "the same, where the host tells that the replica waits": {
      resources: { primary: { ...primary, after: [] }, replica: { ...replica, after: ["primary"] } },
      plans: { primary: "move", replica: "replace" },
    },
    "two replicas after the primary, in any order between them": {
      resources: {
        primary: { ...primary, after: [] },
        one: { ...replica, after: ["primary"] },
        two: { ...replica, after: ["primary"] },
      },
      plans: { primary: "move", one: "replace", two: "replace" },
    },
    "without an order, whichever comes second is refused": {
      resources: { primary, replica },
      plans: { primary: "move", replica: "order: primary, replica" },
    },
    "without an order, though the step is done, where the host tells": {
      resources: { primary: { ...primary, after: [], done: true }, replica: { ...replica, after: [] } },
      plans: { primary: "move", replica: "order: primary, replica" },
    },
    "without an order, the other way round": {
      resources: { replica, primary },
      plans: { replica: "move", primary: "order: replica, primary" },
    },
    "the replica first: the primary is replaced": {
      resources: { replica: { ...replica, done: true }, primary },
      plans: { replica: "move", primary: "replace" },
    },
  });
});

describe("arrivals and departures of every type count", () => {
  table({
    "a replica moves to the branch of a new primary": {
      resources: { primary: { to: "rw b2", done: true }, replica: { from: "ro b1", to: "ro b2" } },
      plans: { primary: "create", replica: "replace" },
    },
    "a replica moves to the branch of a new primary, without an order": {
      resources: { primary: { to: "rw b2" }, replica: { from: "ro b1", to: "ro b2" } },
      plans: { primary: "create", replica: "order: primary, replica" },
    },
    "a new primary comes without an order to where a replica moves": {
      resources: { replica: { from: "ro b1", to: "ro b2" }, primary: { to: "rw b2" } },
      plans: { replica: "move", primary: "order: primary, replica" },
    },
    "a new primary comes after a replica has moved there": {
      resources: { replica: { from: "ro b1", to: "ro b2", done: true }, primary: { to: "rw b2" } },
      plans: { replica: "move", primary: "create" },
    },
    "a primary moves to the branch of a new replica": {
      resources: { replica: { to: "ro b2", done: true }, primary: { from: "rw b1", to: "rw b2" } },
      plans: { replica: "create", primary: "replace" },
    },
    "a primary moves to a branch that its replica leaves first": {
      resources: {
        replica: { from: "ro b2", to: "ro b3", done: true },
        primary: { from: "rw b1", to: "rw b2" },
      },
      plans: { replica: "move", primary: "move" },
    },
    "a primary moves to a branch that its replica leaves, without an order": {
      resources: { replica: { from: "ro b2", to: "ro b3" }, primary: { from: "rw b1", to: "rw b2" } },
      plans: { replica: "move", primary: "order: replica, primary" },
    },
    "a replica that stays, where somebody stays anyway, needs no order": {
      there: [["ep-x", "ro b2"]],
      resources: { one: { from: "ro b2", to: "ro b2" }, two: { from: "ro b1", to: "ro b2" } },
      plans: { one: "stays", two: "replace" },
    },
    "a takeover is an arrival": {
      there: [["ep-x", "rw b2"]],
      resources: { primary: { to: "rw b2", adopts: true, done: true }, replica: { from: "ro b1", to: "ro b2" } },
      plans: { primary: "adopt ep-x", replica: "replace" },
    },
    "new replicas need no order": {
      resources: { primary: { to: "rw b" }, one: { to: "ro b" }, two: { to: "ro b" } },
      plans: { primary: "create", one: "create", two: "create" },
    },
  });
});

describe("an order is asked for only where the result depends on it", () => {
  const comer = { from: "rw b1", to: "rw b2" };
  const leaver = { from: "ro b2", to: "ro b3" };
  table({
    "whoever leaves after another was to be replaced because of it": {
      resources: { comer: { ...comer, after: [] }, leaver: { ...leaver, after: [] } },
      plans: { comer: "replace", leaver: "order: leaver, comer" },
    },
    "two leave, and the third stays": {
      there: [["ep-x", "ro b2"]],
      resources: {
        comer: { ...comer, after: [] },
        one: { ...leaver, after: [] },
        two: { from: "ro b2", to: "ro b4", after: [] },
      },
      plans: { comer: "replace", one: "move", two: "move" },
    },
    "one leaves, and another has come before": {
      resources: {
        first: { to: "ro b2", done: true },
        comer,
        leaver,
      },
      plans: { first: "create", comer: "replace", leaver: "move" },
    },
    "one leaves, and another has come, though not for certain before the first was planned": {
      resources: { comer, first: { to: "ro b2", done: "leaver" }, leaver },
      plans: { comer: "replace", first: "create", leaver: "order: leaver, comer" },
    },
    "whoever comes from another type is replaced in any order": {
      resources: { comer: { from: "ro b1", to: "rw b2", after: [] }, leaver: { ...leaver, after: [] } },
      plans: { comer: "replace", leaver: "move" },
    },
    "all are replaced where the platform has no moves": {
      resources: {
        primary: { from: "rw b1", to: "rw b2", noMoves: true },
        replica: { from: "ro b1", to: "ro b2", noMoves: true },
      },
      plans: { primary: "replace", replica: "replace" },
    },
  });
});
