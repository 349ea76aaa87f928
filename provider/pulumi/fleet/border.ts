/** The border of a fleet: its members' values, and what is shown on its row and on theirs. */
import { isDeepStrictEqual } from "node:util";
import { skippedStartsMessage } from "../../endpoint/change";
import { idOfState } from "../../endpoint/identity";
import type { Applied } from "../../fleet/apply";
import { fleetProperties, newFleetId } from "../../fleet/model";
import { memberInputs, withNotes } from "../../fleet/parse-fleet";
import { type FleetPlan, hasChanges } from "../../fleet/plan";
import { type FleetRead, importFleet, readFleet } from "../../fleet/read";
import { decodeMembers, encodeMembers, withSpent } from "../../fleet/state";
import { ownerName, resourceOf } from "../../lib/owner";
import type { Values } from "../../lib/unknown";
import { listedFew, sentences } from "../../lib/wording";
import { HttpError, isKind, OperationError, PartialError, PgComputeError } from "../../platform/errors";
import { formatAway } from "../../platform/project/outcome";
import type { Border, Found, Outcome, ReadStored, Stored } from "../border";
import { fleetContext, type PulumiFleetContext } from "../call";
import { notAFleetMessage } from "../messages/aliases";
import { messageFor } from "../messages/errors";
import { groupLines, outcomeMessage, planMessage, sameOnce, takeoverMessages } from "../messages/fleet";
import { keepInPlaceAdvice, needsPerson } from "../messages/remedies";
import { recognize } from "../steps";
import { reportPlan } from "./report";

/** The border of a fleet. */
export const fleetBorder: Border = {
  contextOf: fleetContext,

  decode: (state, id) => {
    if (state.endpointId !== undefined) throw new PgComputeError("refused", notAFleetMessage(id));
    return decodeMembers(state);
  },

  encode: (id = "", members, { spent }) => ({ id, state: encodeMembers(withSpent(members, spent)) }),
  newId: newFleetId,
  // What is gone, or stands elsewhere, is found member by member.
  resumes: async () => true,
  anew: async () => undefined,

  planned: (context, plan) => {
    reportPlan(context, plan);
    return { changes: hasChanges(plan), plan };
  },

  find,

  compared: (_, plan) => (plan ? { changes: hasChanges(plan), plan } : { changes: true }),

  tellTakeovers: ({ reporter, ownerOf }, plan) => {
    for (const message of takeoverMessages(plan, ownerOf)) reporter.info(message);
  },

  tellDone,
  failure,
  checkRoom: async () => {},

  tellSpared: ({ urn, reporter }, spared) => {
    const lines = spared.map(({ key, owner }) => {
      // After a forced replacement both fleets share URN and keys.
      const who = resourceOf(owner) === urn ? "the fleet that replaces this one" : ownerName(owner);
      return { key, text: `not deleted, because ${who} has the endpoint by now` };
    });
    for (const line of groupLines(lines)) reporter.warn(line);
  },

  leftOver,
};

/** Reads the members of a state, or for an import the endpoints that its id names. An import gets a new id. */
async function find(context: PulumiFleetContext, { id, state, inputs }: ReadStored): Promise<Found> {
  if (Object.keys(state).length === 0) {
    const found = await importFleet(context, id);
    const imported = [...found.members].map(([key, { state }]) => ({ what: key, owner: context.ownerOf(key), state }));
    return { id: newFleetId(), ...asStored(found, {}), imported };
  }

  const found = await readFleet(context, decodeMembers(state), (key) => memberInputs(inputs, key));
  recognize(context, found.members);
  return { id, ...asStored(found, inputs) };
}

function asStored({ members, inputs }: FleetRead, olds: Values): { state: Values; inputs: Values } {
  const kept = Object.entries(olds).filter(([name, value]) => fleetProperties.includes(name) && value !== undefined);
  return { state: encodeMembers(members), inputs: { ...Object.fromEntries(kept), ...withNotes(inputs) } };
}

/** Says how long restarted members were away, what was not started, and what is done. */
function tellDone(context: PulumiFleetContext, { plan, applied }: Outcome): void {
  const { awayMs, skippedStarts, failures, notBegun } = applied;
  if (skippedStarts > 0) context.reporter.info(skippedStartsMessage(context, skippedStarts));
  const away = awayMessage(awayMs);
  if (away !== undefined) context.reporter.info(away);

  const done = failures.length + notBegun.length === 0 ? planMessage(plan, true) : undefined;
  if (done !== undefined) context.reporter.info(done);
}

function awayMessage(awayMs: readonly number[]): string | undefined {
  const times = [...awayMs].sort((a, b) => a - b);
  const [about, most] = [times[Math.floor(times.length / 2)], times.at(-1)];
  if (about === undefined || most === undefined) return undefined;
  if (times.length === 1) return `1 restart: away for ${formatAway(about)}`;
  return `${times.length} restarts: away for about ${formatAway(about)}, the slowest ${formatAway(most)}`;
}

/** The error of members that failed: with all members' state, and a reason for each failure. */
function failure(context: PulumiFleetContext, { before, plan, applied }: Outcome, stored: Stored): PgComputeError {
  const { failures, notBegun, stop } = applied;
  const reasons = reportFailures(context, plan, applied);
  const why = stop && !failures.some(({ error }) => error === stop) ? messageFor(stop) : applied.heldBack;
  const interrupted = failures.filter(({ error }) => isKind(error, "cancelled")).length;
  const failed = failures.length - interrupted;
  const summary = outcomeMessage(plan.members.size, { failed, interrupted, notBegun, stop: why });

  const kind = stop?.kind ?? failures[0]?.error.kind ?? "internal";
  const isUnchanged = isDeepStrictEqual(stored.state, encodeMembers(before));
  if (isUnchanged) return new PgComputeError(kind, sentences([summary, ...reasons]));
  return new PartialError(stored.id, stored.state, new PgComputeError(kind, summary), [summary, ...reasons]);
}

/** The error of a delete: which endpoints are left, and how to leave them where they are. */
function leftOver(context: PulumiFleetContext, { before, plan, applied }: Outcome): PgComputeError {
  const accepted = new Map(applied.failures.flatMap(({ key, error }) => acceptedDelete(error).map((id) => [key, id])));
  const failures = applied.failures.filter(({ key }) => !accepted.has(key));
  const reasons = reportFailures(context, plan, { ...applied, failures });
  const left = [...applied.members.keys()].filter((key) => !accepted.has(key));
  const kind = applied.stop?.kind ?? applied.failures[0]?.error.kind ?? "internal";
  const summary = sentences([
    left.length > 0 && `${left.length} of ${before.size} endpoints were not deleted (${listedFew(left)})`,
    accepted.size > 0 &&
      `the platform has accepted the delete of ${listedFew([...accepted.values()])}, and this run did not see it end`,
  ]);
  return new PgComputeError(kind, reasons.length > 0 ? `${summary}: ${sentences(reasons)}` : summary, {
    advice: removalAdvice(applied),
  });
}

/** The id of an endpoint whose delete the platform has accepted. */
function acceptedDelete({ remedy }: PgComputeError): string[] {
  return remedy?.kind === "delete_accepted" ? [remedy.id] : [];
}

/** Logs each distinct failure on its first member's row. Returns the failures as sentences. */
function reportFailures(context: PulumiFleetContext, { members: planned }: FleetPlan, applied: Applied): string[] {
  const { failures, members } = applied;
  const problems = failures.map(({ key, error }) => {
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
