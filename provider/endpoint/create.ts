import { PgComputeError } from "../platform/errors";
import type { EndpointChange, EndpointRecord } from "../platform/records";
import { withOccupant } from "../pulumi/occupied";
import { leftReplicasReason, orphanedEndpoints } from "../pulumi/run/orphaned-endpoints";
import { type Context, waitTimeoutMs } from "./context";
import { formatId, parseId } from "./identity";
import type { EndpointInputs } from "./model";
import { createPost } from "./post-create";
import { assertEnded, partial, rememberUnfinished, type StoredEndpoint, settle, stateOf } from "./settle";
import { bookkeepingOf, keep, withBookkeeping } from "./state";
import { takeOver } from "./take-over";
import { update } from "./update";

/**
 * Creates an endpoint (specification, section 4.3), or takes over the one that `adoptExisting` or an interrupted run
 * left on the branch, and waits until every returned operation has ended well. Once an id is known, every failure is a
 * `PartialError` with the id, the state and the operations still open.
 */
export function create(context: Context, inputs: EndpointInputs): Promise<StoredEndpoint> {
  return rememberUnfinished(context, async () => {
    const failed = context.ledger.unfinished(context.urn);
    const goesOn = failed && (await isThere(context, failed.id, inputs));
    return goesOn ? update(context, { ...failed, inputs }) : createAnew(context, inputs);
  });
}

/** True where a create that failed in this run has left this very endpoint, so that repeating it is to go on with it. */
async function isThere(context: Context, id: string, inputs: EndpointInputs): Promise<boolean> {
  const { projectId, endpointId } = parseId(id);
  if (projectId !== inputs.projectId) return false;
  const { cache } = context.account.project(projectId);
  const record = await cache.confirm(endpointId, { signal: context.signal });
  return record?.branchId === inputs.branchId && record.type === inputs.type;
}

async function createAnew(context: Context, inputs: EndpointInputs): Promise<StoredEndpoint> {
  const present = await endpointToTakeOver(context, inputs);
  if (present) return takeOver(context, present.record, inputs, present.adopted);
  const { changes } = context.account.project(inputs.projectId);
  const post = createPost(context, inputs);
  const replacedId = context.ledger.endpointOf(context.urn);
  try {
    const stored = await changes.run(
      { branchIds: [inputs.branchId] },
      async () => {
        const change = await post.send();
        const settled = await settledEndpoint(context, inputs, change);
        return { ...settled, record: change.endpoint };
      },
      { timeoutMs: waitTimeoutMs(context), signal: context.signal },
    );
    await post.removeDuplicate(stored.record);
    return { id: stored.id, state: stored.state };
  } catch (error) {
    throw post.explain(await withOccupant(context, inputs, error, replacedId));
  }
}

/** From here on the endpoint exists: whatever goes wrong carries its id, and its operations for the next run. */
async function settledEndpoint(
  context: Context,
  inputs: EndpointInputs,
  change: EndpointChange,
): Promise<StoredEndpoint> {
  const { projectId, id: endpointId } = change.endpoint;
  const id = formatId({ projectId, endpointId });
  const state = stateOf(change.endpoint, inputs);
  try {
    context.ledger.identify(context.urn, endpointId);
    assertEnded(id, state, await settle(context, change));
    return { id, state };
  } catch (error) {
    throw partial(id, withBookkeeping(state, { ...bookkeepingOf(state), operations: keep(change.operations) }), error);
  }
}

/** The endpoint that is to be taken over instead of creating one, where the program or the user asked for that. */
async function endpointToTakeOver(
  context: Context,
  inputs: EndpointInputs,
): Promise<{ record: EndpointRecord; adopted: boolean } | undefined> {
  const { adoptInterrupted } = context.account.settings;
  const { ledger, urn } = context;
  const { cache } = context.account.project(inputs.projectId);
  if (!inputs.adoptExisting && !adoptInterrupted && inputs.type === "read_write") return undefined;
  const onBranch = await cache.onBranch(inputs.branchId, { signal: context.signal });
  const own = orphanedEndpoints(context, inputs.type, onBranch);
  if (own[0] && adoptInterrupted) return confirmed(context, own[0], false);
  const reason = inputs.type === "read_only" ? await leftReplicasReason(context, onBranch) : undefined;
  if (reason !== undefined) throw new PgComputeError("refused", reason);
  // What another resource of this program has is not there to be adopted, even if it has yet to move away.
  const occupant = onBranch.find(({ id, type }) => type === "read_write" && !ledger.isAnothers(id, urn));
  return inputs.adoptExisting && occupant ? confirmed(context, occupant, true) : undefined;
}

/** The endpoint as it is now: what a list still shows may be gone or elsewhere, and then one is created after all. */
async function confirmed(context: Context, { projectId, id, branchId }: EndpointRecord, adopted: boolean) {
  const record = await context.account.project(projectId).cache.confirm(id, { signal: context.signal });
  return record?.branchId === branchId ? { record, adopted } : undefined;
}
