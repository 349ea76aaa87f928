/** Bad input as data, and its one form as text. */
import type { z } from "zod";

/** Bad input as data: which property (camelCase; a path such as `pgSettings.work_mem` where nested) and why, with what to do next. */
export interface Failure {
  property: string;
  reason: string;
  /** A way on that only a host can put into words, since it is a command or a setting of the host's. */
  advice?: Advice;
  /** A limit that a platform may raise some day, and no rule of what an endpoint is: the configuration can make it a warning. */
  isLimit?: true;
}

/** A way on as data. */
export type Advice =
  /** The setting that is to be raised, and to what. */
  | { kind: "raise_max_size"; value: number }
  /** What the account's plan is has to be told: this one allows more. */
  | { kind: "set_plan"; plan: string }
  /** Ids have to be looked up: those of a project's branches, or of the projects. */
  | { kind: "find_branch"; projectId?: string }
  | { kind: "find_project" }
  /** The key has to be given. */
  | { kind: "give_key" }
  /** The key's owner has to say where it goes. */
  | { kind: "give_address" };

/** Failures as one line: `sizeCu: ...; branchId: ...`, with `prefix` before each property. */
export function formatFailures(failures: readonly Failure[], prefix = ""): string {
  return failures.map(({ property, reason }) => `${prefix}${property}: ${reason}`).join("; ");
}
/** What is wrong with a value, in plain words and without the value, which may be a key that went to the wrong place. */
export function formatIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `has to be a ${issue.expected === "int" ? "whole number" : issue.expected}`;
  if (issue.code === "invalid_value") return `has to be ${issue.values.map((one) => JSON.stringify(one)).join(" or ")}`;
  if (issue.code === "too_small" && issue.origin === "number")
    return `has to be ${issue.inclusive ? `${issue.minimum} or more` : `above ${issue.minimum}`}`;
  if (issue.code === "too_big" && issue.origin === "number") return `has to be ${issue.maximum} or less`;
  return issue.code === "too_small" ? "must not be empty" : issue.message;
}
