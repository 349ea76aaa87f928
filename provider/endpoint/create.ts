import { isAnswerLost, isKind } from "../api/errors";
import type { EndpointChange, EndpointRecord } from "../api/records";
import { PLANNING_FRESH_MS } from "../directory/endpoint-directory";
import { type Context, waitTimeoutMs } from "./context";
import { findCreated, recoverChange } from "./find-created";
import { formatId } from "./identity";
import { toCreateRequest } from "./mapping";
import { isMarkedFor, newMark } from "./mark";
import type { EndpointInputs } from "./model";
import { explainConflict } from "./occupied";
import { finish, type StoredEndpoint, settle, stateOf } from "./settle";
import { takeOver } from "./take-over";

const MAX_ATTEMPTS = 3;

/**
 * Creates an endpoint (specification, section 4.3), or takes over the one that `adoptExisting` or an interrupted run
 * left on the branch, and waits until every returned operation has ended well. Once an id is known, every failure is a
 * `PartialError` with the id, the state and the operations still open.
 */
export async function create(context: Context, inputs: EndpointInputs): Promise<StoredEndpoint> {
  const present = await endpointToTakeOver(context, inputs);
  if (present) return takeOver(context, present.record, inputs, present.adopted);
  const { projectId, branchId } = inputs;
  const mark = context.urn === undefined ? undefined : newMark(context.urn);
  const body = toCreateRequest(inputs, mark);
  const { gate } = context.account.project(projectId);
  const post = async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await context.account.api.createEndpoint(projectId, body, { signal: context.signal });
      } catch (error) {
        const lost = isAnswerLost(error);
        // A second read-write endpoint is refused, so a conflict after a lost answer may well be our own endpoint.
        const maybeOwn = lost || (attempt > 1 && isKind(error, "conflict"));
        const record = maybeOwn && mark ? await findCreated(context, { projectId, branchId, mark }) : undefined;
        if (record) return recoverChange(context, record);
        if (!lost || mark === undefined || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  };
  try {
    return await gate.pass({ branchIds: [branchId] }, post, async (change) => settled(context, inputs, change), {
      timeoutMs: waitTimeoutMs(context),
      signal: context.signal,
    });
  } catch (error) {
    throw await explainConflict(context, inputs, error);
  }
}

async function settled(context: Context, inputs: EndpointInputs, change: EndpointChange): Promise<StoredEndpoint> {
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
  const own = onBranch.find((record) => record.type === inputs.type && isMarkedFor(record, context.urn));
  if (own && adoptInterrupted) return { record: own, adopted: false };
  if (own && inputs.type === "read_only") warnOfLeftover(context, own);
  const occupant = onBranch.find(({ type }) => type === "read_write");
  return inputs.adoptExisting && occupant ? { record: occupant, adopted: true } : undefined;
}

/** A replica that an earlier run made for this resource: either about to be replaced, or left by an interrupted run. */
function warnOfLeftover({ reporter }: Context, { projectId, id }: EndpointRecord): void {
  reporter.warn(
    `endpoint ${formatId({ projectId, endpointId: id })} was created for this resource before. When this is a forced ` +
      "replacement, the engine deletes it next. When an earlier run was killed before it could record it, it is in no " +
      "state: delete it with `npx pgcompute endpoints delete " +
      `${formatId({ projectId, endpointId: id })}\``,
  );
}
