import { describe, expect, it } from "vitest";
import { formatAway, restartsIn } from "../../../../provider/platform/project/outcome";
import type { OperationRecord } from "../../../../provider/platform/records";

type Short = [action: string, atSeconds: number, totalMs: number | undefined, status?: string];

function operationOf([action, atSeconds, totalDurationMs, status = "finished"]: Short, at: number): OperationRecord {
  const createdAt = new Date(atSeconds * 1_000).toISOString();
  const updatedAt = new Date(atSeconds * 1_000 + Math.floor((totalDurationMs ?? 3_000) / 1_000) * 1_000).toISOString();
  const base = { id: `op-${at}`, projectId: "p", endpointId: "ep", failuresCount: 0, createdAt, updatedAt };
  return { ...base, action, status, ...(totalDurationMs !== undefined && { totalDurationMs }) };
}

describe("the restarts among operations", () => {
  it.each<[string, Short[], number[]]>([
    [
      "a new size, from the end of its configuration",
      [
        ["apply_config", 0, 400],
        ["suspend_compute", 0, 800],
        ["start_compute", 0, 1_300],
      ],
      [900],
    ],
    [
      "a suspend and a start, from the first to the last",
      [
        ["suspend_compute", 10, 700],
        ["start_compute", 11, 900],
      ],
      [1_900],
    ],
    [
      "two of them",
      [
        ["suspend_compute", 0, 500],
        ["start_compute", 0, 900],
        ["suspend_compute", 60, 500],
        ["start_compute", 60, 2_100],
      ],
      [900, 2_100],
    ],
    [
      "none where it slept in between",
      [
        ["suspend_compute", 0, 500],
        ["start_compute", 600, 900],
      ],
      [],
    ],
    [
      "none where the start failed",
      [
        ["suspend_compute", 0, 500],
        ["start_compute", 0, 900, "failed"],
      ],
      [],
    ],
    [
      "none of a move, which nobody has woken",
      [
        ["apply_config", 0, 400],
        ["suspend_compute", 0, 800],
      ],
      [],
    ],
    [
      "by whole seconds where the platform does not tell",
      [
        ["suspend_compute", 0, undefined],
        ["start_compute", 2, undefined],
      ],
      [5_000],
    ],
  ])("%s", (_, operations, times) => {
    expect(restartsIn(operations.map(operationOf).reverse())).toEqual(times);
  });

  it.each([
    [900, "0.9 s"],
    [59_940, "59.9 s"],
    [150_000, "3 min"],
  ])("are told: %i ms as %s", (ms, text) => {
    expect(formatAway(ms)).toBe(text);
  });
});
