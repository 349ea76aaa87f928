/** The list of a project of which an endpoint is in the state. */

import { withAddressChecked } from "../platform/account";
import { isKind, PgComputeError } from "../platform/errors";
import type { EndpointSnapshot, Freshness } from "../platform/project/endpoint-cache";
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
  const { account, signal } = context;
  const onWait = context.reporter.status;
  const list = () => account.project(projectId).cache.snapshot({ ...freshness, signal, onWait });
  try {
    return await withAddressChecked(account.api, list, signal);
  } catch (error) {
    if (!isKind(error, "not_found", "forbidden")) throw error;
    throw new PgComputeError(
      error.kind,
      `cannot tell what became of endpoint ${formatId({ projectId, endpointId })}: ${error.summary}`,
      { cause: error, remedy: error.remedy ?? { kind: "unknown_project", projectId } },
    );
  }
}
