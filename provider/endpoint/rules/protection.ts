/** What a branch's protection and restricted actions mean for its endpoints, on today's public platform. */
import type { BranchRecord } from "../../platform/records";
import { rulesOfType } from "../types";

/** Why the platform lets no endpoint of this type leave the branch, by a delete or a move; undefined if it does. */
export function reasonToStay(
  { protected: isProtected, restrictedActions = [] }: Pick<BranchRecord, "protected" | "restrictedActions">,
  { type }: { type?: unknown },
): string | undefined {
  const action = rulesOfType(type)?.deleteAction;
  const restricted = restrictedActions.find(({ name }) => name === action);
  if (restricted) return restricted.reason || `it restricts ${restricted.name}`;
  return isProtected ? "the branch is protected" : undefined;
}
