/**
 * What becomes of single endpoints. A row is a name; what there is, in the order of the Checks; and what each plan comes to. `a rw b1 > ro b2` is
 * the resource `a`, whose read-write endpoint `ep-a` is to become a replica on another branch; `> rw b2` is new. `ep-x rw b1 of a` is on the
 * platform, and bears the name of `a`.
 */
import { describe, expect, test } from "vitest";
import type { Place } from "../../../provider/endpoint/identity";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, resourceOwner } from "../../../provider/lib/owner";
import { type EndpointPlan, planEndpoint } from "../../../provider/plan/endpoint";
import type { Refusal } from "../../../provider/plan/refusal";
import { World } from "../../../provider/plan/world";
import { EndpointSnapshot } from "../../../provider/platform/project/endpoint-cache";
import { RunRecords } from "../../../provider/pulumi/run";

describe("a branch changes hands", () => {
  table(`
    a chain in its order
      aa rw b2 > rw b3, done; bb rw b1 > rw b2
      => aa: move; bb: move
    a chain without an order names who leaves
      aa rw b2 > rw b3; bb rw b1 > rw b2
      => aa: move; bb: order: aa, bb
    a chain the wrong way round names who has the branch
      ep-aa rw b2 of aa; bb rw b1 > rw b2; aa rw b2 > rw b3
      => bb: occupied: ep-aa of aa, leaves b1; aa: move
    two that exchange their branches
      ep-aa rw b1 of aa; ep-bb rw b2 of bb; aa rw b1 > rw b2; bb rw b2 > rw b1
      => aa: occupied: ep-bb of bb, leaves b1; bb: occupied: ep-aa of aa, leaves b2
    two that exchange their branches where the platform has no moves
      ep-bb rw b2; aa rw b1 > rw b2, no moves
      => aa: occupied: ep-bb, leaves b1 late
    roles change on one branch, in their order
      one rw b > ro b, done; two ro b > rw b
      => one: replace; two: replace
    roles change on one branch, without an order
      one rw b > ro b; two ro b > rw b
      => one: replace; two: order: one, two
    roles change on one branch, the wrong way round
      ep-one rw b of one; two ro b > rw b; one rw b > ro b
      => two: occupied: ep-one of one; one: replace
    what is replaced on another branch leaves late
      ep-x ro b2; one rw b1 > rw b2, done; two > rw b1
      => one: replace; two: leaves late: one
    what was taken over stays where it is when its resource changes its type
      one rw b > ro b, released, done; two > rw b
      => one: replace; two: new left behind: one
    a replica comes to where what was taken over stays
      one rw b > ro c, released, done; two ro a > ro b
      => one: replace; two: replace
    what is replaced with what it depends on goes first, but not what was taken over
      one rw a, with another; two rw b, released, with another; three rw c, adopts, released, with another
      => one: create; two: new occupied: ep-two; three: adopt ep-three
    what would move, and is replaced by force, leaves late
      one rw b1 > rw b2, by force, done; two > rw b1
      => one: replace; two: leaves late: one
    what was taken over stays where it is when it is replaced by force
      one rw a, released, by force; two rw b, by force
      => one: released: ep-one; two: stays
    two read-write endpoints are declared on one branch
      one > rw b; two > rw b
      => one: create; two: declared twice: one
  `);
});

describe("a single endpoint", () => {
  table(`
    stays
      main rw b
      => main: stays
    is not planned while its branch is not known
      main rw b > ?
      => main: stays
    moves to a branch without any
      main rw a > rw b
      => main: move
    is replaced where a replica stands
      ep-x ro b; main rw a > rw b
      => main: replace
    is replaced where the platform has no moves
      main rw a > rw b, no moves
      => main: replace
    was moved already by an interrupted run
      ep-main rw b of main; main rw a > rw b
      => main: move
    is replaced by force, and an interrupted replacement has left its new one
      ep-main rw gone; ep-new rw b of main; main rw b, by force
      => main: own: ep-new
    is replaced by force, and takes up what an interrupted replacement has left
      ep-main rw gone; ep-new rw b of main; main rw b, takes up, by force
      => main: stays
    is replaced by force, and somebody else has come in its place
      ep-main rw gone; ep-x rw b; main rw b, by force
      => main: occupied: ep-x
    has another read-write endpoint in its way, and is itself gone from its branch
      ep-main rw c; ep-x rw b; main rw a > rw b
      => main: occupied: ep-x, left a
  `);
});

describe("an endpoint has one owner", () => {
  table(`
    what another resource is about to leave is not adopted before that
      main > rw b1, adopts, done; legacy rw b1 > rw b2
      => main: adopt ep-legacy; legacy: order: legacy, main
    what bears the name of another resource is not adopted at all
      ep-legacy rw b1 of legacy; main > rw b1, adopts; legacy rw b1 > rw b2
      => main: new occupied: ep-legacy of legacy; legacy: move
    after that one has left, there is nothing to adopt
      legacy rw b1 > rw b2, done; main > rw b1, adopts
      => legacy: move; main: create
    two that would stay with one endpoint
      main > rw b, adopts, done; legacy rw b
      => main: adopt ep-legacy; legacy: two owners: main, legacy
    two that have one read-write endpoint in the state
      ep-one rw b; one rw b; two rw b > rw c
      => one: stays; two: two owners: one, two
    what is another's by this run is not adopted
      legacy rw b; main > rw b, adopts
      => legacy: stays; main: declared twice: legacy
    what an interrupted run created for the resource is its own, adopted or not
      ep-left rw b of main; main > rw b, adopts
      => main: own: ep-left
    what an interrupted run created is taken up when that is asked for
      ep-left rw b of main; main > rw b, takes up
      => main: adopt ep-left
    a replica that an interrupted run created is taken up when that is asked for, and no other
      ep-other ro b of other; ep-left ro b of main; ep-elsewhere ro c of main; main > ro b, takes up; second > ro b, takes up; other > ro b
      => main: adopt ep-left; second: create; other: create
    what is nobody's is adopted by a new resource
      ep-x rw b; main > rw b, adopts
      => main: adopt ep-x
    only a new resource adopts
      ep-x rw b; main rw a > rw b
      => main: occupied: ep-x, leaves a
  `);
});

describe("a primary and its replica move to an empty branch together", () => {
  table(`
    the primary first: the replica is replaced
      primary rw b1 > rw b2, done; replica ro b1 > ro b2
      => primary: move; replica: replace
    the same, where the host tells that the replica waits
      primary rw b1 > rw b2, after nobody; replica ro b1 > ro b2, after primary
      => primary: move; replica: replace
    two replicas after the primary, in any order between them
      primary rw b1 > rw b2, after nobody; one ro b1 > ro b2, after primary; two ro b1 > ro b2, after primary
      => primary: move; one: replace; two: replace
    without an order, whichever comes second is refused
      primary rw b1 > rw b2; replica ro b1 > ro b2
      => primary: move; replica: order: primary, replica
    without an order, though the step is done, where the host tells
      primary rw b1 > rw b2, after nobody, done; replica ro b1 > ro b2, after nobody
      => primary: move; replica: order: primary, replica
    without an order, the other way round
      replica ro b1 > ro b2; primary rw b1 > rw b2
      => replica: move; primary: order: replica, primary
    the replica first: the primary is replaced
      replica ro b1 > ro b2, done; primary rw b1 > rw b2
      => replica: move; primary: replace
  `);
});

describe("arrivals and departures of every type count", () => {
  table(`
    a replica moves to the branch of a new primary
      primary > rw b2, done; replica ro b1 > ro b2
      => primary: create; replica: replace
    a replica moves to the branch of a new primary, without an order
      primary > rw b2; replica ro b1 > ro b2
      => primary: create; replica: order: primary, replica
    a new primary comes without an order to where a replica moves
      replica ro b1 > ro b2; primary > rw b2
      => replica: move; primary: order: primary, replica
    a new primary comes after a replica has moved there
      replica ro b1 > ro b2, done; primary > rw b2
      => replica: move; primary: create
    a primary moves to the branch of a new replica
      replica > ro b2, done; primary rw b1 > rw b2
      => replica: create; primary: replace
    a primary moves to a branch that its replica leaves first
      replica ro b2 > ro b3, done; primary rw b1 > rw b2
      => replica: move; primary: move
    a primary moves to a branch that its replica leaves, without an order
      replica ro b2 > ro b3; primary rw b1 > rw b2
      => replica: move; primary: order: replica, primary
    a replica that stays, where somebody stays anyway, needs no order
      ep-x ro b2; one ro b2; two ro b1 > ro b2
      => one: stays; two: replace
    a takeover is an arrival
      ep-x rw b2; primary > rw b2, adopts, done; replica ro b1 > ro b2
      => primary: adopt ep-x; replica: replace
    new replicas need no order
      primary > rw b; one > ro b; two > ro b
      => primary: create; one: create; two: create
  `);
});

describe("an order is asked for only where the result depends on it", () => {
  table(`
    whoever leaves after another was to be replaced because of it
      comer rw b1 > rw b2, after nobody; leaver ro b2 > ro b3, after nobody
      => comer: replace; leaver: order: leaver, comer
    two leave, and the third stays
      ep-x ro b2; comer rw b1 > rw b2, after nobody; one ro b2 > ro b3, after nobody; two ro b2 > ro b4, after nobody
      => comer: replace; one: move; two: move
    one leaves, and another has come before
      first > ro b2, done; comer rw b1 > rw b2; leaver ro b2 > ro b3
      => first: create; comer: replace; leaver: move
    one leaves, and another has come, though not for certain before the first was planned
      comer rw b1 > rw b2; first > ro b2, done before leaver; leaver ro b2 > ro b3
      => comer: replace; first: create; leaver: order: leaver, comer
    whoever comes from another type is replaced in any order
      comer ro b1 > rw b2, after nobody; leaver ro b2 > ro b3, after nobody
      => comer: replace; leaver: move
    all are replaced where the platform has no moves
      primary rw b1 > rw b2, no moves; replica ro b1 > ro b2, no moves
      => primary: replace; replica: replace
  `);
});

interface Resource {
  name: string;
  from: Place | undefined;
  to: Place | undefined;
  /** Such as `done`: its step is answered before the next Check. */
  flags: readonly string[];
}

const urnOf = (name: string) => resourceOwner(`urn:pulumi:dev::shop::pgcompute:index:Endpoint::${name}`);
const nameOf = (urn: string | undefined) => urn?.split("::").at(-1);

/** A test for each row. */
function table(text: string): void {
  const lines = text.trim().split(/\n\s*/);
  const rows = lines.flatMap((name, at) => (at % 3 === 0 ? [[name, lines[at + 1] ?? "", lines[at + 2]] as const] : []));
  test.each(rows)("%s", (_, given, plans) => expect(`=> ${planAll(given.split("; "))}`).toBe(plans));
}

function placeIn(text: string | undefined): Place | undefined {
  const [type, branchId] = text?.split(" ") ?? [];
  return branchId ? { projectId: "p", branchId, type: type === "rw" ? "read_write" : "read_only" } : undefined;
}

const flagForm =
  /^(?:done(?: before \w+)?|after \w+(?: \w+)*|released|adopts|by force|no moves|takes up|with another)$/;

function resourceIn(statement: string): Resource {
  const [what = "", ...flags] = statement.split(", ");
  const read = /^(\w+) ?(r[wo] \w+)?(?: ?> (r[wo] \w+|\?))?$/.exec(what);
  if (!read || !flags.every((flag) => flagForm.test(flag))) throw new Error(`not understood: ${statement}`);
  const [, name = "", there, next = there] = read;
  return { name, from: placeIn(there), to: placeIn(next), flags };
}

/** Checks the resources one after the other. */
function planAll(statements: readonly string[]): string {
  const run = new RunRecords();
  const resources = statements.filter((one) => !one.startsWith("ep-")).map(resourceIn);
  const there = statements.flatMap((one) => {
    if (!one.startsWith("ep-")) return [];
    const [, id, place, name] = /^(ep-\w+) (r[wo] \w+)(?: of (\w+))?$/.exec(one) ?? [];
    if (id === undefined) throw new Error(`not understood: ${one}`);
    const bears = name === undefined ? {} : { name: newOwnershipName(madeFor(urnOf(name))) };
    return [{ ...(placeIn(place) as Place), id, ...bears, pgSettings: {} }];
  });
  const own = resources.flatMap(({ name, from }) => (from ? [{ ...from, id: `ep-${name}`, pgSettings: {} }] : []));
  const records = [...own.filter(({ id }) => !there.some((one) => one.id === id)), ...there];
  return resources.map((resource) => `${resource.name}: ${planOne(run, resource, { resources, records })}`).join("; ");
}

function planOne(
  run: RunRecords,
  { name, from, to, flags }: Resource,
  {
    resources,
    records,
  }: { resources: readonly Resource[]; records: ConstructorParameters<typeof EndpointSnapshot>[0] },
): string {
  const owner = urnOf(name);
  for (const one of resources) if (one.flags.includes(`done before ${name}`)) run.claims.done(urnOf(one.name));
  Object.assign(run.record(owner), { phase: { kind: "new", inputs: {} }, isReleased: flags.includes("released") });
  const request = { owner, from, to, adopts: flags.includes("adopts") };
  const waits = flags
    .find((flag) => flag.startsWith("after "))
    ?.split(" ")
    .slice(1);
  const world = new World({
    ledger: run,
    lists: new Map([["p", new EndpointSnapshot(records)]]),
    turn: { urn: owner, after: waits && new Set(waits.filter((one) => one !== "nobody").map(urnOf)) },
    isOwn: (one) => one === owner,
    noMoves: flags.find((flag) => flag === "no moves"),
    takesUp: flags.includes("takes up"),
  });
  let planned: EndpointPlan | undefined;
  if (!flags.includes("with another")) {
    planned = planEndpoint(world, request);
    run.claims.put(planned.claim);
    const isMove = from?.type === to?.type && from?.branchId !== to?.branchId;
    const isExplained = planned.claim.arrival === "replace" && planned.refusal === undefined && isMove;
    expect(planned.why !== undefined).toBe(isExplained);
  }
  if (from) run.identify(owner, `ep-${name}`);
  // A second Check of a replacement shows nothing old; it is the only one where the resource goes with what it depends on.
  if (flags.includes("by force") || !planned) {
    run.record(owner).compared = { inPlace: false };
    planned = planEndpoint(world, { ...request, from: undefined });
    run.claims.put(planned.claim);
  }
  if (flags.includes("done")) run.claims.done(owner);
  const { claim, refusal, occupant } = planned;
  return refusal ? refused(refusal) : occupant ? `adopt ${occupant.id}` : (claim.arrival ?? "stays");
}

function refused(refusal: Refusal): string {
  const isNew = "isNew" in refusal && refusal.isNew ? "new " : "";
  switch (refusal.kind) {
    case "order":
      return `order: ${nameOf(refusal.first)}, ${nameOf(refusal.second)}`;
    case "declared_twice":
      return `declared twice: ${nameOf(refusal.first)}`;
    case "two_owners":
      return `two owners: ${refusal.urns.map(nameOf).join(", ")}`;
    case "leaves_late":
      return `leaves late: ${nameOf(refusal.other)}`;
    case "left_behind":
      return `${isNew}left behind: ${nameOf(refusal.other)}`;
    case "left":
      return `own: ${refusal.left.map(({ record }) => record.id).join()}`;
    case "released":
      return `released: ${refusal.occupant.id}`;
    case "occupied": {
      const { occupant, other, leftBranchId, leaves } = refusal;
      const owner = nameOf(other?.urn) ?? other?.name;
      const of = owner === undefined ? "" : ` of ${owner}`;
      const left = leftBranchId === undefined ? "" : `, left ${leftBranchId}`;
      const late = leaves && !leaves.inTime ? " late" : "";
      return `${isNew}occupied: ${occupant.id}${of}${left}${leaves ? `, leaves ${leaves.branchId}${late}` : ""}`;
    }
    default:
      return refusal.kind;
  }
}
