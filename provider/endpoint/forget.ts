/** What a run leaves where it is, because a person says so: it is neither deleted nor changed. */
import { PgComputeError } from "../platform/errors";
import type { Context } from "./context";
import { type EndpointIdentity, formatId } from "./identity";

/** True for an endpoint that this run leaves alone, named by itself or with its whole project. */
export function isForgotten({ account }: Pick<Context, "account">, identity: EndpointIdentity): boolean {
  const { forget = [] } = account.settings;
  return forget.includes(identity.projectId) || forget.includes(formatId(identity));
}

/** Throws `refused` where a run that is to leave an endpoint, or its whole project, alone would change it or create one there. */
export function refuseForgotten(
  { account }: Pick<Context, "account">,
  { projectId, endpointId }: { projectId: string; endpointId?: string },
): void {
  const { forget = [] } = account.settings;
  const id = endpointId === undefined ? projectId : formatId({ projectId, endpointId });
  if (!forget.includes(projectId) && !forget.includes(id)) return;

  const what = endpointId === undefined ? "project" : "endpoint";
  const summary = `PGCOMPUTE_FORGET says that this run leaves ${what} ${id} alone, and the program would change it: take it out of one of the two`;
  throw new PgComputeError("refused", summary);
}
