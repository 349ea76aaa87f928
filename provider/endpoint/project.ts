/** What the project of an endpoint in the state shows: its list, and whether the endpoint is gone. */

import { withAddressChecked } from "../platform/account";
import { isKind, PgComputeError } from "../platform/errors";
import type { EndpointSnapshot, Freshness } from "../platform/project/endpoint-cache";
import { type Context, requestOptions } from "./context";
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

/**
 * True if neither the project's list nor the endpoint's id shows an endpoint of the state. Asks by id only for what the
 * list lacks, and without a list never: its project may be unreadable, which proves no delete.
 */
export async function isGone(context: Context, { projectId, endpointId }: EndpointIdentity): Promise<boolean> {
  const { cache } = context.account.project(projectId);
  if (cache.shows(endpointId) !== false) return false;
  return (await cache.readById(endpointId, requestOptions(context))) === undefined;
}
