import { describe, expect, it } from "vitest";
import { activityOf } from "../../../cli/review/live/look";
import type { EndpointRecord, OperationRecord } from "../../../provider/platform/records";

/** The platform is asked at noon of the 31st; operations go back to noon of the 1st. */
const now = "2026-01-31T12:00:00Z";
const from = "2026-01-01T12:00:00Z";

type Turn = [action: "start" | "suspend" | string, at: string, status?: string];

function operationOf([action, at, status = "finished"]: Turn, index: number): OperationRecord {
  const name = action === "start" || action === "suspend" ? `${action}_compute` : action;
  const base = { id: `op-${index}`, projectId: "p-1", endpointId: "ep-1", failuresCount: 0 };
  return { ...base, action: name, status, createdAt: at, updatedAt: at };
}

function activity(turns: Turn[], record: Partial<EndpointRecord> = {}, window = from) {
  const whole = { id: "ep-1", projectId: "p-1", branchId: "br-1", type: "read_write", currentState: "idle", ...record };
  return activityOf({
    record: whole,
    // As the platform lists them: most recent first.
    operations: turns.map(operationOf).reverse(),
    fromMs: Date.parse(window),
    nowMs: Date.parse(now),
  });
}

const day = (date: number, time: string) => `2026-01-${String(date).padStart(2, "0")}T${time}:00Z`;

describe("the activity of an endpoint", () => {
  it.each<[string, Turn[], Partial<EndpointRecord>, Partial<ReturnType<typeof activity>>]>([
    [
      "one run",
      [
        ["start", day(5, "08:00")],
        ["suspend", day(5, "10:30")],
      ],
      {},
      { starts: 1, runningHours: 2.5, state: "idle", since: "2026-01-05T10:30:00.000Z" },
    ],
    [
      "a run that goes on",
      [["start", day(31, "09:00")]],
      { currentState: "active" },
      { starts: 1, runningHours: 3, state: "runs", since: "2026-01-31T09:00:00.000Z" },
    ],
    [
      "a run that began before",
      [["suspend", day(1, "18:00")]],
      {},
      { starts: 0, runningHours: 6, since: "2026-01-01T18:00:00.000Z" },
    ],
    [
      "no operation, and idle",
      [],
      { lastActive: "2025-12-01T00:00:00Z" },
      { starts: 0, runningHours: 0, since: "2025-12-01T00:00:00.000Z" },
    ],
    ["no operation, and running", [], { currentState: "active" }, { starts: 0, runningHours: 720, state: "runs" }],
    [
      "no operation, and running since it says",
      [],
      { currentState: "active", startedAt: "2025-12-24T00:00:00Z" },
      { runningHours: 720, since: "2025-12-24T00:00:00.000Z" },
    ],
    [
      "a restart",
      [
        ["start", day(30, "12:00")],
        ["suspend", day(30, "18:00")],
        ["start", day(30, "18:00")],
        ["suspend", day(31, "00:00")],
      ],
      {},
      { starts: 2, runningHours: 12 },
    ],
    [
      "starts one after the other",
      [
        ["start", day(5, "08:00")],
        ["start", day(5, "09:00")],
        ["suspend", day(5, "10:00")],
      ],
      {},
      { starts: 2, runningHours: 2 },
    ],
    ["a failed start", [["start", day(5, "08:00"), "failed"]], {}, { starts: 0, runningHours: 0 }],
    [
      "a failed suspend",
      [
        ["start", day(31, "10:00")],
        ["suspend", day(31, "11:00"), "error"],
      ],
      { currentState: "active" },
      { runningHours: 2 },
    ],
    [
      "a start under way",
      [["start", day(31, "11:59"), "running"]],
      { currentState: "idle", pendingState: "active" },
      { state: "runs", starts: 1 },
    ],
    [
      "other operations",
      [
        ["apply_config", day(5, "08:00")],
        ["check_availability", day(6, "08:00")],
      ],
      {},
      { starts: 0, runningHours: 0 },
    ],
    [
      "a suspend that no operation tells",
      [["start", day(30, "12:00")]],
      { lastActive: day(30, "14:00") },
      { runningHours: 2, state: "idle", since: "2026-01-30T14:00:00.000Z" },
    ],
    [
      "a suspend that the endpoint tells",
      [["start", day(30, "12:00")]],
      { suspendedAt: day(30, "15:00"), lastActive: day(30, "14:00") },
      { runningHours: 3 },
    ],
    [
      "a start that no operation tells",
      [["suspend", day(30, "12:00")]],
      { currentState: "active", startedAt: day(31, "11:00") },
      { runningHours: 29 * 24 + 1 },
    ],
    [
      "an endpoint that is new",
      [["start", day(31, "06:00")]],
      { currentState: "active", createdAt: day(31, "06:00") },
      { observedHours: 6, runningHours: 6 },
    ],
    [
      "a disabled one",
      [["suspend", day(31, "11:00")]],
      { disabled: true },
      { state: "disabled", since: "2026-01-31T11:00:00.000Z" },
    ],
    ["a state that is not told", [], { currentState: undefined as never }, { state: "unknown", runningHours: 0 }],
    [
      "times that are none",
      [["start", "yesterday"]],
      { lastActive: "never", createdAt: "once" },
      { starts: 0, runningHours: 0, observedHours: 720 },
    ],
    ["a creation after the report", [], { createdAt: "2027-01-01T00:00:00Z" }, { observedHours: 0, runningHours: 0 }],
  ])("%s", (_, turns, record, expected) => {
    expect(activity(turns, record)).toMatchObject(expected);
  });

  it("does not say since when where that was before what was seen", () => {
    expect(activity([], { currentState: "active" })).not.toHaveProperty("since");
    expect(activity([])).not.toHaveProperty("since");
  });

  it("has the hours of the day in which it ran, and those in which it never did", () => {
    const daily = Array.from({ length: 29 }, (_, index): Turn[] => [
      ["start", day(index + 2, "07:30")],
      ["suspend", day(index + 2, "09:15")],
    ]).flat();
    const { hoursOfDay, quietHours, runningHours } = activity(daily);
    expect(runningHours).toBeCloseTo(29 * 1.75);
    expect(hoursOfDay.map((hours) => Math.round(hours * 100) / 100)).toEqual([
      ...[0, 0, 0, 0, 0, 0, 0, 14.5, 29, 7.25],
      ...Array.from({ length: 14 }, () => 0),
    ]);
    expect(quietHours).toEqual([0, 1, 2, 3, 4, 5, 6, ...Array.from({ length: 14 }, (_, index) => index + 10)]);
  });

  it("calls no hour quiet that it has not seen", () => {
    expect(activity([], {}, day(31, "09:00")).quietHours).toEqual([9, 10, 11]);
    expect(activity([], {}, day(31, "11:30")).quietHours).toEqual([]);
  });
});
