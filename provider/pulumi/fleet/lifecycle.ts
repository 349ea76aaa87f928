/** The engine's calls for a fleet: each verb, its records in the memory of the run, and its messages. */
import { isDeepStrictEqual } from "node:util";
import { boundsOf } from "../../endpoint/context";
import { idOfState } from "../../endpoint/identity";
import { completeInputs } from "../../endpoint/parse-inputs";
import { type Applied, apply } from "../../fleet/apply";
import { fleetProperties, newFleetId } from "../../fleet/model";
import { memberInputs, type ParsedFleet, withNotes } from "../../fleet/parse-fleet";
import { type FleetPlan, hasChanges, planFleet } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { type FleetRead, importFleet, readFleet } from "../../fleet/read";
import {
  decodeMembers,
  encodeMembers,
  type FleetState,
  memberOf,
  type StoredMembers,
  withSpent,
} from "../../fleet/state";
import { ownerName } from "../../lib/owner";
import { UNKNOWN, type Values } from "../../lib/unknown";
import { listedFew, sentences } from "../../lib/wording";
import { isDeclared } from "../../places/owners";
import { HttpError, isKind, OperationError, PartialError, PgComputeError } from "../../platform/errors";
import { fleetContext, groundOf, type LifecycleContext, type PulumiFleetContext } from "../call";
import { createAnew } from "../endpoint/create";
import { refuseDepartures } from "../endpoint/protection";
import { changeInTurn } from "../endpoint/turn";
import { mayImport } from "../imports";
import { messageFor } from "../messages/errors";
import { groupLines, outcomeMessage, planMessage, sameOnce, takeoverMessages } from "../messages/fleet";
import { advised, adviseError, keepInPlaceAdvice, needsPerson } from "../messages/remedies";
import { RunRecords } from "../run";
import type { Applied as AppliedChange, Changed } from "../wanted";
import {
  compareOnly,
  departuresIn,
  objectionNow,
  planAhead,
  planToApply,
  refuse,
  refusedFailures,
  type WantedSet,
  wantedMembers,
} from "./plan";
import { reportPlan } from "./report";

/** What the program wants of a fleet that leaves it. */
const NOTHING: WantedSet = { wanted: new Map(), maxDeletions: UNKNOWN };

/** The result of a fleet's Diff. */
export interface FleetDiff {
  changes: boolean;
  /** Undefined while the set of members is unknown. */
  plan?: FleetPlan;
}

/** Compares a fleet with the program. After a Check it plans, too, and throws `refused` with every reason. */
export async function diffFleet(
  call: LifecycleContext,
  { id, state, ...wanted }: Changed<ParsedFleet, StoredMembers>,
): Promise<FleetDiff> {
  const context = fleetContext(call);
  const set = wantedMembers(wanted);
  if (!set) return { changes: true };

  const isPlanned = context.run.record(context.urn).phase === "kept";
  if (!isPlanned) {
    const plan = compareOnly(context, set, state);
    return { changes: hasChanges(plan), plan };
  }

  const { plan, failures } = await planAhead(context, set, remember(context, state));
  refuse(context, failures);
  reportPlan(context, plan);
  return { changes: hasChanges(plan), plan };
}

/**
 * Creates or updates a fleet. Missing members are found by the state, whatever the old inputs say. A create with
 * `adoptInterrupted` adopts orphans.
 */
export async function applyFleet(
  call: LifecycleContext,
  { there, ...wanted }: AppliedChange<ParsedFleet, StoredMembers>,
): Promise<StoredFleet> {
  const context = fleetContext(call);
  const { run, urn } = context;
  run.arrivals.begin(urn);
  // On an onError retry the engine passes the state from before the first attempt.
  const { unfinished } = run.record(urn);
  const id = there?.id ?? unfinished?.id ?? newFleetId();
  const isRepeated = unfinished?.id === id;
  const stored = remember(context, isRepeated ? decodeMembers(unfinished.state) : (there?.state ?? new Map()));

  const applied = run.remember(urn, async () => {
    // The engine applies nothing that is not known.
    const set = wantedMembers(wanted) as WantedSet;
    const plan = await planToApply(context, set, stored);
    return applyAndStore(context, { id, before: stored, set }, plan);
  });
  return applied.finally(() => run.arrivals.withdraw(urn));
}

/** Reads a fleet for a refresh, or endpoints for an import. An import gets a new id. */
export async function readFleetState(
  call: LifecycleContext,
  { id, state, inputs }: { id: string; state: Values; inputs: Values },
): Promise<StoredFleet & { inputs?: Values }> {
  const isImport = Object.keys(state).length === 0;
  const context = fleetContext(call);
  if (isImport) {
    const found = await advised(context, () => importFleet(context, id));
    const members = [...found.members].map(([key, { state }]) => ({ what: key, owner: context.ownerOf(key), state }));
    const { state, inputs } = asStored(found, {});
    return { id: newFleetId(), state, ...(mayImport(context, members) && { inputs }) };
  }

  const stored = decodeMembers(state);
  const found = await advised(context, () => readFleet(context, stored, (key) => memberInputs(inputs, key)));
  remember(context, found.members);
  return { id, ...asStored(found, inputs) };
}

/** Deletes a fleet's endpoints, except adopted, retained or another owner's. The error names the remaining ones. */
export async function removeFleet(call: LifecycleContext, { state: stored }: { state: StoredMembers }): Promise<void> {
  const context = fleetContext(call);
  const { run, urn } = context;
  run.arrivals.begin(urn);

  const ownerNow = (endpointId: string) => {
    const other = context.ground().otherOwnerOf(endpointId);
    if (other !== undefined) return ownerName(other);
    // After a forced replacement both fleets share URN and keys: the new one keeps the endpoint, or is to take it.
    return run.keeperOf(endpointId) === undefined ? undefined : "the fleet that replaces this one";
  };

  const record = run.record(urn);
  const lost = [...stored].flatMap(([key, { state }]) => {
    const owner = ownerNow(String(state.endpointId));
    return owner === undefined ? [] : { key, state, owner };
  });

  const plan = planFleet({
    stored: asProtectedNow(context, stored),
    ...{ wanted: new Map(), found: new Map(), ownerOf: context.ownerOf },
    givenUp: new Set(lost.map(({ state }) => String(state.endpointId))),
    // If the program still has the fleet, this is a replacement, and its maxDeletions applies.
    maxDeletions: isDeclared(record) ? record.maxDeletions : stored.size,
    // A leaving member needs no other owner's consent.
    ground: groundOf({ ...context, run: new RunRecords() }),
    replaces: "set",
  });

  refuse(context, refusedFailures(context, plan));
  await refuseDepartures(context, departuresIn(context, plan));
  const lines = lost.map(({ key, owner }) => ({
    key,
    text: `not deleted, because ${owner} has the endpoint by now`,
  }));
  for (const line of groupLines(lines)) context.reporter.warn(line);

  const applied = await applyPlan(context, plan, { set: NOTHING, stored });
  if (applied.failures.length + applied.notBegun.length === 0) return;

  const accepted = new Map(applied.failures.flatMap(({ key, error }) => acceptedDelete(error).map((id) => [key, id])));
  const failures = applied.failures.filter(({ key }) => !accepted.has(key));
  const reasons = reportFailures(context, plan, { ...applied, failures });
  const left = [...applied.members.keys()].filter((key) => !accepted.has(key));
  const [kind] = [applied.stop?.kind ?? applied.failures[0]?.error.kind ?? "internal"];
  const summary = sentences([
    left.length > 0 && `${left.length} of ${stored.size} endpoints were not deleted (${listedFew(left)})`,
    accepted.size > 0 &&
      `the platform has accepted the delete of ${listedFew([...accepted.values()])}, and this run did not see it end`,
  ]);
  throw new PgComputeError(kind, reasons.length > 0 ? `${summary}: ${sentences(reasons)}` : summary, {
    advice: removalAdvice(applied),
  });
}

/** The id of an endpoint whose delete the platform has accepted. */
function acceptedDelete({ remedy }: PgComputeError): string[] {
  return remedy?.kind === "delete_accepted" ? [remedy.id] : [];
}

/** The state with each member's `protect` from the program, which may be newer than the state's. */
function asProtectedNow({ run, ownerOf }: PulumiFleetContext, stored: StoredMembers): StoredMembers {
  const isFreed = (key: string) => {
    const record = run.record(ownerOf(key));
    return isDeclared(record) && !record.isProtected;
  };
  return new Map(
    [...stored].map(([key, one]) => [key, isFreed(key) ? memberOf(one.state, { ...one, protect: false }) : one]),
  );
}

function asStored({ members, inputs }: FleetRead, olds: Values): { state: FleetState; inputs: Values } {
  const kept = Object.entries(olds).filter(([name, value]) => fleetProperties.includes(name) && value !== undefined);
  return { state: encodeMembers(members), inputs: { ...Object.fromEntries(kept), ...withNotes(inputs) } };
}

interface StoredFleet {
  id: string;
  state: FleetState;
}

/** Applies a plan. If members fail, throws with all members' state and a reason for each failure. */
async function applyAndStore(
  context: PulumiFleetContext,
  { id, before, set }: { id: string; before: StoredMembers; set: WantedSet },
  plan: PreparedPlan,
): Promise<StoredFleet> {
  for (const message of takeoverMessages(plan, context.ownerOf)) context.reporter.info(message);
  for (const { key, found } of plan.members.values()) {
    if (!found) continue;
    context.run.identify(context.ownerOf(key), found.record.id);
  }
  const applied = await applyPlan(context, plan, { set, stored: before });
  remember(context, applied.members);
  const state = encodeMembers(withSpent(applied.members, plan.spent));
  const { failures, notBegun, stop } = applied;

  if (failures.length + notBegun.length === 0) {
    const done = planMessage(plan, true);
    if (done !== undefined) context.reporter.info(done);
    return { id, state };
  }

  const reasons = reportFailures(context, plan, applied);
  const why = stop && !failures.some(({ error }) => error === stop) ? messageFor(stop) : applied.heldBack;
  const interrupted = failures.filter(({ error }) => isKind(error, "cancelled")).length;
  const failed = failures.length - interrupted;
  const summary = outcomeMessage(plan.members.size, { failed, interrupted, notBegun, stop: why });
  const cause = new PgComputeError(stop?.kind ?? failures[0]?.error.kind ?? "internal", summary);
  const isUnchanged = isDeepStrictEqual(state, encodeMembers(before));
  if (isUnchanged) throw new PgComputeError(cause.kind, sentences([summary, ...reasons]));
  throw new PartialError(id, state, cause, [summary, ...reasons]);
}

/** The set as far as one member is concerned. */
function onlyOf(set: WantedSet, key: string): WantedSet {
  return { ...set, rollout: undefined, wanted: entryOf(set.wanted, key) };
}

function entryOf<T>(all: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const one = all.get(key);
  return new Map(one === undefined ? [] : [[key, one]]);
}

/** Applies a plan and adds this host's advice to its errors. */
async function applyPlan(
  context: PulumiFleetContext,
  plan: FleetPlan,
  { set, stored: before }: { set: WantedSet; stored: StoredMembers },
): Promise<Applied> {
  const { run, ownerOf } = context;
  return apply(plan.rollout ? inWaves(context) : context, {
    plan,
    oldInputs: set.oldInputs,
    around: async ({ key, member, stored }, work) => {
      if (!member) return work();
      const inputs = completeInputs(member.read);
      const objection = () => objectionNow(context, onlyOf(set, key), entryOf(before, key));
      await changeInTurn(context.member(key), { inputs, state: stored?.state, objection }, () => work(inputs));
    },
    create: ({ key }, inputs, part) => createAnew({ ...context.member(key), ...part }, inputs),
    onKept: ({ key }, { endpointId }) => {
      if (typeof endpointId === "string") run.identify(ownerOf(key), endpointId);
    },
  });
}

/** With a rollout, `customTimeouts` applies to each member, from its own start. */
function inWaves(context: PulumiFleetContext): PulumiFleetContext {
  const { account, timeoutMs } = context;
  return {
    ...context,
    deadlineMs: undefined,
    member: (key) => ({ ...context.member(key), ...boundsOf(account, timeoutMs) }),
  };
}

/** Logs each distinct failure on its first member's row. Returns the failures as sentences. */
function reportFailures(context: PulumiFleetContext, { members: planned }: FleetPlan, applied: Applied): string[] {
  const { failures, members } = applied;
  const problems = failures.map(({ key, error }) => {
    adviseError(error, { ...context, urn: context.ownerOf(key) });
    const { endpointId, branchId } = members.get(key)?.state ?? {};
    const own = [endpointId, branchId, planned.get(key)?.member?.inputs.branchId, ...ownValues(error)];
    return { key, about: error.kind, text: messageFor(error), own };
  });
  return sameOnce(problems).map(({ key, text }) => {
    context.reportError(context.ownerOf(key), text);
    return `${key}: ${text}`;
  });
}

/** Advice after failed deletes: repeat; if a repeat may not help, ways to leave the endpoints in place. */
function removalAdvice({ failures, members }: Applied): string {
  const again = "Run the command again: it deletes only what is left.";
  const stuck = failures.filter(({ error }) => needsPerson(error));
  if (stuck.some(({ error }) => error.remedy?.kind === "unknown_project")) return again;

  const states = stuck.flatMap(({ key }): Values[] => {
    const member = members.get(key);
    return member ? [member.state] : [];
  });
  const projects = new Set(states.map(({ projectId }) => String(projectId)));
  const [state, ...others] = states;
  if (state === undefined || projects.size > 1) return again;
  return `${again} ${keepInPlaceAdvice(others.length === 0 ? idOfState(state) : String(state.projectId))}`;
}

/** The ids in an error's text that differ from error to error. */
function ownValues(error: unknown): (string | undefined)[] {
  if (error instanceof OperationError) return [error.operationId];
  if (error instanceof HttpError) return [error.requestId, error.path];
  return error instanceof PgComputeError && error.cause ? ownValues(error.cause) : [];
}

/** Records the members' endpoints. */
function remember({ run, ownerOf }: PulumiFleetContext, members: StoredMembers): StoredMembers {
  for (const [key, { state }] of members) {
    if (typeof state.endpointId !== "string") continue;
    run.identify(ownerOf(key), state.endpointId);
  }
  return members;
}
