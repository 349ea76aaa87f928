/** What a create does with what is there: an endpoint to take over is found and made the resource's own, else one is created. */
import { adopt } from "../endpoint/adopt";
import { create } from "../endpoint/create";
import { formatId } from "../endpoint/identity";
import { newOwnershipName } from "../endpoint/ownership-name";
import type { EndpointInputs } from "../endpoint/properties";
import type { StoredEndpoint } from "../endpoint/stored";
import { OutcomeUnknownError, PgComputeError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { duplicateMessage } from "./advice";
import type { LifecycleContext } from "./context";
import { orphanedEndpoints } from "./run/orphaned-endpoints";
import { createdForOther, ownerOf } from "./run/run";

/** An endpoint to take over: somebody else's, or what an interrupted run created for this very resource. */
export interface Found {
  record: EndpointRecord;
  adopted: boolean;
}

export function takeOver(
  context: LifecycleContext,
  { record, adopted }: Found,
  inputs: EndpointInputs,
): Promise<StoredEndpoint> {
  const id = formatId({ projectId: record.projectId, endpointId: record.id });
  context.reporter.info(
    adopted
      ? `takes over endpoint ${id}; on destroy it is released, not deleted`
      : `takes over endpoint ${id}, which an interrupted run created for this resource`,
  );
  return adopt(context, { record, inputs, adopted });
}

/** The endpoint that `adoptExisting` or `adoptInterrupted` asks for, where there is one. */
export async function endpointToTakeOver(
  context: LifecycleContext,
  inputs: EndpointInputs,
): Promise<Found | undefined> {
  const { run, urn, account } = context;
  const { adoptInterrupted } = account.settings;
  if (!inputs.adoptExisting && !adoptInterrupted) return undefined;
  const { cache } = account.project(inputs.projectId);
  const onBranch = await cache.onBranch(inputs.branchId, { signal: context.signal });
  const [orphan] = orphanedEndpoints(run, urn, onBranch).filter(({ type }) => type === inputs.type);
  if (orphan && adoptInterrupted) return confirmed(context, orphan, false);
  // What another resource has is not there to be adopted, even if it has yet to move away.
  const occupant = onBranch.find(
    (record) =>
      record.type === "read_write" && !run.otherOwnerOf(record.id, urn) && !orphan && !createdForOther(record, urn),
  );
  return inputs.adoptExisting && occupant ? confirmed(context, occupant, true) : undefined;
}

/**
 * The endpoint as it is now: what a list still shows may be gone or elsewhere, and then one is created after all. Meanwhile the
 * run may have learnt that another resource has it; from here on it is this one's.
 */
async function confirmed(
  { run, urn, account, signal }: LifecycleContext,
  { projectId, id, branchId }: EndpointRecord,
  adopted: boolean,
): Promise<Found | undefined> {
  const record = await account.project(projectId).cache.confirm(id, { signal });
  if (record?.branchId !== branchId || run.otherOwnerOf(id, urn) !== undefined) return undefined;
  run.identify(urn, id);
  run.takenOver.add(id);
  return { record, adopted };
}

/** Creates an endpoint under a name of its own; where an answer was lost and nothing is found, the error says what may be there. */
export async function createAnew(context: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint> {
  const { urn = "" } = context;
  const name = newOwnershipName(ownerOf(urn));
  try {
    const { duplicates, ...stored } = await create(context, { inputs, name });
    for (const duplicate of duplicates) context.reporter.warn(duplicateMessage(duplicate));
    return stored;
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    const { projectId, branchId } = inputs;
    const what =
      `${error.summary}. An answer to the create of this endpoint was lost, so it may exist: it would be on branch ` +
      `${branchId} of project ${projectId}, under the name ${name}`;
    throw new PgComputeError(error.kind, what, {
      cause: error,
      remedy: { kind: "maybeCreated", projectId, branchId, name },
    });
  }
}
