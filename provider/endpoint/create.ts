import type { EndpointChange, EndpointRecord } from "../api/records";
import { PLANNING_FRESH_MS } from "../directory/endpoint-directory";
import { type Context, waitTimeoutMs } from "./context";
import { leftoversFor, warnOfLeftovers } from "./leftover";
import type { EndpointInputs } from "./model";
import { explainConflict } from "./occupied";
import { createPost } from "./post-create";
import { finish, type StoredEndpoint, settle, stateOf } from "./settle";
import { takeOver } from "./take-over";

/**
 * Creates an endpoint (specification, section 4.3), or takes over the one that `adoptExisting` or an interrupted run
 * left on the branch, and waits until every returned operation has ended well. Once an id is known, every failure is a
 * `PartialError` with the id, the state and the operations still open.
 */
export async function create(context: Context, inputs: EndpointInputs): Promise<StoredEndpoint> {
  const present = await endpointToTakeOver(context, inputs);
  if (present) return takeOver(context, present.record, inputs, present.adopted);
  const { gate } = context.account.project(inputs.projectId);
  const post = createPost(context, inputs);
  try {
    const stored = await gate.pass(
      { branchIds: [inputs.branchId] },
      () => post.send(),
      async (change) => {
        const settled = await settledEndpoint(context, inputs, change);
        return { ...settled, record: change.endpoint };
      },
      { timeoutMs: waitTimeoutMs(context), signal: context.signal },
    );
    await post.removeTwin(stored.record);
    return { id: stored.id, state: stored.state };
  } catch (error) {
    throw post.explain(await explainConflict(context, inputs, error));
  }
}

async function settledEndpoint(
  context: Context,
  inputs: EndpointInputs,
  change: EndpointChange,
): Promise<StoredEndpoint> {
  context.plan.identify(context.urn, change.endpoint.id);
  const result = await settle(context, change);
  return finish(result.endpoint, stateOf(result.endpoint, inputs), result);
}

/** The endpoint that is to be taken over instead of creating one, where the program or the user asked for that. */
async function endpointToTakeOver(
  context: Context,
  inputs: EndpointInputs,
): Promise<{ record: EndpointRecord; adopted: boolean } | undefined> {
  const { adoptInterrupted } = context.account.settings;
  const { directory } = context.account.project(inputs.projectId);
  if (!inputs.adoptExisting && !adoptInterrupted && inputs.type === "read_write") return undefined;
  const onBranch = await directory.onBranch(inputs.branchId, { maxAgeMs: PLANNING_FRESH_MS });
  const own = leftoversFor(context, inputs.type, onBranch);
  if (own[0] && adoptInterrupted) return confirmed(context, own[0], false);
  if (inputs.type === "read_only") warnOfLeftovers(context, own);
  const occupant = onBranch.find(({ type }) => type === "read_write");
  return inputs.adoptExisting && occupant ? confirmed(context, occupant, true) : undefined;
}

/** The endpoint as it is now: what a list still shows may be gone, and then one is created after all. */
async function confirmed(context: Context, { projectId, id }: EndpointRecord, adopted: boolean) {
  const record = await context.account.project(projectId).directory.confirm(id, { signal: context.signal });
  return record && { record, adopted };
}
