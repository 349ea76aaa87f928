/** Creates an endpoint, without ever losing one that the platform has made, or adopts an existing one. */
import { isKind, PartialError, PgComputeError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { change, waitFor, withLimitAdvice } from "./change";
import type { Context } from "./context";
import { setIn, takeoverDifferences } from "./differences";
import { idOf } from "./identity";
import { type FoundCreate, findCreated, type LostCreate } from "./lost-create";
import { sentIn, toCreateBody, toState } from "./mapping";
import { withMoment } from "./moment";
import type { EndpointInputs, EndpointProperty } from "./properties";
import { recoverCreate } from "./recovery";
import type { Bookkeeping } from "./state";
import { assertEnded, type DoneStep, isApplied, partial, settle, stateOf } from "./stored";
import { isReplica } from "./types";
import { patch } from "./update";

/** An endpoint to create. */
export interface CreateRequest {
  inputs: EndpointInputs;
  /**
   * A name unique to this request (see `ownership-name.ts`), to find the endpoint again; absent if the program sets a
   * name.
   */
  ownName: string | undefined;
  /** True if a resource of this run has the endpoint, which is then not the lost create's. */
  isTaken(endpointId: string): boolean;
}

/** The endpoint to adopt, and its inputs. */
export interface AdoptRequest {
  record: EndpointRecord;
  inputs: EndpointInputs;
  /**
   * True for another creator's endpoint, which destroy releases. False for an interrupted run's, whose operations are
   * awaited first.
   */
  adopted: boolean;
}

/**
 * Creates an endpoint (specification, section 4.3) and waits. Once an id is known, a failure or a cancel is a
 * `PartialError`, which the next update resumes; before, perhaps `OutcomeUnknownError`.
 */
export async function create(context: Context, { inputs, ownName, isTaken }: CreateRequest): Promise<DoneStep> {
  const { projectId, branchId, type } = inputs;
  const { creates } = context.account.project(projectId);
  const sent = sentIn(inputs, context.account.settings.profile);
  const body = toCreateBody(inputs, sent, ownName);

  const lost: LostCreate = {
    projectId,
    create: { branchId, type, ownName },
    isShownBy: (record) => isApplied(record, inputs, sent),
    isTaken,
  };

  const changed = await withLimitAdvice(context, { inputs, sent }, () =>
    change(context, {
      projectId,
      branchIds: [branchId],
      send: (options) =>
        creates.attempt(lost.create, (onAttempt) =>
          context.account.api.createEndpoint(projectId, body, { ...options, onAttempt }),
        ),
      recover: async (error) => {
        // A replica's repeat would make a second one; a primary's is refused if it exists.
        const found = await findCreated(context, lost, { patient: isReplica(inputs) || isKind(error, "conflict") });
        if (!found) return undefined;
        const record = takeFound(context, lost, found, error);
        // From here on its id must not get lost.
        return recoverCreate(context, record).catch((thrown: unknown) => {
          throw partial(idOf(record), stateOf(record, inputs), thrown);
        });
      },
    }),
  );

  return settle(context, changed, { inputs, sent, book: {} });
}

/** The endpoint of the search. Throws if it is ambiguous or uncertain: a repeat could create a second one. */
function takeFound(
  context: Context,
  { projectId, create: { branchId, ownName } }: LostCreate,
  found: FoundCreate,
  error: PgComputeError,
): EndpointRecord {
  if (found.kind === "unclear") {
    const { keepsNames } = context.account.project(projectId).creates;
    const candidates = found.candidates.map(idOf);
    // The cause is the first, lost answer, not the repeat's conflict.
    throw new PgComputeError(error.kind === "conflict" ? "answer_lost" : error.kind, error.summary, {
      cause: error,
      remedy: { kind: "maybe_created", projectId, branchId, name: ownName, keepsNames, candidates },
    });
  }
  if (found.kind === "placed") {
    context.reporter.warn(
      `an answer was lost, and no mark tells what was created: endpoint ${idOf(found.record)} is taken to be ` +
        `what was created, as it is new on branch ${branchId} and just as it was sent`,
    );
  }
  return found.record;
}

/** Adopts an endpoint and sends only the differences from the program (specification, section 4.5). */
export async function adopt(caller: Context, request: AdoptRequest): Promise<DoneStep> {
  const { record, inputs, adopted } = request;
  const context = withMoment(caller, inputs);
  const { profile } = context.account.settings;
  const id = idOf(record);
  const book: Bookkeeping = { adopted: adopted || undefined };
  const changed = Object.keys(takeoverDifferences(toState(record), inputs, profile)) as EndpointProperty[];

  // The platform does not return these properties, so the state omits them until they are sent.
  const unsent = { ...inputs, ...Object.fromEntries(changed.map((name) => [name, undefined])) };
  const state = stateOf(record, unsent, { set: setIn(inputs), ...book });

  try {
    if (!adopted) {
      // The interrupted run's operations may still fail, and it could not report that.
      const begun = await recoverCreate(context, record);
      const waited = await waitFor(context, record.projectId, begun.operations);
      assertEnded(id, state, waited);
    }
    if (changed.length === 0) return { id, state, seen: [] };
    return await settle(context, await patch(context, { record, inputs, changed }), { inputs, sent: changed, book });
  } catch (error) {
    if (isKind(error, "not_found") && !(error instanceof PartialError)) throw error;
    throw partial(id, state, error);
  }
}
