import { isAnswerLost, isKind, PgComputeError } from "../platform/errors";
import { type Context, waitTimeoutMs } from "./context";
import { parseId } from "./identity";
import { snapshotOfKnownProject } from "./require-project";
import { waitFor } from "./settle";
import { bookkeepingOf, type EndpointState } from "./state";

const MAX_ATTEMPTS = 3;

/** What a host hands to delete. */
export interface DeleteRequest {
  id: string;
  state: EndpointState;
}

/**
 * Deletes an endpoint (specification, section 4.6) and waits for what the platform returns. What is gone already is
 * well, if its project is there; what `adoptExisting` took over is released without a call. A refusal names the ways to keep the endpoint.
 */
export async function remove(context: Context, { id, state }: DeleteRequest): Promise<void> {
  const { projectId, endpointId } = parseId(id);
  const { api } = context.account;
  if (bookkeepingOf(state).adopted) {
    context.reporter.info(`releases endpoint ${id}: it was taken over, so it is not deleted`);
    return;
  }
  if (context.ledger.wasTakenOver(endpointId)) {
    context.reporter.warn(
      `endpoint ${id} was taken over by the resource that replaces this one, so it is not deleted; ` +
        "to get a new endpoint, run `pulumi destroy --target` for the resource, then `pulumi up`",
    );
    return;
  }
  const shared = context.account.project(projectId);
  const send = async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await api.deleteEndpoint(projectId, endpointId, { signal: context.signal });
      } catch (error) {
        if (!isAnswerLost(error) || attempt === MAX_ATTEMPTS) throw error;
        if (await isGone(context, projectId, endpointId)) return { gone: true, operations: [] };
      }
    }
  };
  try {
    const { error } = await shared.changes.run(
      { branchIds: typeof state.branchId === "string" ? [state.branchId] : [], endpointId },
      async () => {
        const { gone, operations } = await send();
        if (gone) await snapshotOfKnownProject(context, { projectId, endpointId });
        shared.cache.remove(endpointId);
        return waitFor(context, projectId, operations);
      },
      { timeoutMs: waitTimeoutMs(context), signal: context.signal },
    );
    // Unlike the error of a call, that of an operation does not say which endpoint it is about.
    if (error)
      throw new PgComputeError(error.kind, `endpoint ${id}: ${error.summary}`, { cause: error, advice: error.advice });
  } catch (error) {
    if (!isKind(error, "not_ready")) throw error;
    throw new PgComputeError(
      "refused",
      `the platform refuses to delete endpoint ${id} (${error.summary}). A root branch keeps its read-write endpoint: ` +
        "set the resource option `retainOnDelete: true` and run `pulumi up` first, or take it out of the stack with " +
        `\`pulumi state delete${context.urn === undefined ? "" : ` '${context.urn}'`}\``,
      { cause: error },
    );
  }
}

async function isGone(context: Context, projectId: string, endpointId: string): Promise<boolean> {
  try {
    await context.account.api.getEndpoint(projectId, endpointId);
    return false;
  } catch (error) {
    if (isKind(error, "not_found")) return true;
    throw error;
  }
}
