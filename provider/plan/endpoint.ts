/** What becomes of one endpoint: of its place as a set of one, whose order with all others is somebody else's, and of its values. */
import { type DiffRequest, type DiffResult, diff } from "../endpoint/diff";
import { UNKNOWN } from "../lib/unknown";
import { arrange } from "./arrange";
import { type Arranged, claimOf, type Wish } from "./branch";
import type { World } from "./world";

/** What becomes of its place. */
export type EndpointPlan = ReturnType<typeof planEndpoint>;

/** Plans a resource's place, without taking note of it. One that is new or replaced has no `from`. */
export function planEndpoint(world: World, wanted: Pick<Wish, "owner" | "from" | "to" | "adopts">) {
  const { owner } = wanted;
  // The second Check of a replacement shows nothing old: what was there stays known.
  const record = world.ledger.record(owner);
  const from = wanted.from ?? record.claim?.from;
  const isReleased = record.isReleased === true;
  const wish = { ...wanted, key: "", endpointId: record.endpointId, from, isKept: isReleased, isReleased };
  const { members, refusals } = arrange([wish], world, record);
  const arranged = members.get(wish.key) as Arranged;
  return { ...arranged, claim: { ...claimOf(arranged), after: world.turn.after }, refusal: refusals[0]?.refusal };
}

/** What becomes of an endpoint that is there, single or a member's, by its values; `why` says why another branch is another endpoint. */
export function compareEndpoint(
  request: Omit<DiffRequest, "branchReplaces">,
  { noMoves, why }: { noMoves: World["noMoves"]; why: string | undefined },
): { change: "same" | "update" | "replace"; diff: DiffResult } {
  const { state, inputs } = request;
  const isUnsure = noMoves !== undefined && inputs.branchId === UNKNOWN && inputs.projectId === state.projectId;
  const reason = why ?? (isUnsure ? `branchId is not known yet, and ${noMoves}` : undefined);
  const found = diff({ ...request, branchReplaces: reason && `replaced: ${reason}` });
  return { change: found.replaces ? "replace" : found.changes ? "update" : "same", diff: found };
}
