/** Plans a fleet from its state and the program, and refuses what cannot be. */
import { endpointInputs } from "../../fleet/notes";
import { parseFleet } from "../../fleet/parse-fleet";
import type { FleetPlan } from "../../fleet/plan";
import { type PreparedPlan, type PrepareRequest, prepare } from "../../fleet/prepare";
import { keysOf } from "../../fleet/refusal";
import type { StoredMembers } from "../../fleet/state";
import { type Failure, formatFailures } from "../../lib/failure";
import { isKnown } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";
import { FRESH_MS } from "../../platform/project/endpoint-cache";
import { advised } from "../advice";
import type { Path } from "../secrets";
import { advisedFleet } from "./advice";
import type { PulumiFleetContext } from "./context";
import { ignoredProperties, whereTheyStand } from "./ignored";
import { outsideFailure, refusalFailures } from "./messages";
import { type OutsideRefusal, outsideRefusals } from "./places";
import { secretNamesOfMember } from "./secrets";

type Values = Readonly<Record<string, unknown>>;

/** The most refusals that one error names. */
const MOST_TOLD = 10;

/** What a host hands over of a fleet's program. */
export interface ProgramRequest {
  inputs: Values;
  /** The inputs of the last run, or what a note tells of them. */
  oldInputs?: Values | undefined;
  secrets?: readonly Path[];
  /** The paths of what the user has asked to leave as it is. */
  ignoreChanges?: readonly string[];
}

/** What a host hands over with a fleet that is there. */
export interface FleetRequest extends ProgramRequest {
  id: string;
  state: Values;
}

/** The plan of what differs, refused or not; undefined while it is not known which members there are. */
export async function planOf(
  context: PulumiFleetContext,
  { inputs, oldInputs, secrets = [], ignoreChanges = [] }: ProgramRequest,
  { stored, sinceMs }: { stored: StoredMembers; sinceMs?: number | undefined },
): Promise<PreparedPlan | undefined> {
  const { members, maxDeletions } = parseFleet(inputs);
  if (!members) return undefined;
  const ignored = (key: string) => {
    const member = members.get(key);
    return member && ignoreChanges.length > 0 ? ignoredProperties(ignoreChanges, member, inputs.defaults) : [];
  };
  const request: PrepareRequest = {
    stored,
    wanted: whereTheyStand(members, stored, ignored),
    maxDeletions,
    sinceMs,
    ignored,
    oldInputs: (key) => endpointInputs(oldInputs, key),
    secretOf: (key) => {
      const member = members.get(key);
      return member ? secretNamesOfMember(secrets, member) : new Set();
    },
  };
  return advisedFleet({ ...context, members: stored }, () => prepare(context, request));
}

/** The plan, and what the rest of the program has against it; undefined as above. What is refused is refused by a fresh list. */
export async function planFresh(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<{ plan: PreparedPlan; outside: OutsideRefusal[] } | undefined> {
  const beganMs = context.account.clock.now();
  const attempt = async (sinceMs?: number) => {
    const plan = await planOf(context, request, { stored, sinceMs });
    if (!plan) return undefined;
    const outside = await advised(context, () => outsideRefusals(context, plan));
    const told = new Set(outside.map(({ key }) => key));
    const refusals = plan.refusals.filter((one) => one.kind !== "occupied" || !told.has(one.key));
    return { plan: { ...plan, refusals }, outside };
  };
  const first = await attempt();
  const isRefused = first && first.plan.refusals.length + first.outside.length > 0;
  return isRefused ? attempt(beganMs) : first;
}

/** The plan that is to be done; undefined as above. Throws `refused` with every reason why it cannot be. */
export async function planOrRefuse(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<PreparedPlan | undefined> {
  const found = await planFresh(context, request, stored);
  if (found) refuse(context, found.plan, found.outside);
  return found?.plan;
}

/**
 * The same, right before it is done: what is taken over as it is gets no request that would tell that it has gone, so that this is
 * planned from a list that is fresh.
 */
export async function planToApply(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<PreparedPlan | undefined> {
  const plan = await planOrRefuse(context, request, stored);
  const isOutdated = plan !== undefined && (await advised(context, () => takesFromOldList(context, plan)));
  return isOutdated ? planOrRefuse(context, request, stored) : plan;
}

/** The reasons that a plan has against it, each of which is said on the row of the member that it is about. */
export function refusedFailures(
  context: PulumiFleetContext,
  { refusals }: FleetPlan,
  outside: readonly OutsideRefusal[] = [],
): Failure[] {
  const about = [
    ...refusals.flatMap((refusal) =>
      refusalFailures(refusal, context, context.ownerOf).map((failure, at) => ({
        // What is said once is said on the fleet's row.
        key: refusal.kind === "left" ? undefined : keysOf(refusal)[at],
        failure,
      })),
    ),
    ...outside.map((one) => ({ key: one.key, failure: outsideFailure(one, context) })),
  ];
  for (const { key, failure } of about) {
    if (key !== undefined) context.reportError(context.rowOf(key), failure.reason);
  }
  return about.map(({ failure }) => failure);
}

/** Throws `refused` with the reasons that a plan has against it. */
export function refuse(context: PulumiFleetContext, plan: FleetPlan, outside: readonly OutsideRefusal[] = []): void {
  const failures = refusedFailures(context, plan, outside);
  if (failures.length === 0) return;
  const others = failures.length - MOST_TOLD;
  const told = failures
    .slice(0, MOST_TOLD)
    .map((failure) => formatFailures([failure]))
    .join("\n");
  throw new PgComputeError("refused", others > 0 ? `${told}\nand ${others} more, on the members' own rows` : told);
}

/** True where a list was older from which something is to be taken over; by now there is a fresh one. */
async function takesFromOldList({ account, signal }: PulumiFleetContext, { members }: FleetPlan): Promise<boolean> {
  const projects = new Set(
    [...members.values()].flatMap(({ found, member }) => {
      if (found) return found.record.projectId;
      // A create of this run may have made what no list has shown yet.
      const projectId = member?.parsed.projectId;
      return isKnown(projectId) && account.project(projectId).creates.hasLost ? projectId : [];
    }),
  );
  const areOld = [...projects].map(async (projectId) => {
    const { cache, creates } = account.project(projectId);
    const sinceMs = account.clock.now() - (creates.hasLost ? 0 : FRESH_MS);
    const planned = await cache.snapshot({ signal });
    return (await cache.snapshot({ sinceMs, signal })) !== planned;
  });
  return (await Promise.all(areOld)).includes(true);
}
