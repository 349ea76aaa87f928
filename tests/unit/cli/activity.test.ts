import { join } from "node:path";
import { expect, it } from "vitest";
import { groupSteps } from "../../../cli/review/group";
import { activityOf, projectsOf } from "../../../cli/review/live/look";
import type { EndpointRecord, OperationRecord } from "../../../provider/platform/records";
import { root } from "../../../tools/root.mjs";
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

/** What it did, by its operations and its record, and when operations begin where that is not the first. */
const histories: Record<string, [turns: string, record?: Partial<EndpointRecord>, window?: string]> = {
  "one run": ["start 5 08:00, suspend 5 10:30"],
  "a run that goes on": ["start 31 09:00", active],
  "a run that began before": ["suspend 1 18:00"],
  "no operation, and idle": ["", { lastActive: "2025-12-01T00:00:00Z" }],
  "no operation, and idle since nobody knows when": [""],
  "no operation, and running": ["", active],
  "no operation, and running since it says": ["", { ...active, startedAt: "2025-12-24T00:00:00Z" }],
  "no operation, and running since later": ["", { ...active, startedAt: "2026-12-24T00:00:00Z" }],
  "a restart": ["start 30 12:00, suspend 30 18:00, start 30 18:00, suspend 31 00:00"],
  "starts one after the other": ["start 5 08:00, start 5 09:00, suspend 5 10:00"],
  "a failed start": ["start 5 08:00 failed"],
  "a failed suspend": ["start 31 10:00, suspend 31 11:00 error", active],
  "a start under way": ["start 31 11:59 running", { pendingState: "active" }],
  "other operations": ["apply_config 5 08:00, check_availability 6 08:00"],
  "a suspend that no operation tells": ["start 30 12:00", { lastActive: day("30 14:00") }],
  "a suspend that the endpoint tells": [
    "start 30 12:00",
    { suspendedAt: day("30 15:00"), lastActive: day("30 14:00") },
  ],
  "a start that no operation tells": ["suspend 30 12:00", { ...active, startedAt: day("31 11:00") }],
  "an endpoint that is new": ["start 31 06:00", { ...active, createdAt: day("31 06:00") }],
  "a disabled one": ["suspend 31 11:00", { disabled: true }],
  "a state that is not told": ["start 5 08:00, suspend 5 10:30", { currentState: undefined as never }],
  "times that are none": ["start yesterday", { lastActive: "never", createdAt: "once" }],
  "a creation after the report": ["", { createdAt: "2027-01-01T00:00:00Z" }],
  "some hours of every day": [
    Array.from({ length: 29 }, (_, at) => `start ${at + 2} 07:30, suspend ${at + 2} 09:15`).join(", "),
  ],
  "three hours of a day seen": ["", {}, day("31 09:00")],
  "half an hour of a day seen": ["", {}, day("31 11:30")],
};

it("what endpoints did: told as it was", async () => {
  const text = Object.entries(histories).map(([what, [turns, record, window]]) => {
    const { hoursOfDay, quietHours, ...found } = activity(turns, record, window);
    const hours = hoursOfDay.map((hours) => Math.round(hours * 100) / 100).join(" ");
    return `# ${what}\n${JSON.stringify(found)}\nran ${hours}, never at ${quietHours.join(" ")}\n`;
  });
  await expect(text.join("\n")).toMatchFileSnapshot(join(root, "tests/unit/cli/samples/printed/activity.txt"));
});
