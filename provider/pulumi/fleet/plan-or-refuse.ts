/** Plans a fleet from its state and the program, without what the program asks to ignore, and refuses what cannot be. */
import { isDeepStrictEqual } from "node:util";
import { parseInputs } from "../../endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties } from "../../endpoint/properties";
import { memberPath } from "../../fleet/model";
import { endpointInputs, type Member, parseFleet } from "../../fleet/parse-fleet";
import { type FleetPlan, keysOf } from "../../fleet/plan";
import { type PreparedPlan, type PrepareRequest, prepare } from "../../fleet/prepare";
import { planRollout } from "../../fleet/rollout";
import type { StoredMembers } from "../../fleet/state";
import { type Failure, formatFailures } from "../../lib/failure";
import { isKnown, isRecord } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";
import { FRESH_MS } from "../../platform/project/endpoint-cache";
import { mayBeUnmet, type RestorePlan, undoneRestoreMessage } from "../check-live";
import { advisedFleet, refusalFailures, sameOnce } from "../messages/fleet";
import { advised } from "../messages/refusals";
import type { Path } from "../secrets";
import { fleetContext, type PulumiFleetContext } from "./fleet-call";
import { secretNamesOfMember } from "./secrets";

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

/** The steps of a path as the engine reads it: `endpoints["pr-101"].sizeCu`, `endpoints[*]`, `defaults.sizeCu`. */
const step = /\["((?:\\"|[^"])*)"\]|\[(\*|\d+)\]|([^.[\]]+)/g;

/** The plan of what differs, refused or not; undefined while it is not known which members there are. */
export async function planOf(
  context: PulumiFleetContext,
  { inputs, oldInputs, secrets = [], ignoreChanges = [] }: ProgramRequest,
  { stored, sinceMs }: { stored: StoredMembers; sinceMs?: number | undefined },
): Promise<PreparedPlan | undefined> {
  const { members, maxDeletions, rollout } = parseFleet(inputs);
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
  return advisedFleet({ ...context, members: stored }, async () => {
    const plan = await prepare(context, request);
    const waves = planRollout(rollout, plan);
    return { ...plan, refusals: [...plan.refusals, ...waves.refusals], rollout: waves.rollout };
  });
}

/** Where a member stands on a branch that was restored in place of the program's, nothing is to put it back there unsaid. */
export async function refuseUndone(context: PulumiFleetContext, { members }: FleetPlan): Promise<void> {
  const planned = [...members.values()].map(async ({ key, change, member, stored, found, diff }) => {
    const { projectId, endpointId } = stored?.state ?? found?.record ?? {};
    const wanted = member?.parsed;
    if (typeof projectId !== "string" || wanted?.projectId !== projectId) return [];
    const id = String(endpointId ?? found?.record.id);
    const { cache } = context.account.project(projectId);
    const record = (await cache.snapshot({ signal: context.signal })).find(id);
    const isPutBack = change === "replace" || diff?.properties.branchId !== undefined;
    const one: RestorePlan = { key, record, wanted: wanted.branchId, isPutBack };
    return [one];
  });
  const refusal = await undoneRestoreMessage(context, (await Promise.all(planned)).flat());
  if (refusal !== undefined) throw new PgComputeError("refused", refusal);
}

/** The plan, refused or not; undefined as above. What is refused is refused by a fresh list. */
async function planFresh(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<PreparedPlan | undefined> {
  const sinceMs = context.account.clock.now();
  const first = await planOf(context, request, { stored });
  return first && first.refusals.length > 0 ? planOf(context, request, { stored, sinceMs }) : first;
}

/** Plans a fleet in a preview; what resources that were not met yet may change is refused by the planned step, once all were met. */
export async function planOrWait(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<{ plan: PreparedPlan | undefined; waits: boolean }> {
  const { run, urn } = context;
  const plan = await planFresh(context, request, stored);
  const refusals = plan?.refusals.map(({ refusal }) => refusal) ?? [];
  const waits = await mayBeUnmet(context, refusals);
  run.record(urn).refuseLate = waits
    ? async () => {
        const anew = fleetContext(context, run.claims.of(urn)?.plannedAt);
        await planOrRefuse(anew, request, stored);
      }
    : undefined;
  return { plan, waits };
}

/** The plan that is to be done; undefined as above. Throws `refused` with every reason why it cannot be. */
async function planOrRefuse(
  context: PulumiFleetContext,
  request: ProgramRequest,
  stored: StoredMembers,
): Promise<PreparedPlan | undefined> {
  const plan = await planFresh(context, request, stored);
  if (plan) await refuseUndone(context, plan);
  if (plan) refuse(context, plan);
  return plan;
}

/** The same before it is done, from a fresh list: what is taken over as it is gets no request that would tell that it has gone. */
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

/** The properties of a member that the paths name as a whole, or by the defaults; ignored parts the engine puts back itself. */
export function ignoredProperties(
  paths: readonly string[],
  { key, inputs }: Pick<Member, "key" | "inputs">,
  defaults: unknown,
): EndpointProperty[] {
  const ignored = paths.map((path) =>
    [...path.matchAll(step)].map(([, quoted, index, plain]) => quoted ?? index ?? plain),
  );
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

/** The members of a program; one whose branch is ignored stands where the state has it. */
function whereTheyStand(
  members: ReadonlyMap<string, Member>,
  stored: StoredMembers,
  ignored: (key: string) => readonly EndpointProperty[],
): ReadonlyMap<string, Member> {
  const standing = [...members].map(([key, member]): [string, Member] => {
    const { branchId } = stored.get(key)?.state ?? {};
    if (branchId === undefined || !ignored(key).includes("branchId")) return [key, member];
    const inputs = { ...member.inputs, branchId };
    return [key, { ...member, inputs, parsed: parseInputs(inputs).inputs }];
  });
  return new Map(standing);
}
