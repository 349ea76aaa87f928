/** What is done to an endpoint by hand, until the platform is done. */
import { type ChangedEndpoint, start, suspend } from "../../provider/endpoint/change";
import { type Context, requestOptions } from "../../provider/endpoint/context";
import { remove } from "../../provider/endpoint/delete";
import { type EndpointIdentity, formatId } from "../../provider/endpoint/identity";
import type { Target } from "../../provider/endpoint/recovery";
import type { Account } from "../../provider/platform/account";
import type { RequestOptions } from "../../provider/platform/api";
import { isKind, PgComputeError } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";

/** What can be done to an endpoint by hand. */
export const endpointActions = ["suspend", "start", "restart", "delete"] as const;

/** One of them. */
export type EndpointAction = (typeof endpointActions)[number];

const changes = { suspend, start, restart: restartWhole };

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

/** Suspends and starts. What ends in between leaves the endpoint suspended, and says so. */
async function restartWhole(context: Context, target: Target): Promise<ChangedEndpoint> {
  const suspended = await suspend(context, target);
  if (isKind(suspended.error, "operation_failed")) return suspended;
  try {
    if (suspended.error) throw suspended.error;
    return await start(context, target);
  } catch (error) {
    if (error instanceof PgComputeError) {
      const id = formatId(target);
      error.advise(`${id} is left suspended. Start it, run: pgcompute endpoints start ${id}`);
    }
    throw error;
  }
}
