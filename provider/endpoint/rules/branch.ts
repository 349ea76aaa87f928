/** Rules on an endpoint's place: malformed project and branch ids, and a type outside the plan. */
import type { Failure } from "../../lib/failure";
import { isId } from "../../lib/ids";
import { isKnown, type Maybe } from "../../lib/unknown";
import { quoted } from "../../lib/wording";
import type { Limits } from "../../platform/profiles/profiles";
import { rulesOfType } from "../types";

const BRANCH_PREFIX = "br-";

const ENDPOINT_PREFIX = "ep-";

/** Failures of a malformed id, on the named property. */
export function checkId(value: Maybe<string>, property: string): Failure[] {
  if (!isKnown(value) || isId(value)) return [];
  return [{ property, reason: `${mistakeIn(value)}: ids are 1 to 60 characters of a-z, 0-9 and -` }];
}

/** Failures of a malformed `projectId`, such as the project's name, with advice to find the id. */
export function checkProjectId(value: Maybe<string>): Failure[] {
  // Project ids have no prefix (specification, section 2 shows none), so only their form can be checked.
  if (!isKnown(value) || isId(value)) return [];
  return [
    {
      property: "projectId",
      reason: `${mistakeIn(value)}, so it is no project id`,
      advice: { kind: "find_project" },
    },
  ];
}

/**
 * Failures of a malformed `branchId` (specification, section 2.1: it starts with "br-"), usually the branch's name,
 * with advice to look up the id.
 */
export function checkBranchId(value: Maybe<string>, projectId?: Maybe<string>): Failure[] {
  if (!isKnown(value)) return [];
  const failure = (reason: string) => [branchFailure(reason, projectId)];
  if (value.startsWith(BRANCH_PREFIX)) {
    return value.length > BRANCH_PREFIX.length ? checkId(value, "branchId") : failure(mistakeIn(value));
  }

  if (value.startsWith(ENDPOINT_PREFIX) && isId(value)) {
    return failure(`${quoted(value)} looks like the id of an endpoint`);
  }
  return failure(value.trim() === "" ? mistakeIn(value) : `${quoted(value)} looks like a branch's name`);
}

function branchFailure(reason: string, projectId: Maybe<string>): Failure {
  return {
    property: "branchId",
    reason: `${reason}; branchId takes the branch's id, which starts with ${BRANCH_PREFIX}`,
    advice: { kind: "find_branch", ...(isKnown(projectId) && isId(projectId) && { projectId }) },
  };
}

function mistakeIn(value: string): string {
  if (value === "") return "the value is empty";
  if (value.trim() !== value) return `${quoted(value)} begins or ends with a space`;
  if (value.length > 60) return `${quoted(value)} is ${value.length} characters long`;
  if (value === BRANCH_PREFIX) return `${quoted(value)} is only the start of an id`;
  return `${quoted(value)} has characters that no id has`;
}

/** Failures of a read replica on a plan without any (specification, section 1, rule 2). */
export function checkPlanType(type: Maybe<string>, limits: Limits): Failure[] {
  if (!rulesOfType(type)?.dependsOnPlan || limits.readReplicas !== 0) return [];
  return [beyondPlan("type", `${limits.owner} has no read-only endpoints: remove this endpoint`, limits)];
}

/** A failure by the account's plan, with a plan that may allow more. */
export function beyondPlan(property: string, reason: string, { morePlan: plan }: Limits): Failure {
  return { property, reason, isLimit: true, ...(plan && { advice: { kind: "set_plan", plan } }) };
}
