/** Invalid input as data, and its form as text. */
import type { z } from "zod";
import { sentences } from "./wording";

/** Invalid input: the property (camelCase; nested as in `pgSettings.work_mem`), and the reason with advice. */
export interface Failure {
  property: string;
  reason: string;
  /** Advice for which only a host has the words: its commands and settings. */
  advice?: Advice;
  /** A limit that the platform may raise. With `checks: warn` the failure becomes a warning. */
  isLimit?: true;
}

/** Advice as data. */
export type Advice =
  /** Raise this setting to the value. */
  | { kind: "raise_max_size"; value: number }
  /** Configure the plan: this one allows the value. */
  | { kind: "set_plan"; plan: string }
  /** Look up the ids of a project's branches, or of the projects. */
  | { kind: "find_branch"; projectId?: string }
  | { kind: "find_project" }
  /** Remove an unknown setting. */
  | { kind: "take_out"; key: string }
  /** Set the key. */
  | { kind: "give_key" }
  /** Set the address that the key may go to. */
  | { kind: "give_address" };

/** Failures as one line: `sizeCu: ...; branchId: ...`, with `prefix` before each property. */
export function formatFailures(failures: readonly Failure[], prefix = ""): string {
  return sentences(failures.map(({ property, reason }) => `${prefix}${property}: ${reason}`));
}

/**
 * Describes an invalid value, by the model's message if any. Without `given` it omits the value, perhaps a misplaced
 * key.
 */
export function formatIssue(issue: z.core.$ZodIssue, given?: { value: unknown }): string {
  // Messages of zod itself begin so.
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
