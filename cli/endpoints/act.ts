/** What is done to an endpoint by hand, until the platform is done. */
import { type Context, requestOptions } from "../../provider/endpoint/context";
import { remove } from "../../provider/endpoint/delete";
import type { EndpointIdentity } from "../../provider/endpoint/identity";
import { restart, start, suspend } from "../../provider/endpoint/restart";
import type { Account } from "../../provider/platform/account";
import type { RequestOptions } from "../../provider/platform/api";
import { PgComputeError } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";

/** What can be done to an endpoint by hand. */
export const endpointActions = ["suspend", "start", "restart", "delete"] as const;

/** One of them. */
export type EndpointAction = (typeof endpointActions)[number];

const changes = { suspend, start, restart };

/** The endpoint of this id, asked for within the given bounds. Throws where the project has none. */
export async function findEndpoint(
  account: Account,
  { projectId, endpointId }: EndpointIdentity,
  options: RequestOptions,
): Promise<EndpointRecord> {
  const { cache } = account.project(projectId);
  const found = await cache.confirm(endpointId, options);
  if (found) return found;
  // A project that is not there says so by its list.
  await cache.snapshot({ signal: options.signal });
  throw new PgComputeError(
    "not_found",
    `project ${projectId} has no endpoint ${endpointId}; \`pgcompute endpoints list\` shows those that it has`,
  );
}

/**
 * Acts on an endpoint and waits until every operation has ended well. Gives the endpoint as it is then; `undefined` after a
 * delete. Throws the errors of the API and of the wait.
 */
export async function act(
  context: Context,
  action: EndpointAction,
  { projectId, id: endpointId, branchId, type }: EndpointRecord,
): Promise<EndpointRecord | undefined> {
  const target = { projectId, endpointId, branchId };
  if (action === "delete") {
    await remove(context, { ...target, type });
    return undefined;
  }
  const { error } = await changes[action](context, target);
  if (error) throw error;
  return context.account.api.getEndpoint(projectId, endpointId, requestOptions(context));
}
