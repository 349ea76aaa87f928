/** The border of a single endpoint: its values as those of a set of one, and what is shown on its own row. */
import { skippedStartsMessage } from "../../endpoint/change";
import { requestOptions } from "../../endpoint/context";
import { type DiffResult, replacesGone } from "../../endpoint/diff";
import { isForgotten } from "../../endpoint/forget";
import { idOf, idOfState, parseId } from "../../endpoint/identity";
import { ignoredIn } from "../../endpoint/ignored";
import type { ReadInputs } from "../../endpoint/parse-inputs";
import { isGone } from "../../endpoint/project";
import { isImport, read as readEndpoint } from "../../endpoint/read";
import type { Applied } from "../../fleet/apply";
import type { FleetPlan } from "../../fleet/plan";
import type { StoredMembers } from "../../fleet/state";
import { PgComputeError } from "../../platform/errors";
import { formatAway } from "../../platform/project/outcome";
import type { Border, Spared, Stored } from "../border";
import { type LifecycleContext, logPlatform, singleContext } from "../call";
import type { WantedSet } from "../fleet/plan";
import { anothersStateMessage, notAnEndpointMessage } from "../messages/aliases";
import { messageFor } from "../messages/errors";
import { formatResource } from "../messages/phrases";
import { goneMessage, needsPerson, orphanMessage, PENDING_DELETE, pendingDeleteAdvice } from "../messages/remedies";
import { secretNames } from "../secrets";
import type { Wanted } from "../wanted";
import { ignoredSizeMessage } from "./held-size";
import { checkRoomForReplacement } from "./place";
import { reportDiff } from "./preview";
import { ONLY, onlyIn, replacedOne, storedOnly, wantedOnly } from "./set";

const PUT_BACK = "if the program still says what the last up applied, the next one puts this back";

/** Builds the set that the program wants: to create, or in place of what is there. */
export function wantedOne(call: LifecycleContext, change: Wanted<ReadInputs>, isThere: boolean): WantedSet {
  const { inputs, secrets = [], ignoreChanges = [], oldInputs, replaceOnChanges } = change;
  const options = { oldInputs, replaceOnChanges, ignored: ignoredIn(ignoreChanges), secret: secretNames(secrets) };
  return wantedOnly({ read: inputs, ...options }, isThere ? undefined : replacedOne(call));
}

/** The border of a single endpoint. */
export const endpointBorder: Border = {
  contextOf: singleContext,

  decode: (state, id, { urn }) => {
    // Every fleet's state has `endpoints`, no endpoint's has.
    if (state.endpoints !== undefined) throw new PgComputeError("refused", notAnEndpointMessage(id));
    if (/^ep-[^/]*$/.test(id)) throw new PgComputeError("refused", anothersStateMessage(id, state, urn));
    return storedOnly({ id, state });
  },

  encode: storedOf,
  newId: () => undefined,

  // With another place in the program, it is not the one to create any more.
  resumes: async (context, { id }, { wanted }) => {
    const { projectId, endpointId } = parseId(id);
    const inputs = wanted.get(ONLY)?.parsed;
    if (projectId !== inputs?.projectId) return false;
    const record = await context.account.project(projectId).cache.readById(endpointId, requestOptions(context));
    return record?.branchId === inputs.branchId && record?.type === inputs.type;
  },

  anew: async (context, { id }) => {
    const identity = parseId(id);
    if (isForgotten(context, identity) || !(await isGone(context, identity))) return undefined;
    logPlatform(context);
    context.reporter.warn(goneMessage(id));
    return replacesGone;
  },

  planned: (context, plan) => {
    const { member, diff, stored } = onlyIn(plan);
    const { parsed = {}, ignored, secret } = member ?? {};
    const held = ignoredSizeMessage(parsed, { state: stored?.state ?? {}, ignored, secret });
    if (held !== undefined) context.reporter.warn(held);

    const result = diff as DiffResult;
    if (result.changes) logPlatform(context);
    // The Check of a replacement reports orphans.
    if (!result.replaces) for (const { record } of plan.orphans) context.reporter.warn(orphanMessage(record));
    reportDiff(context.reporter, result);
    return result;
  },

  compared: (context, plan, isRefresh) => {
    const result = onlyIn(plan as FleetPlan).diff as DiffResult;
    if (result.changes) logPlatform(context);
    const shown = isRefresh ? ofRefresh(result) : result;
    reportDiff(context.reporter, shown);
    return shown;
  },

  find: async (context, { id, state, inputs }) => {
    const request = { id, state, oldInputs: Object.keys(inputs).length > 0 ? inputs : undefined };
    const found = await readEndpoint(context, request);
    if (!found) return undefined;
    const imported = [{ what: `endpoint ${id}`, owner: context.urn, state: found.state }];
    return { id, ...found, ...(isImport(request) && { imported }) };
  },

  tellTakeovers: ({ reporter }, plan) => {
    const { change, found } = onlyIn(plan);
    if (change !== "adopt" || !found) return;
    const id = idOf(found.record);
    reporter.info(
      found.as === "interrupted"
        ? `takes over endpoint ${id}, which an interrupted run created for this resource`
        : `adopts endpoint ${id}; destroy will release it, not delete it`,
    );
  },

  tellDone: (context, { applied: { awayMs, skippedStarts } }) => {
    if (skippedStarts > 0) context.reporter.info(skippedStartsMessage(context));
    for (const ms of awayMs) context.reporter.info(`restarted: away for ${formatAway(ms)}`);
  },

  failure: (_, { applied }) => errorIn(applied),

  checkRoom: (context, { id }) => checkRoomForReplacement(context, parseId(id).endpointId),

  tellSpared: (context, spared) => {
    for (const one of spared) context.reporter.warn(sparedMessage(context, one));
  },

  leftOver: (_, { id = "", applied }) => withPendingAdvice(errorIn(applied), id),
};

function storedOf(id: string | undefined, members: StoredMembers): Stored {
  const { state = {} } = members.get(ONLY) ?? {};
  return { id: id ?? idOfState(state), state };
}

function errorIn({ failures, stop }: Applied): PgComputeError {
  return failures[0]?.error ?? stop ?? new PgComputeError("internal", "the change did not begin");
}

/**
 * The result for a refresh, which has no impact of its own. The engine compares with the inputs of the last up, even
 * where the refresh runs a newer program.
 */
function ofRefresh({ impact: _, repair: __, ...result }: DiffResult): DiffResult {
  const [first, ...others] = result.messages;
  if (first === undefined) return result;
  return { ...result, messages: [`${PUT_BACK}: ${first}`, ...others] };
}

/** Throws `refused` if the delete would make a forced replacement adopt its own endpoint. */
function sparedMessage({ run, urn }: LifecycleContext, { state, owner }: Spared): string {
  const id = idOfState(state);
  if (owner !== urn) return `endpoint ${id} is not deleted, because ${formatResource(owner)} has it, too`;

  const kept = `endpoint ${id} was taken over by the resource that replaces this one, so it is not deleted`;
  const anew =
    "to get a new endpoint, leave the resource out of the program for one run: this one is deleted, with its host name";
  // Without stored names, a forced replacement with adoptExisting adopts its own endpoint, and destroy would not delete
  // it. Where the state never set adoptExisting, the endpoint may be a renamed resource's.
  const isOwn = state.adoptExisting === true && run.record(urn).stays === "adopted";
  if (isOwn) throw new PgComputeError("refused", `${kept}; ${anew}`);
  return `${kept}; ${anew}`;
}

/** The error of a delete. If a repeat may not help, adds the ways to leave the endpoint in place. */
function withPendingAdvice(error: PgComputeError, id: string): PgComputeError {
  if (!needsPerson(error)) return error;
  // For a deleted project the advice covers everything in it.
  if (error.remedy?.kind !== "unknown_project") {
    return new PgComputeError(error.kind, messageFor(error), { advice: pendingDeleteAdvice(id), cause: error });
  }
  return new PgComputeError(error.kind, error.summary, { advice: `${PENDING_DELETE} ${error.advice}`, cause: error });
}
