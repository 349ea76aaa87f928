/** A single endpoint's values as those of a set of one, whose key is empty. */
import { parseId } from "../../endpoint/identity";
import type { Ignored } from "../../endpoint/ignored";
import type { ReadInputs } from "../../endpoint/parse-inputs";
import type { EndpointState } from "../../endpoint/state";
import type { Member } from "../../fleet/parse-fleet";
import type { FleetPlan, MemberPlan, Met } from "../../fleet/plan";
import { memberOf, type StoredMembers } from "../../fleet/state";
import { UNKNOWN, type Values } from "../../lib/unknown";
import type { LifecycleContext } from "../call";
import type { WantedSet } from "../fleet/plan";

/** The key of a single endpoint in its set. */
export const ONLY = "";

/** A single endpoint as the program wants it. */
export interface WantedOne {
  read: ReadInputs;
  oldInputs?: Values | undefined;
  ignored?: Ignored | undefined;
  secret?: ReadonlySet<string> | undefined;
  replaceOnChanges?: readonly string[] | undefined;
}

/** The set of one that a program wants. `replaced`: what the engine replaces by it. */
export function wantedOnly(one: WantedOne, replaced?: Met): WantedSet {
  const { read, oldInputs, ignored, secret, replaceOnChanges } = one;
  const { inputs } = read;
  const member: Member = {
    ...{ key: ONLY, inputs, read, parsed: inputs, options: {} },
    ...(ignored && { ignored }),
    ...(secret && { secret }),
    pathOf: (property) => property,
  };
  const wanted = new Map([[ONLY, member]]);
  return { wanted, maxDeletions: UNKNOWN, oldInputs: () => oldInputs, replaced, replaceOnChanges };
}

/** The set of one in a state; empty without one. */
export function storedOnly(stored?: { id: string; state: EndpointState }): StoredMembers {
  return new Map(stored ? [[ONLY, memberOf({ ...stored.state, ...parseId(stored.id) })]] : []);
}

/** What the run has met of the endpoint that the engine replaces by a new one, in a call without a state. */
export function replacedOne({ run, urn }: LifecycleContext): Met | undefined {
  const { phase, endpointId, releasedId, from, stays } = run.record(urn);
  if (phase !== "replacing" && phase !== "kept") return undefined;
  return { endpointId: endpointId ?? releasedId, from, stays: releasedId === undefined ? stays : "adopted" };
}

/** The plan of the only member. */
export function onlyIn({ members }: FleetPlan): MemberPlan {
  return members.get(ONLY) as MemberPlan;
}
