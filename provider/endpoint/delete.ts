/** Deletes an endpoint. */
import { isKind, PgComputeError } from "../platform/errors";
import { change } from "./change";
import { type Context, requestOptions } from "./context";
import { isForgotten } from "./forget";
import { type EndpointIdentity, formatId } from "./identity";
import { requireProject } from "./project";
import { begunSince, lookInTime } from "./recovery";
import { isReplica } from "./types";

/** The endpoint to delete, with branch and type from the state if known. */
export interface DeleteRequest extends EndpointIdentity {
  branchId?: unknown;
  type?: unknown;
}

/**
 * Deletes an endpoint (specification, section 4.6) and waits. Succeeds for a missing endpoint if its project exists.
 */
export async function remove(context: Context, request: DeleteRequest): Promise<void> {
  const { projectId, endpointId, branchId } = request;
  const { api } = context.account;
  const id = formatId({ projectId, endpointId });

  if (isForgotten(context, request)) {
    context.reporter.warn(`endpoint ${id} is left where it is, and nothing was sent: PGCOMPUTE_FORGET names it`);
    return;
  }

  try {
    const { error } = await change(context, {
      projectId,
      endpointId,
      branchIds: typeof branchId === "string" ? [branchId] : [],
      send: async (options) => {
        const { gone, operations } = await api.deleteEndpoint(projectId, endpointId, options);
        if (gone) await requireProject(context, { projectId, endpointId });
        return { operations };
      },
      recover: (_, sinceMs) =>
        lookInTime(context, async (late) => {
          const there = await late.account.project(projectId).cache.readById(endpointId, requestOptions(late));
          if (there) return undefined;
          await requireProject(late, { projectId, endpointId });
          return { operations: await begunSince(late, { projectId, endpointId }, sinceMs) };
        }),
    });
    if (error) throw notEndedError(id, error);
  } catch (error) {
    // For a replica it means only "not ready yet".
    if (!isKind(error, "not_ready") || isReplica(request)) throw error;
    const { restrictsBranches } = context.account.settings.profile;
    const who = restrictsBranches
      ? "A root branch keeps its read-write endpoint, and a protected one all of its endpoints"
      : "A root branch keeps its read-write endpoint";
    throw new PgComputeError("refused", `the platform refuses to delete endpoint ${id} (${error.summary}). ${who}`, {
      cause: error,
      remedy: { kind: "root_branch" },
    });
  }
}

/** The error of a delete that the platform has accepted: its operation failed, or this run did not see it end. */
function notEndedError(id: string, error: PgComputeError): PgComputeError {
  const { kind, summary } = error;
  // An operation's error does not name its endpoint, unlike a call's.
  const hasFailed = isKind(error, "operation_failed", "operation_vanished");
  if (hasFailed) return new PgComputeError(kind, `endpoint ${id}: ${summary}`, { cause: error });
  const what = `the platform has accepted the delete of endpoint ${id}, and this run did not see it end`;
  return new PgComputeError(kind, `${what}: ${summary}`, { cause: error, remedy: { kind: "delete_accepted", id } });
}
