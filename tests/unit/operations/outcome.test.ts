import { describe, expect, it } from "vitest";
import { isOpen, outcomeOf } from "../../../provider/platform/project/outcome";

describe("outcomeOf", () => {
  it.each<[string, string | undefined, "succeeded" | "open" | "failed"]>([
    ["finished", undefined, "succeeded"],
    ["skipped", undefined, "succeeded"],
    ["scheduling", undefined, "open"],
    ["running", undefined, "open"],
    ["cancelling", undefined, "open"],
    ["rebalancing", undefined, "open"],
    ["", undefined, "open"],
    ["failed", undefined, "failed"],
    ["failed", "2024-05-01T10:00:00Z", "open"],
    ["error", undefined, "failed"],
    ["error", "2024-05-01T10:00:00Z", "failed"],
    ["cancelled", undefined, "failed"],
  ])("%j with retry at %s is %s", (status, retryAt, outcome) => {
    const operation = retryAt === undefined ? { status } : { status, retryAt };
    expect(outcomeOf(operation)).toBe(outcome);
    expect(isOpen(operation)).toBe(outcome === "open");
  });
});
