/** Creates an endpoint, so that nothing that the platform has made is ever lost, or takes over one that is there. */
import { isKind, PartialError, PgComputeError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { change, explained } from "./change";
import type { Context } from "./context";
import { setIn, takeoverDifferences } from "./differences";
import { refuseForgotten } from "./forget";
import { idOf } from "./identity";
import { type FoundCreate, findCreated, findDuplicates, type LostCreate } from "./lost-create";
import { sentIn, toCreateBody, toState } from "./mapping";
import { withMoment } from "./moment";
import type { EndpointInputs, EndpointProperty } from "./properties";
import { recoverCreate } from "./recovery";
import type { Bookkeeping } from "./state";
import { assertEnded, isApplied, partial, type StoredEndpoint, settle, stateOf } from "./stored";
import { isReplica } from "./types";
import { patch } from "./update";
import { waitFor } from "./wait-for";

/** An endpoint to create. */
export interface CreateRequest {
  inputs: EndpointInputs;
  /** A name that no other request has (see `ownership-name.ts`), by which it is found again; absent where the program gives one. */
  ownName: string | undefined;
  /** True if a resource of this run has the endpoint. Then it is not the result of the lost create. */
  isTaken(endpointId: string): boolean;
}

/** Which endpoint, for which inputs. */
export interface AdoptRequest {
  record: EndpointRecord;
  inputs: EndpointInputs;
  /**
   * True for another creator's endpoint, which destroy releases. False for an endpoint of an interrupted run, whose
   * operations are waited for first.
   */
  adopted: boolean;
}

/**
 * Creates an endpoint (specification, section 4.3) and waits until every returned operation has ended well. Once an id is
 * known, every failure is a `PartialError` with the id, the state and the operations still open. Throws
 * `OutcomeUnknownError` where an answer was lost and no endpoint is found, or nobody can tell which one it is. `duplicates` are others of the same
 * name, which a repeat made where lists that were behind hid the first: whose business they are is the caller's to say.
 */
export async function create(
  context: Context,
  { inputs, ownName, isTaken }: CreateRequest,
): Promise<StoredEndpoint & { duplicates: readonly EndpointRecord[] }> {
  const { projectId, branchId, type } = inputs;
  refuseForgotten(context, { projectId });
  const { creates } = context.account.project(projectId);
  const sent = sentIn(inputs, context.account.settings.profile);
  const body = toCreateBody(inputs, sent, ownName);
  const lost: LostCreate = {
    projectId,
    create: { branchId, type, ownName },
    isShownBy: (record) => isApplied(record, inputs, sent),
    isTaken,
  };
  const changed = await explained(sent, () =>
    change(context, {
      projectId,
      branchIds: [branchId],
      send: (options) =>
        creates.attempt(lost.create, (onAttempt) =>
          context.account.api.createEndpoint(projectId, body, { ...options, onAttempt }),
        ),
      recover: async (error) => {
        // A replica's repeat would make a second one; a primary's is refused by the platform, and then it is there.
        const found = await findCreated(context, lost, { patient: isReplica(inputs) || isKind(error, "conflict") });
        if (!found) return undefined;
        const record = takeFound(context, lost, found, error);
        // From here on its id must not be lost, whatever happens.
        return recoverCreate(context, record).catch((thrown: unknown) => {
          throw partial(idOf(record), stateOf(record, inputs), thrown);
        });
      },
    }),
  );
  const stored = await settle(context, changed, { inputs, sent, book: {} });
  const lookForDuplicates = changed.wasLost && isReplica(inputs) && !context.signal.aborted;
  return { ...stored, duplicates: lookForDuplicates ? await findDuplicates(context, lost, changed.endpoint) : [] };
}

/** The endpoint that the search found. Throws if the endpoint is ambiguous or its existence unknown: a repeat could create a second one. */
function takeFound(
  context: Context,
  { projectId, create: { branchId, ownName } }: LostCreate,
  found: FoundCreate,
  error: PgComputeError,
): EndpointRecord {
  if (found.kind === "unclear") {
    const { keepsNames } = context.account.project(projectId).creates;
    const candidates = found.candidates.map(idOf);
    // The conflict of the repeat is not the cause. The first answer was lost.
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

/** Takes an endpoint over, changing only what the program says otherwise (specification, section 4.5). */
export async function adopt(caller: Context, request: AdoptRequest): Promise<StoredEndpoint> {
  const { record, inputs, adopted } = request;
  refuseForgotten(caller, { projectId: record.projectId, endpointId: record.id });
  const context = withMoment(caller, inputs);
  const { profile } = context.account.settings;
  const id = idOf(record);
  const book: Bookkeeping = { adopted: adopted || undefined };
  const changed = Object.keys(takeoverDifferences(toState(record), inputs, profile)) as EndpointProperty[];
  // The platform does not return these properties. The state leaves them out until they were sent.
  const unsent = { ...inputs, ...Object.fromEntries(changed.map((name) => [name, undefined])) };
  const state = stateOf(record, unsent, { set: setIn(inputs), ...book });
  try {
    if (!adopted) {
      // Operations of the interrupted run may still fail, and that run could not report it.
      const begun = await recoverCreate(context, record);
      const waited = await waitFor(context, record.projectId, begun.operations);
      assertEnded(id, state, waited);
    }
    if (changed.length === 0) return { id, state };
    return await settle(context, await patch(context, { record, inputs, changed }), { inputs, sent: changed, book });
  } catch (error) {
    if (isKind(error, "not_found") && !(error instanceof PartialError)) throw error;
    throw partial(id, state, error);
  }
}
