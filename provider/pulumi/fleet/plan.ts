/** Plans a fleet from its state and the program, and refuses what cannot be. */
import { memberInputs } from "../../fleet/notes";
import { parseFleet, splitOptions } from "../../fleet/parse-fleet";
import type { FleetPlan } from "../../fleet/plan";
import { type PreparedPlan, type PrepareRequest, prepare } from "../../fleet/prepare";
import { keysOf } from "../../fleet/refusal";
import type { StoredMembers } from "../../fleet/state";
import { formatFailures } from "../../lib/failure";
import { PgComputeError } from "../../platform/errors";
import { advised } from "../advice";
import type { Path } from "../secrets";
import type { PulumiFleetContext } from "./context";
import { ignoredProperties, whereTheyStand } from "./ignored";
import { outsideFailure, refusalFailures } from "./messages";
import { outsideRefusals } from "./places";
import { secretsOfMember } from "./secrets";

type Values = Readonly<Record<string, unknown>>;

/** The most refusals that one error names. */
const MOST_TOLD = 10;

/** What a host hands over with a fleet that is there. */
export interface FleetRequest {
  id: string;
  state: Values;
  inputs: Values;
  /** The inputs of the last run, or what a note tells of them. */
  oldInputs?: Values | undefined;
  secrets?: readonly Path[];
  /** The paths of what the user has asked to leave as it is. */
  ignoreChanges?: readonly string[];
}

/** The plan of what differs, refused or not; undefined while it is not known which members there are. */
export async function planOf(
  context: PulumiFleetContext,
  { inputs, oldInputs, secrets = [], ignoreChanges = [] }: Omit<FleetRequest, "id" | "state">,
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
    oldInputs: (key) => splitOptions(memberInputs(oldInputs, key) ?? {}).inputs,
    secretOf: (key) => {
      const member = members.get(key);
      return new Set((member ? secretsOfMember(secrets, member) : []).map(([name]) => String(name)));
    },
  };
  return advised(context, () => prepare(context, request));
}

/** The plan that is to be done; undefined as above. Throws `refused` with every reason why it cannot be, from a fresh list. */
export async function planOrRefuse(
  context: PulumiFleetContext,
  request: FleetRequest,
  stored: StoredMembers,
): Promise<PreparedPlan | undefined> {
  const beganMs = context.account.clock.now();
  const attempt = async (sinceMs?: number) => {
    const plan = await planOf(context, request, { stored, sinceMs });
    return plan && { plan, outside: await advised(context, () => outsideRefusals(context, plan)) };
  };
  const first = await attempt();
  const isRefused = first && first.plan.refusals.length + first.outside.length > 0;
  const last = isRefused ? await attempt(beganMs) : first;
  if (last) refuse(context, last.plan, last.outside);
  return last?.plan;
}

/** Throws `refused` with the reasons that a plan has against it. */
export function refuse(
  context: PulumiFleetContext,
  plan: FleetPlan,
  outside: Awaited<ReturnType<typeof outsideRefusals>> = [],
): void {
  const failures = [
    ...plan.refusals.flatMap((refusal) => refusalFailures(refusal, context, context.urnOf)),
    ...outside.map((one) => outsideFailure(one, context)),
  ];
  if (failures.length === 0) return;
  // An error that names hundreds is read by nobody: those have a row each.
  const keys = [...plan.refusals.flatMap(keysOf), ...outside.map(({ key }) => key)];
  if (keys.length > MOST_TOLD) {
    const reasons = failures.filter(({ property }) => property !== "maxDeletions");
    for (const [at, key] of keys.entries()) context.reportError(context.urnOf(key), reasons[at]?.reason ?? "");
  }
  const others = failures.length - MOST_TOLD;
  const told = failures
    .slice(0, MOST_TOLD)
    .map((failure) => formatFailures([failure]))
    .join("\n");
  throw new PgComputeError("refused", others > 0 ? `${told}\nand ${others} more, on the members' own rows` : told);
}
