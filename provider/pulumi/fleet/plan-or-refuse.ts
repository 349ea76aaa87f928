/** Plans a fleet from its state and the program, without what the program asks to ignore, and refuses what cannot be. */
import { isDeepStrictEqual } from "node:util";
import { parseInputs } from "../../endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties } from "../../endpoint/properties";
import { memberPath, stepsOf } from "../../fleet/model";
import { endpointInputs, type Member, parseFleet } from "../../fleet/parse-fleet";
import { type FleetPlan, keysOf } from "../../fleet/plan";
import { type PreparedPlan, type PrepareRequest, prepare } from "../../fleet/prepare";
import { planRollout } from "../../fleet/rollout";
import type { StoredMembers } from "../../fleet/state";
import { type Failure, formatFailures } from "../../lib/failure";
import { isKnown, isRecord } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";
import { FRESH_MS } from "../../platform/project/endpoint-cache";
import { fleetContext, type PulumiFleetContext } from "../call";
import { isPutBack, mayBeUnmet, type RestorePlan, refuseUndone } from "../check-live";
import { refusalFailures, sameOnce } from "../messages/fleet";
import { advised } from "../messages/refusals";
import { secretNames } from "../secrets";
import type { Path } from "../values";

type Values = Readonly<Record<string, unknown>>;

/** The most refusals that one error names. */
const MOST_REASONS = 10;

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

/** The plan of what differs, refused or not: what is refused is refused by a fresh list. Undefined while it is not known which members there are. */
async function planFresh(
  context: PulumiFleetContext,
  request: ProgramRequest,
  options: Pick<PrepareRequest, "stored" | "sinceMs">,
): Promise<PreparedPlan | undefined> {
  const beganMs = context.account.clock.now();
  const first = await planOf(context, request, options);
  return first && first.refusals.length > 0 ? planOf(context, request, { ...options, sinceMs: beganMs }) : first;
}

/** The same by whatever list there is. */
export async function planOf(
  context: PulumiFleetContext,
  { inputs, oldInputs, secrets = [], ignoreChanges = [] }: ProgramRequest,
  { stored, sinceMs }: Pick<PrepareRequest, "stored" | "sinceMs">,
): Promise<PreparedPlan | undefined> {
  const { members, maxDeletions, rollout } = parseFleet(inputs);
  if (!members) return undefined;
  const wanted = [...members].map(([key, member]) => {
    const ignored = ignoreChanges.length > 0 ? ignoredProperties(ignoreChanges, member, inputs.defaults) : [];
    const { branchId } = stored.get(key)?.state ?? {};
    const secret = secretNames(secrets, key);
    if (branchId === undefined || !ignored.includes("branchId"))
      return [key, Object.assign(member, { ignored, secret })] as const;
    // One whose branch is ignored stands where the state has it.
    const own = { ...member.inputs, branchId };
    return [key, { ...member, inputs: own, parsed: parseInputs(own).inputs, ignored, secret }] as const;
  });
  const request: PrepareRequest = {
    ...{ stored, wanted: new Map(wanted), maxDeletions, sinceMs },
    oldInputs: (key) => endpointInputs(oldInputs, key),
  };
  return advised({ ...context, members: stored }, async () => {
    const plan = await prepare(context, request);
    const waves = planRollout(rollout, plan);
    return { ...plan, refusals: [...plan.refusals, ...waves.refusals], rollout: waves.rollout };
  });
}

/** Where a member stands on a branch that was restored in place of the program's, nothing is to put it back there unsaid. */
export async function refuseUndoneIn(context: PulumiFleetContext, { members }: FleetPlan): Promise<void> {
  const planned = [...members.values()].map(
    async ({ key, change, member, stored, found, diff }): Promise<RestorePlan[]> => {
      const { projectId, endpointId = found?.record.id } = stored?.state ?? found?.record ?? {};
      const wanted = member?.parsed;
      if (typeof projectId !== "string" || wanted?.projectId !== projectId) return [];
      const { cache } = context.account.project(projectId);
      const record = (await cache.snapshot({ signal: context.signal })).find(String(endpointId));
      return [{ key, record, wanted: wanted.branchId, isPutBack: isPutBack(change, diff) }];
    },
  );
  await refuseUndone(context, (await Promise.all(planned)).flat());
}

/** Plans a fleet in a preview; what resources that were not met yet may change is refused by the planned step, once all were met. */
export async function planOrWait(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<{ plan: PreparedPlan | undefined; waits: boolean }> {
  const { run, urn } = context;
  const plan = await planFresh(context, request, { stored });
  const refusals = plan?.refusals.map(({ refusal }) => refusal) ?? [];
  const waits = await mayBeUnmet(context, refusals);
  run.record(urn).refuseLate = waits
    ? async () => {
        const anew = fleetContext(context, run.claims.of(urn)?.plannedAt);
        await planOrRefuse(anew, request, { stored });
      }
    : undefined;
  return { plan, waits };
}

/** The plan that is to be done; undefined as above. Throws `refused` with every reason why it cannot be. */
async function planOrRefuse(
  context: PulumiFleetContext,
  request: ProgramRequest,
  options: Pick<PrepareRequest, "stored" | "sinceMs">,
): Promise<PreparedPlan | undefined> {
  const plan = await planFresh(context, request, options);
  if (plan) await refuseUndoneIn(context, plan);
  if (plan) refuse(context, plan);
  return plan;
}

/** The same before it is done, from a fresh list: what is taken over as it is gets no request that would tell that it has gone. */
export async function planToApply(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<PreparedPlan | undefined> {
  const { account } = context;
  const plan = await planOrRefuse(context, request, { stored });
  const members = [...(plan?.members.values() ?? [])];
  // A create of this run may have made what no list has shown yet.
  const hasLost = members.some(({ member }) => {
    const projectId = member?.parsed.projectId;
    return isKnown(projectId) && account.project(projectId).creates.hasLost;
  });
  if (!hasLost && !members.some(({ found }) => found)) return plan;
  return planOrRefuse(context, request, { stored, sinceMs: account.clock.now() - (hasLost ? 0 : FRESH_MS) });
}

/** The reasons that a plan has against it, each of which is said on the row of the member that it is about. */
export function refusedFailures(context: PulumiFleetContext, { refusals }: FleetPlan): Failure[] {
  const about = refusals.flatMap((refused) =>
    refusalFailures(refused, context).map((failure, at) => {
      const key = keysOf(refused)[at] ?? "";
      return { key, about: failure.property.slice(memberPath(key).length), text: failure.reason, own: [key], failure };
    }),
  );
  return sameOnce(about).map(({ key, text, failure }) => {
    // What is about the fleet is said on the fleet's row.
    if (failure.property.startsWith(memberPath(key))) context.reportError(context.rowOf(key), text);
    return { ...failure, reason: text };
  });
}

/** Throws `refused` with the reasons that a plan has against it. */
export function refuse(context: PulumiFleetContext, plan: FleetPlan): void {
  const failures = refusedFailures(context, plan);
  if (failures.length === 0) return;
  const others = failures.length - MOST_REASONS;
  const reasons = failures
    .slice(0, MOST_REASONS)
    .map((failure) => formatFailures([failure]))
    .join("\n");
  throw new PgComputeError(
    "refused",
    others > 0 ? `${reasons}\nand ${others} more, on the members' own rows` : reasons,
  );
}

/** The properties of a member that the paths name as a whole, or by the defaults; ignored parts the engine puts back itself. */
export function ignoredProperties(
  paths: readonly string[],
  { key, inputs }: Pick<Member, "key" | "inputs">,
  defaults: unknown,
): EndpointProperty[] {
  const ignored = paths.map(stepsOf);
  // Later calls see each member whole: what it has from the defaults is as they say.
  const inherits = (name: string) =>
    isRecord(defaults) && Object.hasOwn(defaults, name) && isDeepStrictEqual(defaults[name], inputs[name]);
  const covers = (...steps: string[]) =>
    ignored.some(
      (one) =>
        one.length > 0 && one.length <= steps.length && one.every((part, at) => part === "*" || part === steps[at]),
    );
  return endpointProperties.filter(
    (name) => covers("endpoints", key, name) || (inherits(name) && covers("defaults", name)),
  );
}
