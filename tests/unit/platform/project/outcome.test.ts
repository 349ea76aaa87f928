import { describe, expect, it } from "vitest";
import { isOpen, outcomeOf } from "../../../../provider/platform/project/outcome";

const NOW = Date.parse("2024-05-01T10:00:00Z");

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
    ["failed", "2024-05-01T10:00:59Z", "open"],
    ["failed", "2024-05-01T09:59:01Z", "open"],
    ["failed", "2024-05-01T09:59:00Z", "failed"],
    ["failed", "2024-04-01T10:00:00Z", "failed"],
    ["failed", "0001-01-01T00:00:00Z", "failed"],
    ["failed", "", "failed"],
    ["failed", "soon", "failed"],
    ["error", undefined, "failed"],
    ["error", "2024-05-01T10:00:00Z", "failed"],
    ["cancelled", undefined, "failed"],
  ])("%j with retry at %s is %s", (status, retryAt, outcome) => {
    const operation = retryAt === undefined ? { status } : { status, retryAt };
    expect(outcomeOf(operation, NOW)).toBe(outcome);
    expect(isOpen(operation, NOW)).toBe(outcome === "open");
  });
});
