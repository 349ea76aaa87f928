import { describe, expect, it } from "vitest";
import { groupSteps } from "../../../cli/review/group";
import { activityOf, projectsOf } from "../../../cli/review/live/look";
import type { EndpointRecord, OperationRecord } from "../../../provider/platform/records";
import { stateOf, stepFor } from "./support/plans";

it("is asked for projects in which the plan only creates", () => {
  const inputs = { ...stateOf().inputs, projectId: "p-2" };
  const created = stepFor("new", "create", { after: { inputs, outputs: {} } });
  expect(projectsOf(groupSteps([created]).changing)).toEqual(["p-2"]);
});

/** The platform is asked at noon of the 31st; operations go back to noon of the 1st. */
const now = "2026-01-31T12:00:00Z";
const from = "2026-01-01T12:00:00Z";

/** `5 08:00` as an instant of that January. */
const day = (text: string) =>
  text.replace(/^(\d+) (.*)$/, (_, date, time) => `2026-01-${date.padStart(2, "0")}T${time}:00Z`);

/** An operation as the tables write it: `start 5 08:00`, and its status where it is not finished. */
function operationOf(text: string, index: number): OperationRecord {
  const [, name = "", at = "", status = "finished"] = text.match(/^(\w+) (\d+ [\d:]+|\w+) ?(\w*)$/) ?? [];
  const action = name === "start" || name === "suspend" ? `${name}_compute` : name;
  const times = { createdAt: day(at), updatedAt: day(at) };
  return {
    id: `op-${index}`,
    projectId: "p-1",
    endpointId: "ep-1",
    failuresCount: 0,
    action,
    status: status || "finished",
    ...times,
  };
}

function activity(turns: string, record: Partial<EndpointRecord> = {}, window = from) {
  const whole = { id: "ep-1", projectId: "p-1", branchId: "br-1", type: "read_write", currentState: "idle", ...record };
  // As the platform lists them: most recent first.
  const operations = turns.split(", ").filter(Boolean).map(operationOf).reverse();
  return activityOf({ record: whole, operations, fromMs: Date.parse(window), nowMs: Date.parse(now) });
}

const active = { currentState: "active" } as const;

describe("the activity of an endpoint", () => {
  it.each<[string, string, Partial<EndpointRecord>, Partial<ReturnType<typeof activity>>]>([
    [
      "one run",
      "start 5 08:00, suspend 5 10:30",
      {},
      { starts: 1, runningHours: 2.5, state: "idle", since: "5 10:30" },
    ],
    ["a run that goes on", "start 31 09:00", active, { starts: 1, runningHours: 3, state: "runs", since: "31 09:00" }],
    ["a run that began before", "suspend 1 18:00", {}, { starts: 0, runningHours: 6, since: "1 18:00" }],
    [
      "no operation, and idle",
      "",
      { lastActive: "2025-12-01T00:00:00Z" },
      { runningHours: 0, since: "2025-12-01T00:00:00Z" },
    ],
    ["no operation, and running", "", active, { starts: 0, runningHours: 720, state: "runs" }],
    [
      "no operation, and running since it says",
      "",
      { ...active, startedAt: "2025-12-24T00:00:00Z" },
      { runningHours: 720, since: "2025-12-24T00:00:00Z" },
    ],
    [
      "a restart",
      "start 30 12:00, suspend 30 18:00, start 30 18:00, suspend 31 00:00",
      {},
      { starts: 2, runningHours: 12 },
    ],
    ["starts one after the other", "start 5 08:00, start 5 09:00, suspend 5 10:00", {}, { starts: 2, runningHours: 2 }],
    ["a failed start", "start 5 08:00 failed", {}, { starts: 0, runningHours: 0 }],
    ["a failed suspend", "start 31 10:00, suspend 31 11:00 error", active, { runningHours: 2 }],
    ["a start under way", "start 31 11:59 running", { pendingState: "active" }, { state: "runs", starts: 1 }],
    ["other operations", "apply_config 5 08:00, check_availability 6 08:00", {}, { starts: 0, runningHours: 0 }],
    [
      "a suspend that no operation tells",
      "start 30 12:00",
      { lastActive: day("30 14:00") },
      { runningHours: 2, state: "idle", since: "30 14:00" },
    ],
    [
      "a suspend that the endpoint tells",
      "start 30 12:00",
      { suspendedAt: day("30 15:00"), lastActive: day("30 14:00") },
      { runningHours: 3 },
    ],
    [
      "a start that no operation tells",
      "suspend 30 12:00",
      { ...active, startedAt: day("31 11:00") },
      { runningHours: 697 },
    ],
    [
      "an endpoint that is new",
      "start 31 06:00",
      { ...active, createdAt: day("31 06:00") },
      { observedHours: 6, runningHours: 6 },
    ],
    ["a disabled one", "suspend 31 11:00", { disabled: true }, { state: "disabled", since: "31 11:00" }],
    ["a state that is not told", "", { currentState: undefined as never }, { state: "unknown", runningHours: 0 }],
    [
      "times that are none",
      "start yesterday",
      { lastActive: "never", createdAt: "once" },
      { starts: 0, runningHours: 0, observedHours: 720 },
    ],
    ["a creation after the report", "", { createdAt: "2027-01-01T00:00:00Z" }, { observedHours: 0, runningHours: 0 }],
  ])("%s", (_, turns, record, { since, ...expected }) => {
    const found = activity(turns, record);
    expect(found).toMatchObject(expected);
    if (since !== undefined) expect(found.since).toBe(new Date(day(since)).toISOString());
  });

  it("does not say since when where that was before what was seen", () => {
    expect(activity("", active)).not.toHaveProperty("since");
    expect(activity("")).not.toHaveProperty("since");
  });

  it("has the hours of the day in which it ran, and those in which it never did", () => {
    const daily = Array.from({ length: 29 }, (_, at) => `start ${at + 2} 07:30, suspend ${at + 2} 09:15`).join(", ");
    const { hoursOfDay, quietHours, runningHours } = activity(daily);
    expect(runningHours).toBeCloseTo(29 * 1.75);
    expect(hoursOfDay.map((hours) => Math.round(hours * 100) / 100)).toEqual([
      ...[0, 0, 0, 0, 0, 0, 0, 14.5, 29, 7.25],
      ...Array.from({ length: 14 }, () => 0),
    ]);
    expect(quietHours).toEqual([0, 1, 2, 3, 4, 5, 6, ...Array.from({ length: 14 }, (_, index) => index + 10)]);
  });

  it("calls no hour quiet that it has not seen", () => {
    expect(activity("", {}, day("31 09:00")).quietHours).toEqual([9, 10, 11]);
    expect(activity("", {}, day("31 11:30")).quietHours).toEqual([]);
  });
});
