/**
 * Tables of plans. A row is a name; what there is, in the order of the Checks; and what each plan comes to. `a rw b1 > ro b2` is
 * the resource `a`, whose read-write endpoint `ep-a` is to become a replica on another branch; `> rw b2` is new. `ep-x rw b1 of a` is on the
 * platform, and bears the name of `a`. `f/a` is a member of the fleet `f`, planned with those that follow; `q:b1` is a branch of project `q`.
 */
import { expect, test } from "vitest";
import type { Place } from "../../../provider/endpoint/identity";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { withBookkeeping } from "../../../provider/endpoint/state";
import { type Member, parseFleet } from "../../../provider/fleet/parse-fleet";
import { planFleet, type Takeover } from "../../../provider/fleet/plan";
import { madeFor, memberOwner, type Owner, ownerName, resourceOwner } from "../../../provider/lib/owner";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { type EndpointPlan, planEndpoint } from "../../../provider/plan/endpoint";
import type { Refusal } from "../../../provider/plan/refusal";
import { World } from "../../../provider/plan/world";
import { EndpointSnapshot } from "../../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../../provider/platform/records";
import { claimPlaces, claimsDone, type PulumiFleetContext } from "../../../provider/pulumi/call";
import { RunRecords } from "../../../provider/pulumi/run";

interface Resource {
  name: string;
  id: string;
  from: Place | undefined;
  to: Place | undefined;
  /** Such as `done`: its step is answered before the next Check. */
  flags: readonly string[];
}

const isFleet = (name: string) => /^[fg]$/.test(name);
const urnOf = (name: string) =>
  `urn:pulumi:dev::shop::pgcompute:index:Endpoint${isFleet(name) ? "Fleet" : ""}::${name}`;
const nameOf = (owner: Owner | undefined) => owner && ownerName(owner);

function ownerOf(name: string): Owner {
  const [fleet = "", key] = name.split("/");
  return key === undefined ? resourceOwner(urnOf(fleet)) : memberOwner(urnOf(fleet), key);
}

/** A test for each row. */
export function table(text: string): void {
  const lines = text.trim().split(/\n\s*/);
  const rows = lines.flatMap((name, at) => (at % 3 === 0 ? [[name, lines[at + 1] ?? "", lines[at + 2]] as const] : []));
  test.each(rows)("%s", (_, given, plans) => expect(`=> ${planAll(given.split("; "))}`).toBe(plans));
}

function placeIn(text: string | undefined): Place | undefined {
  const [, type, projectId = "p", branchId] = /^(r[wo]) (?:(\w):)?(\w+)$/.exec(text ?? "") ?? [];
  return branchId ? { projectId, branchId, type: type === "rw" ? "read_write" : "read_only" } : undefined;
}

const flagForm =
  /^(?:done(?: before \w+)?|after \w+(?: \w+)*|has ep-\w+|imports ep-\w+|imports unknown|released|adopts|protected|goes|by force|no moves|takes up|with another|before its Diff)$/;

function resourceIn(statement: string): Resource {
  const [what = "", ...flags] = statement.split(", ");
  const read = /^(\w+(?:\/\w+)?) ?(r[wo] [\w:]+)?(?: ?> (r[wo] [\w:]+|\?))?$/.exec(what);
  if (!read || !flags.every((flag) => flagForm.test(flag))) throw new Error(`not understood: ${statement}`);
  const [, name = "", there, next = there] = read;
  const id = wordAfter("has", flags)?.[0] ?? `ep-${name.split("/").at(-1)}`;
  return { name, id, from: placeIn(there), to: flags.includes("goes") ? undefined : placeIn(next), flags };
}

/** The words after the first one of a flag. */
function wordAfter(first: string, flags: readonly string[]): string[] | undefined {
  return flags
    .find((flag) => flag.startsWith(`${first} `))
    ?.split(" ")
    .slice(1);
}

/** Checks the resources one after the other. */
export function planAll(statements: readonly string[]): string {
  const run = new RunRecords();
  const resources = statements.filter((one) => !one.startsWith("ep-")).map(resourceIn);
  const there = statements.flatMap((one) => {
    if (!one.startsWith("ep-")) return [];
    const [, id, place, name] = /^(ep-\w+) (r[wo] [\w:]+)(?: of ([\w/]+))?$/.exec(one) ?? [];
    if (id === undefined) throw new Error(`not understood: ${one}`);
    const bears = name === undefined ? {} : { name: newOwnershipName(madeFor(ownerOf(name))) };
    return [{ ...(placeIn(place) as Place), id, ...bears, pgSettings: {} }];
  });
  const own = resources.flatMap(({ id, from }) => (from ? [{ ...from, id, pgSettings: {} }] : []));
  const records = new Map([...own, ...there].map((one) => [one.id, one]));
  const planned = resources.map((resource) => {
    const [fleet = "", key] = resource.name.split("/");
    if (key === undefined) return `${fleet}: ${planOne(run, resource, { resources, records })}`;
    const members = resources.filter(({ name }) => name.startsWith(`${fleet}/`));
    return members[0] === resource ? planMembers(run, fleet, members, records) : [];
  });
  return planned.flat().join("; ");
}

type Records = ReadonlyMap<string, EndpointRecord>;

function worldFor(run: RunRecords, urn: string, flags: readonly string[], records: Records): World {
  const waits = wordAfter("after", flags)?.filter((one) => one !== "nobody");
  const all = [...records.values()];
  const lists = ["p", "q"].map((id) => [id, new EndpointSnapshot(all.filter((one) => one.projectId === id))] as const);
  const turn = { urn: resourceOwner(urn), after: waits && new Set(waits.map(urnOf)) };
  const noMoves = flags.find((flag) => flag === "no moves");
  return new World(run, turn, new Map(lists), { noMoves, takesUp: flags.includes("takes up") });
}

/** A fleet's first member has what is said of the whole fleet. */
function planMembers(run: RunRecords, fleet: string, members: readonly Resource[], records: Records): string[] {
  const urn = urnOf(fleet);
  const flags = members[0]?.flags ?? [];
  const world = worldFor(run, urn, flags, records);
  const keyOf = ({ name }: Resource) => name.slice(fleet.length + 1);
  const said = (one: Resource, flag: string) => one.flags.includes(flag);
  const stored = members.flatMap((one) => {
    if (!one.from) return [];
    const state = withBookkeeping(
      { ...one.from, endpointId: one.id },
      { set: ["projectId", "branchId", "type"], ...(said(one, "released") && { adopted: true }) },
    );
    return [[keyOf(one), { state, ...(said(one, "protected") && { protect: true as const }) }] as const];
  });
  const endpoints = members.flatMap((one) => {
    if (said(one, "goes")) return [];
    const place = one.to ?? { ...one.from, branchId: UNKNOWN };
    const importId = said(one, "imports unknown") ? UNKNOWN : wordAfter("imports", one.flags)?.[0];
    const [protect, adoptExisting] = [said(one, "protected"), said(one, "adopts")];
    return [[keyOf(one), { ...place, protect, adoptExisting, importId }] as const];
  });
  const found = members.flatMap((one): [string, Takeover][] => {
    const record = records.get(wordAfter("imports", one.flags)?.[0] ?? "");
    return record ? [[keyOf(one), { record, as: "imported" }]] : [];
  });
  const plan = planFleet({
    stored: new Map(stored),
    wanted: parseFleet({ endpoints: Object.fromEntries(endpoints) }).members as ReadonlyMap<string, Member>,
    ...{ found: new Map(found), maxDeletions: 99, ownerOf: (key) => memberOwner(urn, key), world },
  });
  const { after } = world.turn;
  const context = { run, urn, after, ownerOf: (key: string) => memberOwner(urn, key) } as PulumiFleetContext;
  claimPlaces(context, plan);
  if (flags.includes("done")) claimsDone(context, plan);
  return members.map((one) => {
    const refusal = plan.refusals.find(({ about }) => about.includes(ownerOf(one.name)))?.refusal;
    const { change, found: taken } = plan.members.get(keyOf(one)) ?? {};
    return `${one.name}: ${refusal ? refused(refusal) : taken ? `${change} ${taken.record.id}` : change}`;
  });
}

function planOne(
  run: RunRecords,
  { name, id, from, to, flags }: Resource,
  { resources, records }: { resources: readonly Resource[]; records: Records },
): string {
  const owner = ownerOf(name);
  for (const one of resources) if (one.flags.includes(`done before ${name}`)) run.done(ownerOf(one.name));
  const hadOne = from !== undefined && !flags.includes("with another");
  Object.assign(run.record(owner), { isDeclared: true, hadOne, isReleased: flags.includes("released") });
  const request = { owner, from, to, adopts: flags.includes("adopts") };
  const world = worldFor(run, owner, flags, records);
  let planned: EndpointPlan | undefined;
  if (!flags.includes("with another")) {
    planned = planEndpoint(world, request);
    run.put(planned.claim);
    const isMove = from?.type === to?.type && from?.branchId !== to?.branchId && from?.projectId === to?.projectId;
    const isExplained = planned.claim.arrival === "replace" && planned.refusal === undefined && isMove;
    expect(planned.why !== undefined).toBe(isExplained);
  }
  if (from && !flags.includes("before its Diff")) run.identify(owner, id);
  // A second Check of a replacement shows nothing old; it is the only one where the resource goes with what it depends on.
  if (flags.includes("by force") || !planned) {
    Object.assign(run.record(owner), { compared: { inPlace: false }, isReplaced: planned !== undefined });
    planned = planEndpoint(world, { ...request, from: undefined });
    run.put(planned.claim);
  }
  if (flags.includes("done")) run.done(owner);
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
