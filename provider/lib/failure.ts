/** Bad input as data, and its one form as text. */
import type { z } from "zod";
import { sentences } from "./wording";

/** Bad input as data: which property (camelCase; a path such as `pgSettings.work_mem` where nested) and why, with what to do next. */
export interface Failure {
  property: string;
  reason: string;
  /** A way on that only a host can put into words, since it is a command or a setting of the host's. */
  advice?: Advice;
  /** A limit that the platform may raise. With `checks: warn` the failure becomes a warning. */
  isLimit?: true;
}

/** A way on as data. */
export type Advice =
  /** The setting that is to be raised, and to what. */
  | { kind: "raise_max_size"; value: number }
  /** The plan is not configured, and this plan allows the value. */
  | { kind: "set_plan"; plan: string }
  /** Ids have to be looked up: those of a project's branches, or of the projects. */
  | { kind: "find_branch"; projectId?: string }
  | { kind: "find_project" }
  /** A setting that there is none of has to be taken out. */
  | { kind: "take_out"; key: string }
  /** The key has to be given. */
  | { kind: "give_key" }
  /** The key's owner has to say where it goes. */
  | { kind: "give_address" };

/** Failures as one line: `sizeCu: ...; branchId: ...`, with `prefix` before each property. */
export function formatFailures(failures: readonly Failure[], prefix = ""): string {
  return sentences(failures.map(({ property, reason }) => `${prefix}${property}: ${reason}`));
}

/**
 * Describes an invalid value, in the model's own words if it has a message. Without `given` (the whole input) the
 * description leaves the value out: it may be a misplaced API key.
 */
export function formatIssue(issue: z.core.$ZodIssue, given?: { value: unknown }): string {
  // Those of zod itself.
  if (!/^(Invalid|Too) /.test(issue.message)) return issue.message;
  if (issue.code === "invalid_type") {
    const wanted = `has to be a ${issue.expected === "int" ? "whole number" : issue.expected}`;
    return given ? `${wanted}, not ${kindOf(given.value, issue.path)}` : wanted;
  }
  if (issue.code === "invalid_value") {
    const values = issue.values.map((one) => JSON.stringify(one));
    if (given) return `${JSON.stringify(given.value)} is not one of ${values.join(", ")}`;
    return `has to be ${values.join(" or ")}`;
  }
  if (issue.code === "too_small" && issue.origin === "number")
    return `has to be ${issue.inclusive ? `${issue.minimum} or more` : `above ${issue.minimum}`}`;
  if (issue.code === "too_big" && issue.origin === "number") return `has to be ${issue.maximum} or less`;
  return issue.code === "too_small" ? "must not be empty" : issue.message;
}

function kindOf(value: unknown, path: readonly PropertyKey[]): string {
  const found = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  if (found === null) return "null";
  if (Array.isArray(found)) return "an array";
  if (typeof found === "number" && !Number.isFinite(found)) return String(found);
  return typeof found === "object" ? "an object" : `a ${typeof found}`;
}
