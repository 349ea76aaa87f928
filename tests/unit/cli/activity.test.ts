import { expect, it } from "vitest";
import { groupSteps } from "../../../cli/review/group";
import { activityOf, liveOf, projectsOf } from "../../../cli/review/live/look";
import type { PlanState, PlanStep } from "../../../cli/review/plan-model";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import type { EndpointRecord, OperationRecord } from "../../../provider/platform/records";
import { expectPrinted, itDecides, told } from "./support/brief";
import { urnOfMember } from "./support/fleets";
import { operation, record, viewOf } from "./support/live";
import { creationOf, stateOf, stepFor, updateOf } from "./support/plans";

const created = (inputs: object = {}) => creationOf("main", inputs);

it("is asked for projects in which the plan only creates", () => {
  expect(projectsOf(groupSteps([created({ projectId: "p-2" })]).changing)).toEqual(["p-2"]);
});

it.each([
  ["a protected branch", { protected: true }, "the branch is protected"],
  [
    "one that restricts it",
    { restrictedActions: [{ name: "delete-rw-endpoint", reason: "a root branch" }] },
    "a root branch",
  ],
  [
    "one that restricts something else",
    { restrictedActions: [{ name: "restore", reason: "a root branch" }] },
    undefined,
  ],
])("a delete on %s is told as refused, and what leaves the endpoint there is not", (_, branch, reason) => {
  const view = viewOf(record, [], 30, [{ id: "br-1", projectId: "p-1", ...branch }]);
  const [own, adopted] = [stateOf(), stateOf({ __pgcompute: { v: 2, set: [], adopted: true } })];
  const retained = { ...own, retainOnDelete: true };
  const leaving = (op: string, before: PlanState) =>
    stepFor("main", op, { before, after: stateOf({ id: "p-1/ep-2" }) });
  const keptIn = (step: PlanStep) => {
    const [planned] = groupSteps([step]).changing;
    const live = planned && liveOf(planned, view);
    return live?.state === "gone" ? "gone" : live?.kept;
  };
  expect([leaving("delete", own), leaving("replace", own)].map(keptIn)).toEqual([reason, reason]);
  const staying = ["delete", "replace"].flatMap((op) => [leaving(op, adopted), leaving(op, retained)]);
  expect([updateOf("main", { sizeCu: 2 }), ...staying].map(keptIn)).toEqual(Array(5).fill(undefined));
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

function activity(turns: string, record: Partial<EndpointRecord> = {}) {
  const whole = { id: "ep-1", projectId: "p-1", branchId: "br-1", type: "read_write", currentState: "idle", ...record };
  // As the platform lists them: most recent first.
  const operations = turns.split(", ").filter(Boolean).map(operationOf).reverse();
  return activityOf({ record: whole, operations, fromMs: Date.parse(from), nowMs: Date.parse(now) });
}

const active = { currentState: "active" } as const;

/** What it did, by its operations and its record. */
const histories: Record<string, [turns: string, record?: Partial<EndpointRecord>]> = {
  "no operation, and running": ["", active],
  "no operation, and running since it says": ["", { ...active, startedAt: "2025-12-24T00:00:00Z" }],
  "suspends one after the other, and a start that is to come": ["suspend 5 10:00, suspend 5 11:00, start 31 13:00"],
  "running since before its last suspend, as it says": ["suspend 5 10:00", { ...active, startedAt: day("4 00:00") }],
  "a failed suspend": ["start 31 10:00, suspend 31 11:00 error", active],
  "a start under way": ["start 31 11:59 running", { pendingState: "active" }],
  "a suspend that no operation tells": ["start 30 12:00", { lastActive: day("30 14:00") }],
  "a disabled one": ["suspend 31 11:00", { disabled: true }],
  "a state that is not told": ["start 5 08:00, suspend 5 10:30", { currentState: undefined as never }],
  "times that are none": ["start yesterday", { lastActive: "never", createdAt: "once" }],
};

it("what endpoints did: told as it was", async () => {
  const text = Object.entries(histories).map(([what, [turns, record]]) => {
    const { hoursOfDay, quietHours, ...found } = activity(turns, record);
    const hours = hoursOfDay.map((hours) => Math.round(hours * 100) / 100).join(" ");
    return `# ${what}\n${JSON.stringify(found)}\nran ${hours}, never at ${quietHours.join(" ")}\n`;
  });
  await expectPrinted("activity", text.join("\n"));
});

const halved = [
  updateOf("main", { sizeCu: 0.5 }, stateOf({ sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 })),
];
/** A restart that began then, and took so long. */
const restarted = (at: string, totalDurationMs: number, endpointId = "ep-1"): OperationRecord[] =>
  (["start_compute", "suspend_compute"] as const).map((action) => ({
    ...operation(action, at),
    totalDurationMs,
    endpointId,
  }));
const live = (plan: PlanStep[], one: Partial<EndpointRecord> | undefined, operations: OperationRecord[] = []) =>
  told(plan, { live: viewOf(one && { ...record, ...one }, operations) });
const ran = (from: string, to: string) => [operation("suspend_compute", to), operation("start_compute", from)];
const takeover = [created({ adoptExisting: true })];
const member = urnOfMember("pr-1");
const takenUp: PlanStep[] = [
  {
    op: "take-up",
    urn: member,
    type: "pgcompute:index:Endpoint",
    after: { inputs: { ...stateOf().inputs, sizeCu: 2 }, outputs: {} },
  },
];
const name = newOwnershipName({ identity: member, name: "previews/pr-1" });
const slow = restarted("2026-01-20T10:00:00Z", 1_500, "ep-2");

itDecides("what the platform tells", {
  "how long its one restart took, and not its neighbour's": live(halved, {}, [
    ...slow,
    ...restarted("2026-01-20T10:00:00Z", 900),
  ]),
  "how long its neighbour's took": live(halved, {}, slow),
  "nothing of that where nothing is cut": live([updateOf("main", { suspendTimeoutSeconds: 60 })], {}, slow),
  "running, last active": live(halved, { currentState: "active", lastActive: "2026-01-31T11:58:30Z" }),
  "running since": live(halved, { currentState: "active", startedAt: "2025-11-01T08:00:00Z" }),
  "idle for an hour": live(halved, { lastActive: "2026-01-31T11:00:00Z" }),
  "idle for two days": live(halved, { lastActive: "2026-01-29T12:00:00Z" }),
  "no state": live(halved, { currentState: undefined as never }),
  "quiet by day": live(halved, {}, ran("2026-01-29T22:10:00Z", "2026-01-30T05:30:00Z")),
  "quiet but for an hour": live(halved, {}, ran("2026-01-29T12:00:00Z", "2026-01-29T12:30:00Z")),
  "nothing of a new one, though one bears its name": live([created()], {
    name: newOwnershipName({ identity: created().urn, name: "main" }),
  }),
  "nothing of a takeover in a project that was not read": live(
    [created({ adoptExisting: true, projectId: "p-2" })],
    {},
  ),
  "a takeover of what is larger": live(takeover, { autoscalingLimitMaxCu: 4 }),
  "what it made for nobody": live(takenUp, {}),
  "what it made of another type": live(takenUp, { name, type: "read_only" }),
});
