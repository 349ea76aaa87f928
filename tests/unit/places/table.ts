/**
 * Tables of plans. A row is a name; what there is, in the order of the Checks; and what each plan comes to. `a rw b1 > ro b2` is
 * the resource `a`, whose read-write endpoint `ep-a` is to become a replica on another branch; `> rw b2` is new. `ep-x rw b1 of a` is on the
 * platform, and bears the name of `a`. `f/a` is a member of the fleet `f`, planned with those that follow; `q:b1` is a branch of project `q`.
 * Each row is planned in the order given and in the opposite one: both come to the same but for who of two names the other.
 */
import { expect, test } from "vitest";
import { diff } from "../../../provider/endpoint/diff";
import type { Place } from "../../../provider/endpoint/identity";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { parseInputs } from "../../../provider/endpoint/parse-inputs";
import { withBookkeeping } from "../../../provider/endpoint/state";
import { isSole } from "../../../provider/endpoint/types";
import { type Member, parseFleet } from "../../../provider/fleet/parse-fleet";
import { planFleet, type Takeover } from "../../../provider/fleet/plan";
import { madeFor, memberOwner, type Owner, ownerName, resourceOwner } from "../../../provider/lib/owner";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { Ground } from "../../../provider/places/ground";
import { decidePlaces } from "../../../provider/places/places";
import type { Refusal } from "../../../provider/places/refusal";
import { takeUpAt } from "../../../provider/places/take-over";
import type { Wish } from "../../../provider/places/wish";
import { EndpointSnapshot } from "../../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../../provider/platform/records";
import { noteMembers, type PulumiFleetContext } from "../../../provider/pulumi/call";
import { RunRecords } from "../../../provider/pulumi/run";

interface Resource {
  name: string;
  id: string;
  from: Place | undefined;
  to: Place | undefined;
  /** Such as `adopts`. */
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
  test.each(rows)("%s", (_, given, plans) => {
    const statements = given.split("; ");
    expect(`=> ${planAll(statements)}`).toBe(plans);
    const isRefused = (all: string) => all.includes(":: ");
    expect(isRefused(planAll(statements.toReversed()))).toBe(isRefused(planAll(statements)));
  });
}

function placeIn(text: string | undefined): Place | undefined {
  const [, type, projectId = "p", branchId] = /^(r[wo]) (?:(\w):)?(\w+)$/.exec(text ?? "") ?? [];
  return branchId ? { projectId, branchId, type: type === "rw" ? "read_write" : "read_only" } : undefined;
}

const flagForm =
  /^(?:has ep-\w+|imports ep-\w+|imports unknown|released|adopts|protected|goes|by force|no moves|no rw|takes up)$/;

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
    if (key === undefined) return `${fleet}: ${planOne(run, resource, records)}`;
    const members = resources.filter(({ name }) => name.startsWith(`${fleet}/`));
    return members[0] === resource ? planMembers(run, fleet, members, records) : [];
  });
  return planned.flat().join("; ");
}

type Records = ReadonlyMap<string, EndpointRecord>;

function groundFor(run: RunRecords, urn: string, flags: readonly string[], records: Records): Ground {
  const all = [...records.values()];
  const lists = ["p", "q"].map((id) => [id, new EndpointSnapshot(all.filter((one) => one.projectId === id))] as const);
  const rules = { takesUp: flags.includes("takes up"), needsEmptyBranch: !flags.includes("no rw") };
  return new Ground(resourceOwner(urn), run, rules, new Map(lists));
}

const movesOf = (flags: readonly string[]) => (flags.includes("no moves") ? "replace" : "inPlace");

/** A fleet's first member has what is said of the whole fleet. */
function planMembers(run: RunRecords, fleet: string, members: readonly Resource[], records: Records): string[] {
  const urn = urnOf(fleet);
  const flags = members[0]?.flags ?? [];
  const ground = groundFor(run, urn, flags, records);
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
    ...{ found: new Map(found), maxDeletions: 99, ownerOf: (key) => memberOwner(urn, key), ground },
    moves: movesOf(flags),
  });
  const account = { settings: { profile: { movesToEmpty: true } } };
  noteMembers({ run, urn, account, ownerOf: (key: string) => memberOwner(urn, key) } as PulumiFleetContext, plan);
  return members.map((one) => {
    const refusal = plan.refusals.find(({ about }) => about.includes(ownerOf(one.name)))?.refusal;
    const { change, found: taken, isMove } = plan.members.get(keyOf(one)) ?? {};
    const what = isMove ? "move" : change;
    return `${one.name}: ${refusal ? refused(refusal) : taken ? `${what} ${taken.record.id}` : what}`;
  });
}

/** The way of a single endpoint through a run, as its Check and its Diff go it (provider/pulumi/endpoint/check.ts and place.ts). */
function planOne(run: RunRecords, { name, id, from, to, flags }: Resource, records: Records): string {
  const owner = ownerOf(name);
  const ground = groundFor(run, owner, flags, records);
  const record = run.record(owner);
  const base = { owner, key: "", to, stays: flags.includes("released") ? ("adopted" as const) : undefined };
  run.declare(owner, to);
  const decide = (wish: Wish): string | undefined => {
    const { members, refusals } = decidePlaces([wish], ground);
    const placed = members.get("");
    const refusal = refusals[0]?.refusal;
    if (refusal) return refused(refusal);
    run.take(owner, placed?.occupant?.id);
    return placed?.occupant ? `adopt ${placed.occupant.id}` : placed?.change;
  };
  if (from) {
    record.phase = "kept";
    run.identify(owner, id);
    const state = { ...from, endpointId: id };
    const { inputs } = parseInputs({ ...from, branchId: UNKNOWN, ...to });
    const { replaces, properties } = diff({ id: `${from.projectId}/${id}`, state, inputs, moves: movesOf(flags) });
    const change = replaces ? "replace" : properties.branchId ? "move" : "same";
    const takes = change === "replace" && to ? takeUpAt(ground, to).takes : undefined;
    const kept = decide({ ...base, endpointId: id, from, change, takes, adopts: false });
    if (!flags.includes("by force") || kept?.startsWith(":")) return kept ?? "";
  }
  // The second Check of a replacement, or the only one of what is new.
  record.phase = from ? "replacing" : "new";
  const taken = to && takeUpAt(ground, to);
  if (taken && !taken.takes && !isSole(to) && ground.rules.takesUp && taken.left.length > 0)
    return refused({ kind: "left", left: taken.left.map((one) => ({ record: one })), isNew: !from });
  const change = taken?.takes ? "adopt" : from ? "replace" : "create";
  const ends = from && !taken?.takes ? { endpointId: id, from } : {};
  return decide({ ...base, ...ends, takes: taken?.takes, change, adopts: flags.includes("adopts") && !from }) ?? "";
}

/** In short, after two colons. */
function refused(refusal: Refusal): string {
  const isNew = "isNew" in refusal && refusal.isNew ? "new " : "";
  switch (refusal.kind) {
    case "declared_twice":
      return `:: declared twice: ${nameOf(refusal.first)}`;
    case "two_owners":
      return `:: ${refusal.takes ? "taken by" : "also of"} ${nameOf(refusal.first)}`;
    case "left_behind":
      return `:: ${isNew}left behind: ${nameOf(refusal.other)}`;
    case "left":
      return `:: own: ${refusal.left.map(({ record }) => record.id).join()}`;
    case "released":
      return `:: released: ${refusal.occupant.id}`;
    case "not_empty":
      return `:: not empty: ${refusal.there.map(({ id }) => id).join()}`;
    case "in_the_way": {
      const { occupant, other, leaves } = refusal;
      const owner = nameOf(other?.urn) ?? other?.name;
      return `:: ${isNew}in the way: ${occupant.id}${owner ? ` of ${owner}` : ""}${leaves ? `, leaves ${leaves}` : ""}`;
    }
    default:
      return `:: ${refusal.kind}`;
  }
}
