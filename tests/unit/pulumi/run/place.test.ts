import { describe, expect, test } from "vitest";
import { newOwnershipName } from "../../../../provider/endpoint/ownership-name";
import { EndpointSnapshot } from "../../../../provider/platform/project/snapshot";
import type { Place } from "../../../../provider/pulumi/run/claims";
import { type PlacePlan, planPlace } from "../../../../provider/pulumi/run/place";
import type { Refusal } from "../../../../provider/pulumi/run/refusal";
import { ownerOf, RunRecords } from "../../../../provider/pulumi/run/run";

/** A resource in the order of the Checks. Places are written as `rw b1`. */
interface Resource {
  from?: string;
  to?: string;
  adopts?: true;
  takesUp?: true;
  /** Its step is answered before the next Check, or before that of another one. */
  done?: true | string;
  /** Those that it waits for, by a host that tells. */
  after?: string[];
  /** Its endpoint was taken over. */
  released?: true;
  noMoves?: true;
  /** It is replaced, whatever Diff said: a second Check shows nothing old; or the only one, where it goes with what it depends on. */
  byForce?: true | "with another";
}

/** What is on the platform: an id, its place, and the resource whose name it bears. */
type There = [id: string, place: string, bears?: string];

interface Row {
  there?: There[];
  resources: Record<string, Resource>;
  /** What becomes of each. */
  plans: Record<string, string>;
}

const urnOf = (name: string) => `urn:pulumi:dev::shop::pgcompute:index:Endpoint::${name}`;
const nameOf = (urn: string | undefined) => urn?.split("::").at(-1);

function placeOf(text: string): Place {
  const [type, branchId = ""] = text.split(" ");
  return { projectId: "p", branchId, type: type === "rw" ? "read_write" : "read_only" };
}

/** Checks the resources one after the other; the endpoint of `one` has the id `ep-one`. */
function planAll({ there = [], resources }: Row): Record<string, string> {
  const run = new RunRecords();
  const own = Object.entries(resources).flatMap(([name, { from }]) => (from ? [[`ep-${name}`, from] as There] : []));
  const ids = new Set(there.map(([id]) => id));
  const records = [...own.filter(([id]) => !ids.has(id)), ...there].map(([id, place, bears]) => ({
    ...placeOf(place),
    id,
    ...(bears === undefined ? {} : { name: newOwnershipName(ownerOf(urnOf(bears))) }),
    pgSettings: {},
  }));
  const plans = Object.entries(resources).map(([name, resource]) => {
    const urn = urnOf(name);
    for (const [one, { done }] of Object.entries(resources)) if (done === name) run.claims.done(urnOf(one));
    const { from, to, after, adopts, takesUp, noMoves, released, byForce, done } = resource;
    Object.assign(run.record(urn), { isDeclared: true, isReleased: released === true });
    const request = {
      urn,
      from: from === undefined ? undefined : placeOf(from),
      to: to === undefined ? undefined : placeOf(to),
      wantsToAdopt: adopts === true,
      takesUp: takesUp === true,
      movesInPlace: noMoves !== true,
      after: after && new Set(after.map(urnOf)),
      snapshot: new EndpointSnapshot(records),
    };
    let planned: PlacePlan | undefined;
    if (byForce !== "with another") {
      planned = planPlace(run, request);
      run.claims.put(planned.claim);
      expect(planned.replacedBecause === undefined).toBe(
        planned.claim.arrival !== "replacement" || planned.refusal !== undefined || !isMove(resource),
      );
    }
    if (from !== undefined) run.identify(urn, `ep-${name}`);
    if (byForce || !planned) {
      run.record(urn).isCompared = true;
      planned = planPlace(run, { ...request, from: undefined });
      run.claims.put(planned.claim);
    }
    const { claim, refusal, adopts: taken } = planned;
    if (done === true) run.claims.done(urn);
    return [name, refusal ? refused(refusal) : taken ? `adopt ${taken.id}` : (claim.arrival ?? "stays")];
  });
  return Object.fromEntries(plans);
}

function isMove({ from = "", to = "" }: Resource): boolean {
  return from.slice(0, 2) === to.slice(0, 2) && from !== to;
}

function refused(refusal: Refusal): string {
  switch (refusal.kind) {
    case "order":
      return `order: ${nameOf(refusal.first)}, ${nameOf(refusal.second)}`;
    case "declared_twice":
      return `declared twice: ${nameOf(refusal.first)}`;
    case "two_owners":
      return `two owners: ${refusal.urns.map(nameOf).join(", ")}`;
    case "leaves_late":
      return `leaves late: ${nameOf(refusal.other)}`;
    case "own_occupied":
      return `own: ${refusal.occupant.id}`;
    case "released":
      return `released: ${refusal.occupant.id}`;
    case "occupied": {
      const owner = nameOf(refusal.other?.urn) ?? refusal.other?.name;
      const { leftBranchId, leaves } = refusal;
      const left = [
        ...(leftBranchId === undefined ? [] : [`, left ${leftBranchId}`]),
        ...(leaves === undefined ? [] : [`, leaves ${leaves.branchId}${leaves.inTime ? "" : " late"}`]),
      ].join("");
      return `${refusal.isNew ? "new " : ""}occupied: ${refusal.occupant.id}${owner ? ` of ${owner}` : ""}${left}`;
    }
  }
}

const table = (rows: Record<string, Row>) =>
  test.each(Object.entries(rows))("%s", (_, row) => expect(planAll(row)).toEqual(row.plans));

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
      plans: { primary: "move", replica: "replacement" },
    },
    "the same, where the host tells that the replica waits": {
      resources: { primary: { ...primary, after: [] }, replica: { ...replica, after: ["primary"] } },
      plans: { primary: "move", replica: "replacement" },
    },
    "two replicas after the primary, in any order between them": {
      resources: {
        primary: { ...primary, after: [] },
        one: { ...replica, after: ["primary"] },
        two: { ...replica, after: ["primary"] },
      },
      plans: { primary: "move", one: "replacement", two: "replacement" },
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
      plans: { replica: "move", primary: "replacement" },
    },
  });
});

describe("arrivals and departures of every type count", () => {
  table({
    "a replica moves to the branch of a new primary": {
      resources: { primary: { to: "rw b2", done: true }, replica: { from: "ro b1", to: "ro b2" } },
      plans: { primary: "create", replica: "replacement" },
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
      plans: { replica: "create", primary: "replacement" },
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
      plans: { one: "stays", two: "replacement" },
    },
    "a takeover is an arrival": {
      there: [["ep-x", "rw b2"]],
      resources: { primary: { to: "rw b2", adopts: true, done: true }, replica: { from: "ro b1", to: "ro b2" } },
      plans: { primary: "adopt ep-x", replica: "replacement" },
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
      plans: { comer: "replacement", leaver: "order: leaver, comer" },
    },
    "two leave, and the third stays": {
      there: [["ep-x", "ro b2"]],
      resources: {
        comer: { ...comer, after: [] },
        one: { ...leaver, after: [] },
        two: { from: "ro b2", to: "ro b4", after: [] },
      },
      plans: { comer: "replacement", one: "move", two: "move" },
    },
    "one leaves, and another has come before": {
      resources: {
        first: { to: "ro b2", done: true },
        comer,
        leaver,
      },
      plans: { first: "create", comer: "replacement", leaver: "move" },
    },
    "one leaves, and another has come, though not for certain before the first was planned": {
      resources: { comer, first: { to: "ro b2", done: "leaver" }, leaver },
      plans: { comer: "replacement", first: "create", leaver: "order: leaver, comer" },
    },
    "whoever comes from another type is replaced in any order": {
      resources: { comer: { from: "ro b1", to: "rw b2", after: [] }, leaver: { ...leaver, after: [] } },
      plans: { comer: "replacement", leaver: "move" },
    },
    "all are replaced where the platform has no moves": {
      resources: {
        primary: { from: "rw b1", to: "rw b2", noMoves: true },
        replica: { from: "ro b1", to: "ro b2", noMoves: true },
      },
      plans: { primary: "replacement", replica: "replacement" },
    },
  });
});

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
      plans: { one: "replacement", two: "replacement" },
    },
    "roles change on one branch, without an order": {
      resources: { one: { from: "rw b", to: "ro b" }, two: { from: "ro b", to: "rw b" } },
      plans: { one: "replacement", two: "order: one, two" },
    },
    "roles change on one branch, the wrong way round": {
      there: [["ep-one", "rw b", "one"]],
      resources: { two: { from: "ro b", to: "rw b" }, one: { from: "rw b", to: "ro b" } },
      plans: { two: "occupied: ep-one of one", one: "replacement" },
    },
    "what is replaced on another branch leaves late": {
      there: [["ep-x", "ro b2"]],
      resources: { one: { from: "rw b1", to: "rw b2", done: true }, two: { to: "rw b1" } },
      plans: { one: "replacement", two: "leaves late: one" },
    },
    "what was taken over stays where it is when its resource changes its type": {
      resources: { one: { from: "rw b", to: "ro b", released: true, done: true }, two: { to: "rw b" } },
      plans: { one: "replacement", two: "leaves late: one" },
    },
    "a replica comes to where what was taken over stays": {
      resources: {
        one: { from: "rw b", to: "ro c", released: true, done: true },
        two: { from: "ro a", to: "ro b" },
      },
      plans: { one: "replacement", two: "replacement" },
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
      plans: { one: "replacement", two: "leaves late: one" },
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
      plans: { main: "replacement" },
    },
    "is replaced where the platform has no moves": {
      resources: { main: { from: "rw a", to: "rw b", noMoves: true } },
      plans: { main: "replacement" },
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
