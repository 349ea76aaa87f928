import type { z } from "zod";

/** What is wrong with a value, in plain words and without the value, which may be a key that went to the wrong place. */
export function issueWords(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `has to be a ${issue.expected === "int" ? "whole number" : issue.expected}`;
  if (issue.code === "invalid_value") return `has to be ${issue.values.map((one) => JSON.stringify(one)).join(" or ")}`;
  if (issue.code === "too_small" && issue.origin === "number") return `has to be above ${issue.minimum}`;
  return issue.code === "too_small" ? "must not be empty" : issue.message;
}
