import { describeImpact, withoutSecrets } from "../rules/impact";
import type { Context } from "./context";
import type { DiffResult } from "./diff";
import { plannedImpact } from "./planned-impact";

/**
 * What a create means to an endpoint for which Diff has announced a change in place in the same run: the engine replaces
 * it all the same, for an option that Diff was not told. Undefined where the create is what it seems.
 */
export function replacedUnasked({ ledger, urn }: Context): Pick<DiffResult, "impact" | "messages"> | undefined {
  const announced = ledger.announcedFor(urn);
  if (!announced) return undefined;
  const impact = withoutSecrets(plannedImpact({ ...announced.change, kind: "replace" }), announced.secret);
  const reason = "replaced, not changed in place: an option of the program asks for it (replaceOnChanges)";
  return { impact, messages: [reason, ...describeImpact(impact)] };
}
