/** The list of a project with an endpoint in the state. */

import { withAddressChecked } from "../platform/account";
import { isKind, PgComputeError } from "../platform/errors";
import type { EndpointSnapshot, Freshness } from "../platform/project/endpoint-cache";
import type { Context } from "./context";
import { type EndpointIdentity, formatId } from "./identity";

/** The endpoints of a project, to look up one in the state. Throws for an unknown project, which proves no delete. */
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
