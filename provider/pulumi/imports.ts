/** Rules for `pulumi import` and the option `import`: one endpoint has one owner. */
import type { EndpointState } from "../endpoint/state";
import type { Owner } from "../lib/owner";
import { madeForOther } from "../places/take-over";
import { PgComputeError } from "../platform/errors";
import { isSingleCall, type LifecycleContext } from "./call";
import { importedOwnersMessage, refusalMessage } from "./messages/refusals";

/** An endpoint that an import read; `what` is its name in messages. */
export interface Imported {
  what: string;
  owner: Owner;
  state: EndpointState;
}

/**
 * Records the owners of imported endpoints. Throws `refused` if a resource checked in this run has one, or if one has
 * another resource's name and `adoptInterrupted` is off. Other owners are not known.
 */
export function recordImportedOwners(context: LifecycleContext, imported: readonly Imported[]): void {
  const { run, account, urn, reporter } = context;
  if (isSingleCall(urn)) return;

  const foreign = imported.flatMap(({ what, owner, state }) => {
    const endpointId = String(state.endpointId);
    const record = account.project(String(state.projectId)).cache.lastSeen(endpointId);
    const marked = record && madeForOther(record, owner);
    const met = run.otherOwnerOf(endpointId, urn);
    return met !== undefined || marked ? [{ what, met, marked }] : [];
  });

  const hasOwner = foreign.some(({ met }) => met !== undefined);
  if (hasOwner || (foreign.length > 0 && !account.settings.adoptInterrupted)) {
    throw new PgComputeError("refused", refusalMessage({ kind: "imported", foreign }, context));
  }
  if (foreign.length > 0) reporter.warn(importedOwnersMessage(foreign));

  for (const { owner, state } of imported) {
    run.identify(owner, String(state.endpointId));
    run.record(owner).phase = "kept";
  }
}
