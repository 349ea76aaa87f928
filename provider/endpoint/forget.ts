/** `PGCOMPUTE_FORGET`: the endpoints that the run neither deletes nor changes. */
import { isKnown, type Maybe } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";
import type { Context } from "./context";
import { type EndpointIdentity, formatId } from "./identity";

/** An endpoint, or a whole project. */
interface Named {
  projectId: string;
  endpointId?: string;
}

/**
 * True for an endpoint that this run leaves alone, by itself or with its project; without `endpointId`, for a whole
 * project.
 */
export function isForgotten({ account }: Pick<Context, "account">, named: Named): boolean {
  const { forget = [] } = account.settings;
  return forget.includes(named.projectId) || forget.includes(idIn(named));
}

/** Throws `refused` for a change of an endpoint, or a create in a project, that this run leaves alone. */
export function refuseForgotten(context: Pick<Context, "account">, named: Named): void {
  if (!isForgotten(context, named)) return;

  const what = named.endpointId === undefined ? "project" : "endpoint";
  const summary = `PGCOMPUTE_FORGET says that this run leaves ${what} ${idIn(named)} alone, and the program would change it: take it out of one of the two`;
  throw new PgComputeError("refused", summary);
}

/**
 * Throws `refused` for a replacement that is impossible while this run leaves the old endpoint, or the new one's
 * project, alone.
 */
export function refuseForgottenReplacement(
  context: Pick<Context, "account">,
  { deletesFirst, ...old }: EndpointIdentity & { deletesFirst: boolean },
  projectId: Maybe<string>,
): void {
  if (isKnown(projectId)) refuseForgotten(context, { projectId });
  if (!deletesFirst || !isForgotten(context, old)) return;

  const stays = `PGCOMPUTE_FORGET says that this run leaves endpoint ${idIn(old)} alone, so it stays on its branch`;
  const summary = `${stays}, and the program would replace it there: run without that, or give this one another branch`;
  throw new PgComputeError("refused", summary);
}

function idIn({ projectId, endpointId }: Named): string {
  return endpointId === undefined ? projectId : formatId({ projectId, endpointId });
}
