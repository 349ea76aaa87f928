import { isKind, PgComputeError } from "../platform/errors";
import type { Freshness } from "../platform/project/endpoint-cache";
import type { EndpointSnapshot } from "../platform/project/snapshot";
import type { Context } from "./context";
import { type EndpointIdentity, formatId } from "./identity";

/**
 * The project's endpoints, for a question about one that is in the state. A platform that does not know the project
 * knows nothing of the endpoint either: another key or address must not pass for its deletion, so that is an error.
 */
export async function requireProject(
  context: Context,
  { projectId, endpointId }: EndpointIdentity,
  freshness: Freshness = {},
): Promise<EndpointSnapshot> {
  try {
    const { cache } = context.account.project(projectId);
    return await cache.snapshot({ ...freshness, signal: context.signal });
  } catch (error) {
    if (!isKind(error, "not_found", "forbidden")) throw error;
    const isThere = error.kind === "forbidden" || (await context.account.api.isThere({ signal: context.signal }));
    throw new PgComputeError(
      error.kind,
      `cannot tell what became of endpoint ${formatId({ projectId, endpointId })}: ${error.summary}`,
      { cause: error, remedy: isThere ? { kind: "unknownProject", projectId } : { kind: "wrongAddress" } },
    );
  }
}
