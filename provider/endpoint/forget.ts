/** Endpoints that the user told the run to leave alone: neither deleted nor changed. */
import { isKnown, type Maybe } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";
import type { Context } from "./context";
import { type EndpointIdentity, formatId } from "./identity";

/** An endpoint, or a whole project. */
interface Named {
  projectId: string;
  endpointId?: string;
}

/** True for an endpoint that this run leaves alone, named by itself or with its whole project; without an endpoint, for such a project. */
export function isForgotten({ account }: Pick<Context, "account">, named: Named): boolean {
  const { forget = [] } = account.settings;
  return forget.includes(named.projectId) || forget.includes(idIn(named));
}

/** Throws `refused` where a run that is to leave an endpoint, or its whole project, alone would change it or create one there. */
export function refuseForgotten(context: Pick<Context, "account">, named: Named): void {
  if (!isForgotten(context, named)) return;

  const what = named.endpointId === undefined ? "project" : "endpoint";
  const summary = `PGCOMPUTE_FORGET says that this run leaves ${what} ${idIn(named)} alone, and the program would change it: take it out of one of the two`;
  throw new PgComputeError("refused", summary);
}

/**
 * Throws `refused` where a replacement cannot be while the run leaves the old endpoint alone: that stays in the one place that its branch has, or
 * the new one would come to a project that is left alone.
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
