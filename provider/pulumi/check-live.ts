import { type Context, nameOf } from "../endpoint/context";
import { isOwnedBy } from "../endpoint/ownership-name";
import type { CheckedInputs } from "../endpoint/parse-inputs";
import type { Failure } from "../lib/failure";
import { isKnown, UNKNOWN } from "../lib/unknown";
import { isKind } from "../platform/errors";
import { FRESH_MS } from "../platform/project/endpoint-cache";
import type { EndpointSnapshot } from "../platform/project/snapshot";
import { declaredTwiceMessage, moveRefusedMessage } from "./advice";
import { occupiedReason } from "./occupied";
import { leftReplicasReason, warnOfLeftoversElsewhere } from "./run/orphaned-endpoints";
import type { Place } from "./run/run-ledger";

/** What the live rules look at. */
export interface LiveRequest {
  olds: Partial<CheckedInputs>;
  inputs: Partial<CheckedInputs>;
  /** Properties that have already failed. */
  bad: ReadonlySet<string | undefined>;
  /** Where a read-write endpoint is to stand, when that is known. */
  place?: Place | undefined;
}

/**
 * The rules that need the platform or the rest of the program: the project can be read, the branch exists, and a
 * read-write endpoint has its branch to itself (specification, section 1). Rules whose values are not known are skipped.
 */
export async function checkLive(context: Context, request: LiveRequest): Promise<Failure[]> {
  const failures = await checkAgainst(context, request, undefined);
  // Somebody may have made room since the snapshot was taken.
  return failures.length === 0 ? failures : checkAgainst(context, request, context.account.clock.now() - FRESH_MS);
}

async function checkAgainst(context: Context, request: LiveRequest, sinceMs: number | undefined): Promise<Failure[]> {
  const { projectId, branchId } = request.inputs;
  if (!isKnown(projectId)) return [];
  const { cache } = context.account.project(projectId);
  let snapshot: EndpointSnapshot;
  try {
    snapshot = await cache.snapshot({ sinceMs, signal: context.signal });
  } catch (error) {
    if (!isKind(error, "not_found", "forbidden")) throw error;
    return [
      {
        property: "projectId",
        reason: `project ${projectId} does not exist, or this API key may not see it; check the id and the key`,
      },
    ];
  }
  if (!isKnown(branchId) || request.bad.has("branchId")) return [];
  const onBranch = snapshot.onBranch(branchId);
  if (onBranch.length === 0 && !(await cache.hasBranch(branchId, { signal: context.signal }))) {
    return [
      { property: "branchId", reason: `branch ${branchId} does not exist in project ${projectId}; check the id` },
    ];
  }
  const { type } = request.inputs;
  if (isNew(request.olds) && isKnown(type)) {
    warnOfLeftoversElsewhere(context, { type, branchId }, snapshot.all());
    const reason = type === "read_only" ? await leftReplicasReason(context, onBranch) : undefined;
    if (reason !== undefined) return [{ property: "branchId", reason }];
  }
  if (!request.place) return [];
  const reason = refusal(context, request, request.place, snapshot);
  return reason === undefined ? [] : [{ property: "branchId", reason }];
}

/** Why the read-write endpoint cannot stand at its place; undefined when it can. */
function refusal(
  context: Context,
  { olds, inputs }: LiveRequest,
  place: Place,
  snapshot: EndpointSnapshot,
): string | undefined {
  const { ledger, urn } = context;
  const { projectId, branchId } = place;
  const onBranch = snapshot.onBranch(branchId);
  const holder = ledger.claimedBy(place, urn);
  if (holder !== undefined) return declaredTwiceMessage({ branchId, firstUrn: holder });
  if (isOwnPlace(context, olds, place)) return undefined;

  const leaver = ledger.vacatedBy(place, urn);
  const occupant = onBranch.find(({ type }) => type === "read_write");
  const leavesInTime = leaver?.first === true && [undefined, occupant?.id].includes(ledger.endpointOf(leaver.urn));
  if (occupant && !leavesInTime) {
    // A run that has yet to learn whether it may adopt cannot be refused for it.
    const mayAdopt = inputs.adoptExisting === true || inputs.adoptExisting === UNKNOWN;
    // By force (--replace, taint) the new one comes before its own old one goes, which a refresh has made known.
    const byForce = isNew(olds) && ledger.initialBranch(urn) === undefined && !ledger.isCompared(urn);
    if ((occupant.id === ledger.endpointOf(urn) && !byForce) || mayAdopt) return undefined;
    // Marked, and there is none where it stood: an interrupted run has moved it here already.
    const leftBranch = leftBranchOf(olds, place, snapshot);
    const mayBeOwn = context.account.settings.adoptInterrupted || leftBranch !== undefined;
    if (mayBeOwn && isOwnedBy(occupant, urn)) return undefined;
    if (leaver) {
      return (
        `branch ${branchId} still has read-write endpoint ${occupant.id} of "${nameOf(leaver.urn)}" (${leaver.urn}), which ` +
        "this program gives up only after this one is created; change that resource first and this one in a second run"
      );
    }
    return occupiedReason(context, occupant, { isNew: isNew(olds), leftBranch });
  }
  const moves = olds.type === "read_write" && olds.projectId === projectId && isKnown(olds.branchId);
  const replicas = onBranch.filter(({ type }) => type === "read_only");
  if (moves && replicas.length > 0) {
    const endpointId = ledger.endpointOf(urn);
    return moveRefusedMessage({
      branchId,
      replicaIds: replicas.map(({ id }) => id),
      ...(isKnown(olds.branchId) ? { fromBranchId: olds.branchId } : {}),
      ...(endpointId === undefined ? {} : { endpointId }),
    });
  }
  return undefined;
}

/** True where the engine shows nothing old: the resource is new, or replaced. */
export function isNew(olds: Partial<CheckedInputs>): boolean {
  return Object.keys(olds).every((name) => name === "type");
}

/** The branch that the resource's read-write endpoint is to leave, where the platform shows that it is gone from there. */
function leftBranchOf(olds: Partial<CheckedInputs>, place: Place, snapshot: EndpointSnapshot): string | undefined {
  const { type, projectId, branchId } = olds;
  if (type !== "read_write" || projectId !== place.projectId || !isKnown(branchId)) return undefined;
  return snapshot.onBranch(branchId).some((record) => record.type === "read_write") ? undefined : branchId;
}

/** True where the resource's own endpoint already stands: an endpoint never conflicts with itself. */
function isOwnPlace({ ledger, urn }: Context, olds: Partial<CheckedInputs>, place: Place): boolean {
  const same = (other: Partial<CheckedInputs> | Place | undefined) =>
    other?.projectId === place.projectId && other.branchId === place.branchId;
  return (olds.type === "read_write" && same(olds)) || same(ledger.initialBranch(urn));
}
