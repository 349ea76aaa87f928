/** Creates an endpoint, so that nothing that the platform has made is ever lost. */
import { PartialError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { type Answer, change } from "./change";
import type { Context } from "./context";
import { setIn } from "./differences";
import { formatId } from "./identity";
import { findCreated, recoverChange } from "./lost-answer";
import { toCreateBody } from "./mapping";
import type { EndpointInputs } from "./properties";
import { compareShown } from "./shown";
import { assertEnded, partial, type StoredEndpoint, stateOf } from "./stored";

/** An endpoint to create. */
export interface CreateRequest {
  inputs: EndpointInputs;
  /** A name that no other request has (see `ownership-name.ts`), by which it is found again. */
  name: string;
}

/** An endpoint that was created. */
export interface Created extends StoredEndpoint {
  /** Others that a repeat made of the same request, where lists that were behind hid the first. Whose business they are is the caller's to say. */
  duplicates: readonly EndpointRecord[];
}

/**
 * Creates an endpoint (specification, section 4.3) and waits until every returned operation has ended well. Once an id is
 * known, every failure is a `PartialError` with the id, the state and the operations still open. Throws
 * `OutcomeUnknownError` where an answer was lost and no endpoint is found.
 */
export async function create(context: Context, { inputs, name }: CreateRequest): Promise<Created> {
  const { projectId, branchId, type } = inputs;
  const body = toCreateBody(inputs, name);
  const changed = await change(context, {
    projectId,
    branchIds: [branchId],
    isCreate: true,
    send: (options) => context.account.api.createEndpoint(projectId, body, options),
    find: async () => {
      // A replica's repeat would make a second one; a read-write endpoint's is refused by the platform.
      const record = await findCreated(context, { projectId, branchId, name }, { patient: type === "read_only" });
      return record && recovered(context, record, inputs);
    },
  });
  const record = changed.endpoint as EndpointRecord;
  const id = formatId({ projectId, endpointId: record.id });
  assertEnded(id, stateOf(record, inputs), changed);
  const shown = await compareShown(context, { record, inputs, sent: setIn(inputs) }).catch((error: unknown) => {
    throw partial(id, stateOf(record, inputs), error);
  });
  const state = stateOf(shown.record, inputs, { spelled: shown.spelled });
  if (shown.error) throw partial(id, state, shown.error);
  const lookForDuplicates = changed.wasLost && type === "read_only" && !context.signal.aborted;
  return { id, state, duplicates: lookForDuplicates ? await duplicatesOf(context, record, name) : [] };
}

/** The found endpoint's change; from here on its id must not be lost, whatever happens. */
async function recovered(context: Context, record: EndpointRecord, inputs: EndpointInputs): Promise<Answer> {
  try {
    return await recoverChange(context, record);
  } catch (error) {
    if (error instanceof PartialError) throw error;
    throw partial(formatId({ projectId: record.projectId, endpointId: record.id }), stateOf(record, inputs), error);
  }
}

async function duplicatesOf(context: Context, made: EndpointRecord, name: string): Promise<EndpointRecord[]> {
  const { cache } = context.account.project(made.projectId);
  try {
    const onBranch = await cache.onBranch(made.branchId, { sinceMs: context.account.clock.now() });
    return onBranch.filter((record) => record.name === name && record.id !== made.id);
  } catch {
    // The create itself went well; a later plan names what is left.
    return [];
  }
}
