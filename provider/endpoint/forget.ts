/** `PGCOMPUTE_FORGET`: the endpoints that the run neither deletes nor changes. */
import type { Context } from "./context";
import { formatId } from "./identity";

/** An endpoint, or a whole project. */
interface Named {
  projectId: string;
  endpointId?: string;
}

/**
 * True for an endpoint that this run leaves alone, by itself or with its project; without `endpointId`, for a whole
 * project.
 */
export function isForgotten({ account }: Pick<Context, "account">, { projectId, endpointId }: Named): boolean {
  const { forget = [] } = account.settings;
  if (forget.includes(projectId)) return true;
  return endpointId !== undefined && forget.includes(formatId({ projectId, endpointId }));
}
