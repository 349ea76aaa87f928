import { describe, expect, it } from "vitest";
import { formatAway, isOpen, outcomeOf, restartsIn, timeoutOf } from "../../../../provider/platform/project/outcome";
import type { OperationRecord } from "../../../../provider/platform/records";

const NOW = Date.parse("2024-05-01T10:00:00Z");

it.each<[string, string | undefined, "succeeded" | "open" | "failed"]>([
  ["finished", undefined, "succeeded"],
  ["skipped", undefined, "succeeded"],
  ["scheduling", undefined, "open"],
  ["running", undefined, "open"],
  ["cancelling", undefined, "open"],
  ["rebalancing", undefined, "open"],
  ["failed", undefined, "failed"],
  ["failed", "2024-05-01T10:00:00Z", "open"],
  ["failed", "2024-05-01T10:00:59Z", "open"],
  ["failed", "2024-05-01T09:59:01Z", "open"],
  ["failed", "2024-05-01T09:59:00Z", "failed"],
  ["failed", "0001-01-01T00:00:00Z", "failed"],
  ["failed", "soon", "failed"],
  ["error", undefined, "failed"],
  ["error", "2024-05-01T10:00:00Z", "failed"],
  ["cancelled", undefined, "failed"],
])("outcomeOf %j with retry at %s is %s", (status, retryAt, outcome) => {
  const operation = retryAt === undefined ? { status } : { status, retryAt };
  expect(outcomeOf(operation, NOW)).toBe(outcome);
  expect(isOpen(operation, NOW)).toBe(outcome === "open");
});

it.each([
  [{ waitedMs: 600_000, openMs: 598_000 }, 'was still "running" after 600 s'],
  [{ waitedMs: 90_000, openMs: 89_000 }, 'was still "running" after 90 s, all that the change had left of 600 s'],
  [{ waitedMs: 0, openMs: 0 }, 'was still "running" when all of the change\'s 600 s were over'],
  // A look hung to the end.
  [{ waitedMs: 600_000, openMs: 95_000 }, 'was last seen "running" after 95 s of 600 s'],
])("the error of a wait that is over %j: %s", (over, text) => {
  const operation = operationOf("start 0 900 running", 1);
  const { summary } = timeoutOf(operation, { timeoutMs: 600_000, ...over });
  expect(summary).toBe(`operation op-1 (start_compute) ${text}`);
});

/** Parses `start 1 900`: action, start in seconds, duration in milliseconds (if known), and status. */
function operationOf(text: string, at: number): OperationRecord {
  const [action = "", second = "", totalMs = "", status = "finished"] = text.split(" ");
  const [createdMs, tookMs] = [Number(second) * 1_000, Number(totalMs || 3_000)];
  const createdAt = new Date(createdMs).toISOString();
  const updatedAt = new Date(createdMs + Math.floor(tookMs / 1_000) * 1_000).toISOString();
  const base = { id: `op-${at}`, projectId: "p", endpointId: "ep", failuresCount: 0, createdAt, updatedAt };
  const name = action === "apply" ? "apply_config" : `${action}_compute`;
  return { ...base, action: name, status, ...(totalMs && { totalDurationMs: tookMs }) };
}

describe("the restarts among operations", () => {
  it.each([
    ["a new size, from the end of its configuration", "apply 0 400, suspend 0 800, start 0 1300", [900]],
    ["a suspend and a start, from the first to the last", "suspend 10 700, start 11 900", [1_900]],
    ["two of them", "suspend 0 500, start 0 900, suspend 60 500, start 60 2100", [900, 2_100]],
    ["none where it slept in between", "suspend 0 500, start 600 900", []],
    ["none where the start failed", "suspend 0 500, start 0 900 failed", []],
    ["none of a move, which nobody has woken", "apply 0 400, suspend 0 800", []],
    ["by whole seconds where the platform does not tell", "suspend 0, start 2", [5_000]],
  ])("%s", (_, operations, times) => {
    expect(restartsIn(operations.split(", ").map(operationOf).reverse())).toEqual(times);
  });

  it.each([
    [900, "0.9 s"],
    [59_940, "59.9 s"],
    [150_000, "3 min"],
  ])("are told: %i ms as %s", (ms, text) => {
    expect(formatAway(ms)).toBe(text);
  });
});
