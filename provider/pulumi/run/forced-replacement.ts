import type { Context } from "../../endpoint/context";
import type { DiffResult } from "../../endpoint/diff";
import { impactMessages, impactOf, withoutSecrets } from "../../endpoint/impact/impact";

/**
 * What a create means to an endpoint for which Diff has announced a change in place in the same run: the engine replaces
 * it all the same, for an option that Diff was not told. Undefined where the create is what it seems.
 */
export function forcedReplacement({ ledger, urn }: Context): Pick<DiffResult, "impact" | "messages"> | undefined {
  const announced = ledger.announcedFor(urn);
  if (!announced) return undefined;
  const impact = withoutSecrets(impactOf({ ...announced.change, kind: "replace" }), announced.secret);
  const reason = "replaced, not changed in place: an option of the program asks for it (replaceOnChanges)";
  return { impact, messages: [reason, ...impactMessages(impact)] };
}
