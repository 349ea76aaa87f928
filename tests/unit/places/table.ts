/**
 * Tables of plans. A row has a name, the given endpoints in the order of their Checks, and each plan's result. `a rw b1
 * > ro b2`: resource `a`, whose read-write endpoint `ep-a` becomes a replica on another branch; `> rw b2` is new. `ep-x
 * rw b1 of a` is on the platform, named after `a`. `f/a` is a member of fleet `f`, planned with those that follow;
 * `q:b1` is a branch of project `q`. `tells of ep-y` warns that an earlier run left `ep-y`. Each row is planned in the
 * given and the reverse order, with equal results, except for which of two names the other.
 */
import { expect, onTestFinished, test, vi } from "vitest";
import type { Place } from "../../../provider/endpoint/identity";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { parseInputs } from "../../../provider/endpoint/parse-inputs";
import { type EndpointState, withBookkeeping } from "../../../provider/endpoint/state";
import { type Member, parseFleet } from "../../../provider/fleet/parse-fleet";
import { planFleet, type Takeover } from "../../../provider/fleet/plan";
import { madeFor, memberOwner, type Owner, ownerName, resourceOwner } from "../../../provider/lib/owner";
import { UNKNOWN } from "../../../provider/lib/unknown";
import type { Refusal } from "../../../provider/places/refusal";
import { stayOf } from "../../../provider/places/wish";
import { specification } from "../../../provider/platform/profiles/profiles";
import { EndpointSnapshot, type Freshness } from "../../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../../provider/platform/records";
import { fleetContext, type LifecycleContext, noteMembers, singleContext } from "../../../provider/pulumi/call";
import { wantedOne } from "../../../provider/pulumi/endpoint/border";
import { planNew } from "../../../provider/pulumi/endpoint/check";
import { onlyIn, storedOnly } from "../../../provider/pulumi/endpoint/set";
import { planAhead } from "../../../provider/pulumi/fleet/plan";
import * as messages from "../../../provider/pulumi/messages/refusals";
import * as remedies from "../../../provider/pulumi/messages/remedies";
import { RunRecords } from "../../../provider/pulumi/run";

const [OLD, NEW] = ["2024-05-01T10:00:00Z", "2024-05-02T10:00:00Z"];

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
  test.each(rows)("%s", async (_, given, plans) => {
    vi.spyOn(messages, "refusalMessage").mockImplementation(refused);
    vi.spyOn(remedies, "orphanMessage").mockImplementation(({ id }) => id);
    onTestFinished(() => void vi.restoreAllMocks());
    const statements = given.split("; ");
    const planned = await planAll(statements);
    expect(`=> ${planned}`).toBe(plans);
    const isRefused = (all: string) => all.includes(":: ");
    expect(isRefused(await planAll(statements.toReversed()))).toBe(isRefused(planned));
  });
}

function placeIn(text: string | undefined): Place | undefined {
  const [, type, projectId = "p", branchId] = /^(r[wo]) (?:(\w):)?(\w+)$/.exec(text ?? "") ?? [];
  return branchId ? { projectId, branchId, type: type === "rw" ? "read_write" : "read_only" } : undefined;
}

const flagForm =
  /^(?:has ep-\w+|imports ep-\w+|imports unknown|released|adopts|protected|goes|by force|no diff|no moves|no rw|takes up)$/;

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
async function planAll(statements: readonly string[]): Promise<string> {
  const run = new RunRecords();
  const resources = statements.filter((one) => !one.startsWith("ep-")).map(resourceIn);
  const there = statements.flatMap((one) => {
    if (!one.startsWith("ep-")) return [];
    const [, id, place, name, older] = /^(ep-\w+) (r[wo] [\w:]+)(?: of ([\w/]+))?(, older)?$/.exec(one) ?? [];
    if (id === undefined) throw new Error(`not understood: ${one}`);
    const bears = name === undefined ? {} : { name: newOwnershipName(madeFor(ownerOf(name))) };
    return [{ ...(placeIn(place) as Place), id, ...bears, createdAt: older ? OLD : NEW, pgSettings: {} }];
  });
  const own = resources.flatMap(({ id, from }) => (from ? [{ ...from, id, createdAt: NEW, pgSettings: {} }] : []));
  const records = new Map([...own, ...there].map((one) => [one.id, one]));
  const planned: string[] = [];
  for (const resource of resources) {
    const [fleet = "", key] = resource.name.split("/");
    const members = resources.filter(({ name }) => name.startsWith(`${fleet}/`));
    if (key === undefined) planned.push(`${fleet}: ${await planOne(run, resource, records)}`);
    else if (members[0] === resource) planned.push(...planMembers(run, fleet, members, records));
  }
  return planned.join("; ");
}

type Records = ReadonlyMap<string, EndpointRecord>;

function listsOf(records: Records): ReadonlyMap<string, EndpointSnapshot> {
  const all = [...records.values()];
  return new Map(["p", "q"].map((id) => [id, new EndpointSnapshot(all.filter((one) => one.projectId === id))]));
}

/** A call about an owner, on a platform that has these endpoints. */
function contextFor(
  run: RunRecords,
  urn: Owner,
  flags: readonly string[],
  records: Records,
  warn: (message: string) => void = () => {},
): LifecycleContext {
  const lists = listsOf(records);
  const profile = { ...specification, movesToEmpty: !flags.includes("no rw") };
  const settings = { adoptInterrupted: flags.includes("takes up"), profile, moves: movesOf(flags) };
  const snapshot = async (id: string, sinceMs: number | undefined) => {
    if (sinceMs !== undefined) warn("a list of now");
    return lists.get(id);
  };
  const project = (id: string) => ({
    cache: {
      snapshot: (of: Freshness) => snapshot(id, of.sinceMs),
      lastSeen: (endpointId: string) => lists.get(id)?.find(endpointId),
    },
    branches: { successors: async () => [] },
    creates: { hasMade: () => false },
  });
  const account = { clock: { now: () => 0 }, settings, project };
  return { run, urn, account, reporter: { info: () => {}, warn } } as unknown as LifecycleContext;
}

function stateOf({ id, from, flags }: Pick<Resource, "id" | "from" | "flags">): EndpointState {
  const adopted = flags.includes("released") ? true : undefined;
  return withBookkeeping({ ...from, endpointId: id }, { set: ["projectId", "branchId", "type"], adopted });
}

const movesOf = (flags: readonly string[]) => (flags.includes("no moves") ? "replace" : "inPlace");

/** A fleet's first member has what is said of the whole fleet. */
function planMembers(run: RunRecords, fleet: string, members: readonly Resource[], records: Records): string[] {
  const urn = urnOf(fleet);
  const flags = members[0]?.flags ?? [];
  const context = fleetContext(contextFor(run, resourceOwner(urn), flags, records));
  const keyOf = ({ name }: Resource) => name.slice(fleet.length + 1);
  const said = (one: Resource, flag: string) => one.flags.includes(flag);
  const stored = members.flatMap((one) => {
    if (!one.from) return [];
    return [[keyOf(one), { state: stateOf(one), ...(said(one, "protected") && { protect: true as const }) }] as const];
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
    replaces: "set",
    stored: new Map(stored),
    wanted: parseFleet({ endpoints: Object.fromEntries(endpoints) }).members as ReadonlyMap<string, Member>,
    ...{ found: new Map(found), maxDeletions: 99, ownerOf: context.ownerOf, ground: context.ground(listsOf(records)) },
    moves: movesOf(flags),
  });
  noteMembers(context, plan);
  return members.map((one) => {
    const refusal = plan.refusals.find(({ about }) => about.includes(ownerOf(one.name)))?.refusal;
    const { change, found: taken, isMove } = plan.members.get(keyOf(one)) ?? {};
    const what = isMove ? "move" : change;
    return `${one.name}: ${refusal ? refused(refusal) : taken ? `${what} ${taken.record.id}` : what}`;
  });
}

/** The way of a single endpoint through a run: its Diff, and the Check of what is new or replaced. */
async function planOne(run: RunRecords, { name, id, from, to, flags }: Resource, records: Records): Promise<string> {
  const owner = ownerOf(name);
  const warned: string[] = [];
  const context = contextFor(run, owner, flags, records, (orphan) => warned.push(orphan));
  const read = parseInputs({ ...from, branchId: UNKNOWN, ...to, adoptExisting: flags.includes("adopts") });
  const record = run.record(owner);
  run.declare(owner, to);
  if (from && !flags.includes("no diff")) {
    record.phase = "kept";
    const stored = { id: `${from.projectId}/${id}`, state: stateOf({ id, from, flags }) };
    run.identify(owner, id);
    record.stays = stayOf(stored.state);
    const set = wantedOne(context, { inputs: read }, true);
    const { plan, failures } = await planAhead(singleContext(context), set, storedOnly(stored));
    const [failure] = failures;
    if (failure) return failure.reason;

    const found = onlyIn(plan).diff;
    const change = found?.properties.branchId ? "move" : "same";
    if (!found?.replaces && !flags.includes("by force")) return [change, ...warned].join(", tells of ");
  }
  Object.assign(record, { phase: from ? "replacing" : "new", from });
  const [failure] = await planNew(context, { read }, true);
  if (failure) return failure.reason;
  const change = record.takes !== undefined ? `adopt ${record.takes}` : from ? "replace" : "create";
  return [change, ...warned].join(", tells of ");
}

/** In short, after two colons. */
function refused(refusal: Refusal): string {
  switch (refusal.kind) {
    case "declared_twice":
      return `:: declared twice: ${nameOf(refusal.first)}`;
    case "two_owners":
      return `:: also of ${nameOf(refusal.first)}`;
    case "taken":
      return `:: taken by ${nameOf(refusal.first)}`;
    case "left_behind":
      return `:: left behind: ${nameOf(refusal.other)}`;
    case "left_for_importing":
      return `:: left for importing: ${nameOf(refusal.other)}`;
    case "left":
      return `:: own: ${refusal.left.map(({ id }) => id).join()}`;
    case "left_to_others":
      return `:: own, of ${refusal.owners.map(nameOf).join()}: ${refusal.left.map(({ id }) => id).join()}`;
    case "released":
      return `:: released: ${refusal.occupant.id}`;
    case "not_empty":
      return `:: not empty: ${refusal.there.map(({ id }) => id).join()}, leaves ${refusal.from}`;
    case "delete_protected":
      return ":: protected, deleted";
    case "replace_protected":
      return ":: protected, replaced";
    case "in_the_way":
      return `:: in the way: ${refusal.occupant.id} of ${nameOf(refusal.other)}`;
    case "exchange":
      return `:: exchange: ${refusal.occupant.id} of ${nameOf(refusal.other)}, leaves ${refusal.leaves}`;
    case "made_for_another":
    case "renamed": {
      const { name, urn } = refusal.other;
      const how = refusal.kind === "renamed" ? "new where" : "where";
      return `:: ${how} ${refusal.occupant.id} was made for ${nameOf(urn) ?? `some ${name}`}`;
    }
    case "of_nobody":
      return `:: new where nobody's is: ${refusal.occupant.id}`;
    case "unclaimed":
      return `:: where unclaimed is: ${refusal.occupant.id}`;
    default:
      return `:: ${refusal.kind}`;
  }
}
