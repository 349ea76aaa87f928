/**
 * The lifecycle of a resource, which is a set of endpoints: a single endpoint is a set of one. A kind's border reads and
 * writes its values, and shows the results.
 */
import { completeInputs } from "../endpoint/parse-inputs";
import type { Applied } from "../fleet/apply";
import { type FleetPlan, hasChanges, planFleet } from "../fleet/plan";
import { memberOf, type StoredMembers } from "../fleet/state";
import { UNKNOWN, type Values } from "../lib/unknown";
import { isChecked, isDeclared } from "../places/owners";
import { stayOf } from "../places/wish";
import { PgComputeError } from "../platform/errors";
import type { Border, Change, ReadStored, Spared, Stored, There } from "./border";
import { groundOf, type LifecycleContext, type PulumiFleetContext } from "./call";
import { refusedDepartures } from "./endpoint/protection";
import {
  compareOnly,
  departuresIn,
  planAhead,
  planToApply,
  refuse,
  refusedFailures,
  type WantedSet,
} from "./fleet/plan";
import { mayImport } from "./imports";
import { advised, PENDING_DELETE } from "./messages/remedies";
import { RunRecords } from "./run";
import { applyPlan, recognize } from "./steps";
import type { Difference } from "./wanted";

/** What the program wants of a resource that leaves it. */
const NOTHING: WantedSet = { wanted: new Map(), maxDeletions: UNKNOWN };

/** Compares the state with the program, and plans the change. Throws `refused` for an impossible one. */
export async function diff(
  border: Border,
  call: LifecycleContext,
  { set, there }: Required<Change>,
): Promise<Difference> {
  const context = border.contextOf(call);
  const record = call.run.record(call.urn);
  if (!set || !there) return border.compared(context, undefined, false);

  // In a refresh, or when a dependency is replaced, Diff comes before Check. Such a Diff plans nothing.
  if (record.phase !== "kept") {
    recognize(context, there.members);
    const isRefresh = record.phase === "refreshed";
    if (isRefresh) record.phase = undefined;
    else record.compared = { inPlace: false };
    return border.compared(context, compareOnly(context, set, there.members), isRefresh);
  }

  const anew = await border.anew(context, there);
  if (anew) {
    // It counts as new from then on, so that it may adopt, too.
    record.phase = "new";
    return anew;
  }

  recognize(context, there.members);
  record.compared = { inPlace: false };
  const { plan, failures } = await planAhead(context, set, there.members);
  refuse(context, failures);

  record.compared = { inPlace: isInPlace(plan) };
  return border.planned(context, plan);
}

function isInPlace(plan: FleetPlan): boolean {
  return hasChanges(plan) && [...plan.members.values()].every(({ change }) => change !== "replace");
}

/** Creates or changes what the program wants. Throws a `PartialError` with what there is once there is something. */
export async function carryOut(
  border: Border,
  call: LifecycleContext,
  change: Change & { set: WantedSet },
): Promise<Stored> {
  const { run, urn } = call;
  run.arrivals.begin(urn);
  const context = border.contextOf(call);
  const done = advised(context, () => run.remember(urn, () => bringAbout(border, context, change)));
  return done.finally(() => run.arrivals.withdraw(urn));
}

/** Plans once more, with what is known by now, and does it. */
async function bringAbout(
  border: Border,
  context: PulumiFleetContext,
  { set: wanted, there }: Change & { set: WantedSet },
): Promise<Stored> {
  // No call is made of inputs that cannot be used.
  for (const { read } of wanted.wanted.values()) completeInputs(read);
  const begins = await startOf(border, context, { set: wanted, there });
  const before = begins?.members ?? new Map();
  // What an earlier try has made is not replaced once more.
  const set = begins ? { ...wanted, replaced: undefined } : wanted;
  const id = begins?.id ?? border.newId();
  recognize(context, before);

  const plan = await planToApply(context, set, before);
  border.tellTakeovers(context, plan);
  for (const { key, found } of plan.members.values()) {
    if (found) context.run.identify(context.ownerOf(key), found.record.id);
  }

  const applied = await applyPlan(context, plan, { set, before });
  keep(context, applied);
  const stored = border.encode(id, applied.members, plan);
  const outcome = { id, before, plan, applied };
  border.tellDone(context, outcome);
  if (!isWhole(applied)) throw border.failure(context, outcome, stored);
  return stored;
}

/** What a create or an update begins with. On an onError retry the engine passes the state from before the first try. */
async function startOf(
  { decode, resumes }: Border,
  context: PulumiFleetContext,
  { set, there }: Change & { set: WantedSet },
): Promise<There | undefined> {
  const record = context.run.record(context.urn);
  const { unfinished } = record;
  if (!unfinished || (there && there.id !== unfinished.id)) return there;

  const { id, state } = unfinished;
  if (there || (await resumes(context, unfinished, set))) return { id, members: decode(state, id, context) };
  record.unfinished = undefined;
  return undefined;
}

/** Records what the run has of the resource by now. */
function keep(context: PulumiFleetContext, { members }: Applied): void {
  recognize(context, members);
  const record = context.run.record(context.urn);
  // Without a Check the run records no owner.
  if (members.size > 0 && isChecked(record)) record.phase = "kept";
}

/** Reads what is there now, for a refresh, an import or a program's `get`. Without inputs no import may take it in. */
export function read(
  border: Border,
  call: LifecycleContext,
  request: ReadStored,
): Promise<(Stored & { inputs?: Values }) | undefined> {
  const context = border.contextOf(call);
  return advised(context, async () => {
    const found = await border.find(context, request);
    if (!found) return undefined;

    const { imported, id, state, inputs } = found;
    if (imported) return mayImport(context, imported) ? { id, state, inputs } : { id, state };
    call.run.record(call.urn).phase ??= "refreshed";
    return { id, state, inputs };
  });
}

/** Deletes the endpoints, except adopted, retained or another owner's. */
export async function remove(border: Border, call: LifecycleContext, there: There): Promise<void> {
  const context = border.contextOf(call);
  call.run.arrivals.begin(call.urn);
  await advised(context, async () => {
    await border.checkRoom(context, there);
    const spared = sparedOf(context, there.members);
    border.tellSpared(context, spared);

    const plan = planRemoval(context, there.members, spared);
    refuse(context, refusedFailures(context, plan));
    const kept = await refusedDepartures(context, departuresIn(context, plan));
    if (kept.length > 0) throw new PgComputeError("refused", kept.join("\n"), { advice: PENDING_DELETE });

    noteReleased(context, plan);
    const applied = await applyPlan(context, plan, { set: NOTHING, before: there.members });
    if (isWhole(applied)) return;
    throw border.leftOver(context, { id: there.id, before: there.members, plan, applied });
  });
}

/** Those that a checked resource of this run has or takes: after a forced replacement that is one of the same URN. */
function sparedOf({ run }: PulumiFleetContext, members: StoredMembers): Spared[] {
  return [...members].flatMap(([key, { state }]): Spared[] => {
    const owner = stayOf(state) ? undefined : run.keeperOf(String(state.endpointId));
    return owner === undefined ? [] : [{ key, state, owner }];
  });
}

function planRemoval(context: PulumiFleetContext, members: StoredMembers, spared: readonly Spared[]): FleetPlan {
  const { run, urn, ownerOf, replaces } = context;
  const record = run.record(urn);
  return planFleet({
    stored: asProtectedNow(context, members),
    ...{ wanted: new Map(), found: new Map(), ownerOf, replaces },
    givenUp: new Set(spared.map(({ state }) => String(state.endpointId))),
    // If the program still has the fleet, this is a replacement, and its maxDeletions applies.
    maxDeletions: replaces === "set" && isDeclared(record) ? record.maxDeletions : members.size,
    // A leaving member needs no other owner's consent.
    ground: groundOf({ ...context, run: new RunRecords() }),
  });
}

/** The state with each member's `protect` from the program, which may be newer than the state's. */
function asProtectedNow({ run, ownerOf }: PulumiFleetContext, members: StoredMembers): StoredMembers {
  const isFreed = (key: string) => {
    const record = run.record(ownerOf(key));
    return isDeclared(record) && !record.isProtected;
  };
  return new Map(
    [...members].map(([key, one]) => [key, isFreed(key) ? memberOf(one.state, { ...one, protect: false }) : one]),
  );
}

/** Records what stays on the platform: a Create that follows has to know why it is still there. */
function noteReleased({ run, ownerOf }: PulumiFleetContext, { members }: FleetPlan): void {
  for (const { key, stays, stored } of members.values()) {
    if (stays === "adopted") run.record(ownerOf(key)).releasedId = String(stored?.state.endpointId);
  }
}

function isWhole({ failures, notBegun }: Applied): boolean {
  return failures.length + notBegun.length === 0;
}
