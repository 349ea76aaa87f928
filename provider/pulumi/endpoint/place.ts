/**
 * Decides a single endpoint's place once: in Check for a resource without old inputs, else in Diff, which has the id.
 * A refusal is confirmed by a fresh list, since the branch may have become free.
 */
import { type DiffResult, diffTakeover, neverIdle } from "../../endpoint/diff";
import { idOf, isSameBranch, type Place, placeOf } from "../../endpoint/identity";
import type { CheckedInputs } from "../../endpoint/parse-inputs";
import type { EndpointInputs } from "../../endpoint/properties";
import type { EndpointState } from "../../endpoint/state";
import { isSole } from "../../endpoint/types";
import type { Failure } from "../../lib/failure";
import { UNKNOWN } from "../../lib/unknown";
import type { Ground } from "../../places/ground";
import { occupiedRefusal } from "../../places/occupied";
import { decidePlaces } from "../../places/places";
import type { Refusal } from "../../places/refusal";
import { leftRefusal, takeUpAt } from "../../places/take-over";
import { type Placed, stayOf, type Wish } from "../../places/wish";
import { PgComputeError } from "../../platform/errors";
import type { EndpointSnapshot } from "../../platform/project/endpoint-cache";
import type { EndpointRecord } from "../../platform/records";
import { groundOf, type LifecycleContext } from "../call";
import { neverIdleMessage, refusalMessage } from "../messages/refusals";
import { orphanMessage } from "../messages/remedies";
import { reportDiff } from "./preview";

/** An endpoint without old inputs. */
interface NewPlace {
  inputs: CheckedInputs;
  /** Properties whose values messages must not show. */
  secret?: ReadonlySet<string> | undefined;
}

/** Decides the place of an endpoint to create and reports an adoption. Returns the failures. */
export async function checkNewPlace(
  context: LifecycleContext,
  request: NewPlace,
  listOf: (sinceMs?: number) => Promise<EndpointSnapshot>,
): Promise<Failure[]> {
  const to = placeOf(request.inputs);
  if (!to) return [];
  const beganMs = context.account.clock.now();
  const judge = async (sinceMs?: number) => {
    const ground = groundOf(context, new Map([[to.projectId, await listOf(sinceMs)]]));
    return { ground, ...judgeNew(context, ground, { ...request, to }) };
  };

  const first = await judge();
  const { ground, refusal, occupant } = first.refusal ? await judge(beganMs) : first;
  context.run.take(context.urn, refusal ? undefined : occupant?.id);
  if (refusal) return [{ property: "branchId", reason: refusalMessage(refusal, context) }];

  // A read-write one there is refused above, or the one that this replaces.
  const orphans = takeUpAt(ground, to).left.filter((one) => !isSole(one));
  for (const orphan of orphans) context.reporter.warn(orphanMessage(orphan, true));
  return occupant ? reportTakeover(context, request, occupant) : [];
}

/** Decides the place of an existing endpoint from its Diff. Throws `refused`. */
export async function checkChangedPlace(
  context: LifecycleContext,
  { id, state, inputs }: { id: string; state: EndpointState; inputs: CheckedInputs },
  found: DiffResult,
): Promise<void> {
  const { urn, account } = context;
  const to = placeOf(inputs);
  const change = found.replaces ? "replace" : found.properties.branchId ? "move" : "same";
  const wish: Wish = {
    ...{ owner: urn, key: "", change, endpointId: id.split("/")[1], from: placeOf(state), to, adopts: false },
    stays: stayOf(state),
  };

  const comes = change !== "same" && isSole(to);
  const beganMs = account.clock.now();

  const judge = async (sinceMs?: number) => {
    if (!to || !comes) return judged(wish, groundOf(context));
    const snapshot = await account
      .project(to.projectId)
      .cache.snapshot({ sinceMs, signal: context.signal, onWait: context.reporter.status });
    const ground = groundOf(context, new Map([[to.projectId, snapshot]]));
    // The new endpoint of an interrupted replacement.
    const takes = change === "replace" ? takeUpAt(ground, to).takes : undefined;
    return judged({ ...wish, takes }, ground);
  };

  const first = await judge();
  const { refusal } = first.refusal && comes ? await judge(beganMs) : first;
  if (refusal) throw new PgComputeError("refused", refusalMessage(refusal, context));
}

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

/**
 * The refusal of the place by a new list, of a change that the platform has refused. Undefined if nothing is in the way,
 * or the list cannot be read.
 */
export async function refusalNow(
  context: LifecycleContext,
  { inputs, state }: { inputs: EndpointInputs; state?: EndpointState | undefined },
): Promise<Refusal | undefined> {
  const { urn, run, account, reporter } = context;
  const to: Place = inputs;
  const { cache } = account.project(to.projectId);
  const options = { sinceMs: account.clock.now(), onWait: reporter.status };
  const snapshot = await cache.snapshot(options).catch(() => undefined);
  if (!snapshot) return undefined;

  const ground = groundOf(context, new Map([[to.projectId, snapshot]]));
  if (!state) return judgeNew(context, ground, { inputs, to }).refusal;
  const { endpointId, stays } = run.record(urn);
  const from = placeOf(state);
  const isMoved = from?.projectId === to.projectId && from.type === to.type && account.settings.moves !== "replace";
  const change = isMoved ? "move" : "replace";
  const wish: Wish = { owner: urn, key: "", change, endpointId, from, to, stays, adopts: false };
  return judged(wish, ground).refusal;
}

/** Decides the place of one wish alone. */
function judged(wish: Wish, ground: Ground): { refusal?: Refusal | undefined; occupant?: EndpointRecord | undefined } {
  const { members, refusals } = decidePlaces([wish], ground);
  const placed = members.get(wish.key) as Placed;
  return { refusal: refusals[0]?.refusal, occupant: placed.occupant };
}

function judgeNew(
  { urn, run }: LifecycleContext,
  ground: Ground,
  { inputs, to }: NewPlace & { to: Place },
): ReturnType<typeof judged> {
  const { phase, from, releasedId, endpointId = releasedId } = run.record(urn);
  const stays = releasedId === undefined ? run.record(urn).stays : "adopted";
  const { takes, left } = takeUpAt(ground, to);
  // A replica beside an orphan does no harm, unless it was to adopt the orphan.
  if (!takes && !isSole(to) && ground.rules.takesUp && left.length > 0) {
    return {
      refusal: leftRefusal(
        ground,
        left.map((record) => ({ record })),
      ),
    };
  }

  const isReplaced = phase === "replacing";
  // Without a Diff a replacement does not know its old endpoint; one on its own branch counts as its own.
  const isAtHome = isReplaced && endpointId === undefined && isSameBranch(from, to) && isSole(from);
  const ownId = endpointId ?? (isAtHome ? ground.recordsOn(to).find(isSole)?.id : undefined);
  const { adoptExisting } = inputs;

  return judged(
    {
      ...{ owner: urn, key: "", to, takes, change: takes ? "adopt" : isReplaced ? "replace" : "create" },
      ...(isReplaced && !takes && { endpointId: ownId, from: from ?? to }),
      stays,
      adopts: !isReplaced && (adoptExisting === true || adoptExisting === UNKNOWN),
    },
    ground,
  );
}

/** Reports what an adoption does to the running endpoint. Returns the failures. */
function reportTakeover(context: LifecycleContext, { inputs, secret }: NewPlace, record: EndpointRecord): Failure[] {
  const { profile } = context.account.settings;
  const found = diffTakeover({ record, inputs, secret, profile });
  const never = neverIdle(found, record, profile);
  if (never) return [{ property: "restartWhen", reason: neverIdleMessage(idOf(record), never) }];
  reportDiff(context.reporter, { ...found, messages: [`takes over endpoint ${idOf(record)}`, ...found.messages] });
  return [];
}
