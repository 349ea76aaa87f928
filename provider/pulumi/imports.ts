/** Rules for `pulumi import` and the option `import`: one endpoint has one owner. */
import { idOfState } from "../endpoint/identity";
import type { ForeignEndpoint } from "../places/refusal";
import { madeForOther } from "../places/take-over";
import { PgComputeError } from "../platform/errors";
import { isSingleCall, type LifecycleContext, logPlatform } from "./call";
import { importedOwnersMessage, refusalMessage, refusedImportMessage } from "./messages/refusals";
import type { Imported } from "./run";

/**
 * Keeps what a Read without a state found, for the Check of an import. False if an import of it is refused, which the
 * resource's row says: the engine takes no import in without inputs, and a program's `get` needs none.
 */
export function mayImport(context: LifecycleContext, imported: readonly Imported[]): boolean {
  if (isSingleCall(context.urn)) return true;
  const refusal = refusalOf(context, foreignAmong(context, imported));
  context.run.record(context.urn).imported = imported;
  if (refusal !== undefined) context.reporter.info(refusedImportMessage(refusal));
  return refusal === undefined;
}

/**
 * Records the owners of what an import's Read found, in the Check that follows it. Throws `refused` if another resource
 * has an endpoint by now. A `get` has no Check, and makes nobody an owner.
 */
export function recordImportedOwners(context: LifecycleContext): void {
  const { run, urn, reporter } = context;
  const { imported = [] } = run.record(urn);
  run.record(urn).imported = undefined;
  if (imported.length > 0) logPlatform(context);
  const foreign = foreignAmong(context, imported);
  const refusal = refusalOf(context, foreign);
  if (refusal !== undefined) throw new PgComputeError("refused", refusal);
  if (foreign.length > 0) reporter.warn(importedOwnersMessage(foreign));

  for (const { owner, state } of imported) {
    run.identify(owner, String(state.endpointId));
    run.record(owner).phase = "kept";
  }
}

/** Those of the endpoints that a resource checked in this run has, or that have another's name. */
function foreignAmong({ run, account, urn }: LifecycleContext, imported: readonly Imported[]): ForeignEndpoint[] {
  return imported.flatMap(({ what, owner, state }) => {
    const endpointId = String(state.endpointId);
    const record = account.project(String(state.projectId)).cache.lastSeen(endpointId);
    const marked = record && madeForOther(record, owner);
    const met = run.otherOwnerOf(endpointId, urn);
    return met !== undefined || marked ? [{ what, id: idOfState(state), met, marked }] : [];
  });
}

/** The refusal of an import: for an owner of this run always, for another's name unless `adoptInterrupted` is on. */
function refusalOf(context: LifecycleContext, foreign: readonly ForeignEndpoint[]): string | undefined {
  const owned = foreign.filter(({ met }) => met !== undefined);
  if (owned.length > 0) return refusalMessage({ kind: "import_of_owned", foreign: owned }, context);
  const isAllowed = foreign.length === 0 || context.account.settings.adoptInterrupted;
  return isAllowed ? undefined : refusalMessage({ kind: "import_of_marked", foreign }, context);
}
