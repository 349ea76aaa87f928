/** Checks the place of a replacement before the engine's delete of the old endpoint. */
import { placeOf } from "../../endpoint/identity";
import { isSole } from "../../endpoint/types";
import { occupiedRefusal } from "../../places/occupied";
import { PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../call";
import { refusalMessage } from "../messages/refusals";

/**
 * Checks before a replacement's delete that the new place is free or adoptable. Throws `refused` otherwise, to keep the
 * old endpoint.
 */
export async function checkRoomForReplacement(context: LifecycleContext, endpointId: string): Promise<void> {
  const { urn, run, account, signal } = context;
  const { phase, inputs, takes } = run.record(urn);
  const to = inputs && placeOf(inputs);
  const isPending = phase === "replacing" || phase === "new";
  if (!isPending || !to || !isSole(to)) return;

  const snapshot = await account
    .project(to.projectId)
    .cache.snapshot({ sinceMs: account.clock.now(), signal, onWait: context.reporter.status });
  const occupant = snapshot.onBranch(to.branchId).find(isSole);
  if (!occupant || occupant.id === endpointId || occupant.id === takes) return;

  const refusal = occupiedRefusal(run, occupant, { owner: urn, isNew: false });
  throw new PgComputeError("refused", refusalMessage(refusal, context));
}
