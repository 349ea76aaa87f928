/** Creates an endpoint, so that nothing that the platform has made is ever lost. */
import { isKind, PgComputeError } from "../platform/errors";
import type { EndpointChange, EndpointRecord } from "../platform/records";
import { change } from "./change";
import type { Context } from "./context";
import { setIn } from "./differences";
import { formatId, idOf } from "./identity";
import { toCreateBody } from "./mapping";
import type { EndpointInputs } from "./properties";
import { type FoundCreate, findCreated, findDuplicates, type LostCreate, recoverCreate } from "./recovery";
import { compareShown, isShownBy } from "./shown";
import { assertEnded, partial, type StoredEndpoint, stateOf } from "./stored";

/** An endpoint to create. */
export interface CreateRequest {
  inputs: EndpointInputs;
  /** A name that no other request has (see `ownership-name.ts`), by which it is found again. */
  name: string;
  /** True for an endpoint that a resource of this run has: it is not taken for the one that a lost answer was about. */
  isTaken(endpointId: string): boolean;
}

/** An endpoint that was created. */
export interface Created extends StoredEndpoint {
  /** Others that a repeat made of the same request, where lists that were behind hid the first. Whose business they are is the caller's to say. */
  duplicates: readonly EndpointRecord[];
}

/**
 * Creates an endpoint (specification, section 4.3) and waits until every returned operation has ended well. Once an id is
 * known, every failure is a `PartialError` with the id, the state and the operations still open. Throws
 * `OutcomeUnknownError` where an answer was lost and no endpoint is found, or several of which any may be it.
 */
export async function create(context: Context, { inputs, name, isTaken }: CreateRequest): Promise<Created> {
  const { projectId, branchId, type } = inputs;
  const { creates } = context.account.project(projectId);
  const body = toCreateBody(inputs, name);
  const lost: LostCreate = {
    projectId,
    create: { branchId, type, name },
    isShownBy: (record) => isShownBy(record, inputs),
    isTaken,
  };
  const changed = await change(context, {
    projectId,
    branchIds: [branchId],
    send: (options) =>
      creates.attempt(lost.create, (onAttempt) =>
        context.account.api.createEndpoint(projectId, body, { ...options, onAttempt }),
      ),
    find: async (error) => {
      // A replica's repeat would make a second one; a read-write endpoint's is refused by the platform, and then it is there.
      const found = await findCreated(context, lost, { patient: type === "read_only" || isKind(error, "conflict") });
      return found && recovered(context, inputs, takeFound(context, lost, found, error));
    },
  });
  const record = changed.endpoint;
  const id = formatId({ projectId, endpointId: record.id });
  assertEnded(id, stateOf(record, inputs), changed);
  const shown = await compareShown(context, { record, inputs, sent: setIn(inputs) }).catch((error: unknown) => {
    throw partial(id, stateOf(record, inputs), error);
  });
  const state = stateOf(shown.record, inputs, { spelled: shown.spelled });
  if (shown.error) throw partial(id, state, shown.error);
  const lookForDuplicates = changed.wasLost && type === "read_only" && !context.signal.aborted;
  return { id, state, duplicates: lookForDuplicates ? await findDuplicates(context, lost, record) : [] };
}

/** The endpoint that was found. Throws where nobody can tell which of several it is: a repeat would make one more. */
function takeFound(
  context: Context,
  { projectId, create: { branchId, name } }: LostCreate,
  found: FoundCreate,
  error: PgComputeError,
): EndpointRecord {
  if (found.kind === "unclear") {
    const { keepsNames } = context.account.project(projectId).creates;
    const candidates = found.candidates.map(idOf);
    // What stands in the way of a repeat is not what went wrong.
    throw new PgComputeError(error.kind === "conflict" ? "answer_lost" : error.kind, error.summary, {
      cause: error,
      remedy: { kind: "maybeCreated", projectId, branchId, name, keepsNames, candidates },
    });
  }
  if (found.kind === "by_difference") {
    context.reporter.warn(
      `an answer was lost, and this platform keeps no names: endpoint ${idOf(found.record)} is taken to be ` +
        `what was created, as it appeared on branch ${branchId} at that moment just as it was sent`,
    );
  }
  return found.record;
}

/** The found endpoint's change; from here on its id must not be lost, whatever happens. */
async function recovered(context: Context, inputs: EndpointInputs, record: EndpointRecord): Promise<EndpointChange> {
  try {
    return await recoverCreate(context, record);
  } catch (error) {
    throw partial(idOf(record), stateOf(record, inputs), error);
  }
}
