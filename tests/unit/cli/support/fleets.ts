/** Plans of a fleet, written by hand. */
import type { PlanStep } from "../../../../cli/review/plan-model";
import { encodeMembers, memberOf } from "../../../../provider/fleet/state";
import { memberUrn } from "../../../../provider/lib/owner";
import { stateOf } from "./plans";

type Values = Record<string, unknown>;

/** The type of a fleet of the plugin. */
export const type = "pgcompute:index:EndpointFleet";
/** The fleet of the plans. */
export const urn = `urn:pulumi:prod::shop::${type}::previews`;

/** The state of a member: an endpoint's own, on a branch of its own. */
export function stored(key: string, outputs: Values = {}): Values {
  const place = { projectId: "p-1", branchId: `br-${key}`, endpointId: `ep-${key}`, host: `ep-${key}.example` };
  return { ...stateOf().outputs, ...place, ...outputs };
}

/** A fleet as the engine has it: members with these states and options, and what the program said of them. */
export function sideOf(
  states: Record<string, Values>,
  wanted: Record<string, Values | symbol | string>,
  more: Values = {},
  options: Record<string, Values> = {},
) {
  const members = new Map(Object.entries(states).map(([key, state]) => [key, memberOf(state, options[key])]));
  return {
    id: "fleet-01234567",
    inputs: { projectId: "p-1", defaults: { sizeCu: 1 }, endpoints: wanted, ...more },
    outputs: { ...encodeMembers(members) } as Values,
  };
}

/** Members of these keys, each on a branch of its own, as a program has them. */
export const branches = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, { branchId: `br-${key}` }]));

/** The same as a state has them. */
export const states = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, stored(key)]));

/** An update from these members to what the program wants of them. */
export function updateOf(
  from: readonly string[],
  wanted: Record<string, Values | symbol | string>,
  more: Values = {},
): PlanStep {
  const before = sideOf(states(...from), branches(...from));
  return { op: "update", urn, type, before, after: { ...sideOf({}, wanted, more), outputs: {} } };
}

/** The URN that the reports show of a member. */
export const urnOfMember = (key: string) => memberUrn(urn, key);
