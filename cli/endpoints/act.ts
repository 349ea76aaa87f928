/** What is done to an endpoint by hand, until the platform is done. */
import type { Reporter } from "../../provider/endpoint/context";
import { remove } from "../../provider/endpoint/delete";
import { restart, start, suspend } from "../../provider/endpoint/restart";
import type { Account } from "../../provider/platform/account";
import { PgComputeError } from "../../provider/platform/errors";
import { FRESH_MS } from "../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../provider/platform/records";

/** What can be done to an endpoint by hand. */
export const endpointActions = ["suspend", "start", "restart", "delete"] as const;

/** One of them. */
export type EndpointAction = (typeof endpointActions)[number];

/** An action on one endpoint. */
export interface Act {
  action: EndpointAction;
  projectId: string;
  endpointId: string;
  timeoutMs: number | undefined;
  signal: AbortSignal;
  reporter: Reporter;
}

const changes = { suspend, start, restart };

/** The endpoint to act on. Throws where the project has none of this id. */
export async function findEndpoint(account: Account, projectId: string, endpointId: string): Promise<EndpointRecord> {
  const found = await account
    .project(projectId)
    .cache.endpoint(endpointId, { sinceMs: account.clock.now() - FRESH_MS });
  if (found) return found;
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
  account: Account,
  endpoint: EndpointRecord,
  { action, projectId, endpointId, timeoutMs, signal, reporter }: Act,
): Promise<EndpointRecord | undefined> {
  const context = { account, reporter, signal, timeoutMs };
  const target = { projectId, endpointId, branchId: endpoint.branchId };
  if (action === "delete") {
    await remove(context, target);
    return undefined;
  }
  const { error } = await changes[action](context, target);
  if (error) throw error;
  return account.api.getEndpoint(projectId, endpointId, { signal });
}
