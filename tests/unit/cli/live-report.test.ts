import { describe, expect, it } from "vitest";
import { groupSteps } from "../../../cli/review/group";
import { activityOf, projectsOf } from "../../../cli/review/live/look";
import { liveFacts } from "../../../cli/review/live/messages";
import type { LiveView } from "../../../cli/review/live/read-live";
import { toMarkdown } from "../../../cli/review/markdown";
import { headMessages } from "../../../cli/review/messages";
import { toReport } from "../../../cli/review/report";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import type { EndpointRecord, OperationRecord } from "../../../provider/platform/records";
import { rowOf } from "./support/fleets";
import { operation, ranFor41h, record, viewOf } from "./support/live";
import { planOf, stateOf, stepFor, updateOf } from "./support/plans";

const resized = planOf([
  updateOf("main", { sizeCu: 0.5 }, stateOf({ sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 })),
]);

/** A restart that began then, and took so long. */
const restarted = (at: string, totalDurationMs: number, endpointId = "ep-1"): OperationRecord[] =>
  (["start_compute", "suspend_compute"] as const).map((action) => ({
    ...operation(action, at),
    totalDurationMs,
    endpointId,
  }));

const factsOf = (plan: typeof resized, live: LiveView, more = {}) => {
  const report = toReport(plan, { live, ...more });
  return report.endpoints.flatMap((endpoint) =>
    liveFacts(endpoint, report).map(({ label, text }) => `${label}: ${text}`),
  );
};

describe("what the report says of a project", () => {
  it.each([
    ["neon", 20, 0],
    ["neon", 21, 1],
    ["specification", 21, 0],
  ] as const)("is on %s how many of %i new computes may not start: %i", (platform, count, over) => {
    const { before } = resized.steps[0] ?? {};
    const steps = Array.from({ length: count }, (_, at) =>
      stepFor(`a${at}`, "create", { after: { inputs: { ...before?.inputs, branchId: `br-${at}` }, outputs: {} } }),
    );
    const report = toReport(planOf(steps), { platform });
    expect(report.crowded).toEqual(over > 0 ? [{ projectId: "p-1", starts: count, limit: 20 }] : undefined);
    // The old one of each, which an earlier run has left to be deleted, starts nothing.
    const leftovers = steps.map(({ urn }) => ({
      ...stepFor("x", "delete", { before: { ...stateOf(), delete: true } }),
      urn,
    }));
    expect(toReport(planOf([...steps, ...leftovers]), { platform }).crowded).toEqual(report.crowded);
    expect(headMessages(report).join()).toMatch(
      over > 0 ? /: up to 1 may fail to start, or start at their first connection$/ : /^$/,
    );
  });
});

it("is asked for projects in which the plan only creates", () => {
  const { before } = resized.steps[0] ?? {};
  const created = stepFor("new", "create", { after: { inputs: { ...before?.inputs, projectId: "p-2" }, outputs: {} } });
  expect(projectsOf(groupSteps(planOf([created]).steps).changing)).toEqual(["p-2"]);
});

describe("what the report says of the platform", () => {
  it("is who a restart drops, and what the endpoint used", () => {
    expect(factsOf(resized, viewOf(record, ranFor41h))).toEqual([
      "Now: idle for 3 h: a restart now drops nobody",
      "Use: ran 41 h in 30 days, started 1 time: about 82 CU-hours at today's maximum, 21 at the new one",
      "Quiet: ran least from 09:00 to 16:00 UTC (1 h in 30 days); no hour of the day is free",
    ]);
    expect(factsOf(resized, viewOf(record, ranFor41h), { pricePerCuHour: 0.5 })[1]).toMatch(
      /about 82 CU-hours \(41\.00\) at today's maximum, 21 \(10\.25\) at the new one$/,
    );
  });

  it.each<[string, OperationRecord[], string | undefined]>([
    [
      "its own restarts",
      [
        restarted("2026-01-20T10:00:00Z", 900),
        restarted("2026-01-12T10:00:00Z", 2_100),
        restarted("2026-01-10T10:00:00Z", 800),
      ].flat(),
      "How long: away for about 0.9 s (3 restarts here in 30 days, the slowest 2.1 s)",
    ],
    [
      "the project's, where it has none",
      restarted("2026-01-20T10:00:00Z", 1_500, "ep-2"),
      "How long: away for about 1.5 s (1 restart in this project in 30 days, the slowest 1.5 s)",
    ],
    ["nothing, where none was seen", [], undefined],
  ])("tells how long a restart takes by %s", (_, operations, fact) => {
    const view = viewOf(
      record,
      operations.filter(({ endpointId }) => endpointId === "ep-1"),
    );
    const others = operations.filter(({ endpointId }) => endpointId === "ep-2");
    const live = {
      ...view,
      projects: new Map(
        [...view.projects].map(([id, one]) => [
          id,
          { ...one, operations: new Map([...one.operations, ["ep-2", others] as const]) },
        ]),
      ),
    };
    expect(factsOf(resized, live).find((one) => one.startsWith("How long"))).toBe(fact);
    const markdown = toMarkdown(toReport(resized, { live }));
    expect(markdown).toContain(fact === undefined ? "| no, away briefly |" : "| no, away about ");
    expect(markdown).toContain("Downtime is an endpoint that is gone, or switched off until somebody acts");
    // What cuts nothing is not away.
    const calm = planOf([updateOf("main", { suspendTimeoutSeconds: 60 })]);
    expect(factsOf(calm, live).some((one) => one.startsWith("How long"))).toBe(false);
  });

  it.each([
    [
      { currentState: "active", lastActive: "2026-01-31T11:58:30Z" },
      /^Now: runs, last active 1 min before this report: a restart now drops whoever is connected$/,
    ],
    [{ currentState: "active", startedAt: "2025-11-01T08:00:00Z" }, /^Now: runs since 2025-11-01 08:00 UTC: a restart/],
    [{ lastActive: "2026-01-25T12:00:00Z" }, /^Now: idle for 6 days: a restart now drops nobody$/],
    [{ disabled: true, suspendedAt: "2026-01-31T11:59:30Z" }, /^Now: disabled for less than a minute: a restart/],
    [{ currentState: undefined as never }, /^Now: the platform does not tell its state$/],
  ])("is how it is now: %o", (part, expected) => {
    expect(factsOf(resized, viewOf({ ...record, ...part }, []))[0]).toMatch(expected);
  });

  it.each([
    [
      [operation("suspend_compute", "2026-01-30T05:30:00Z"), operation("start_compute", "2026-01-29T22:10:00Z")],
      /^Quiet: never ran from 06:00 to 22:00 UTC in 30 days$/,
    ],
    [
      [operation("suspend_compute", "2026-01-29T12:30:00Z"), operation("start_compute", "2026-01-29T12:00:00Z")],
      /^Quiet: never ran from 13:00 to 12:00 UTC in 30 days$/,
    ],
  ])("is when nobody would notice", (operations, expected) => {
    expect(factsOf(resized, viewOf(record, operations))[2]).toMatch(expected);
  });

  it("is that it did not run at all", () => {
    expect(factsOf(resized, viewOf(record, [])).slice(1)).toEqual(["Use: did not run in 30 days"]);
  });

  it("is that an endpoint is gone, and what the last of it was", () => {
    expect(factsOf(resized, viewOf(undefined, ranFor41h))).toEqual([
      "Now: the platform does not have this endpoint any more; the last of it is operation op-suspend_compute (suspend_compute) at 2026-01-31 09:00 UTC",
    ]);
  });

  it("is nothing for a new endpoint, and nothing without --live", () => {
    const created = planOf([stepFor("main", "create", { after: { inputs: stateOf().inputs, outputs: {} } })]);
    expect(factsOf(created, viewOf(record, ranFor41h))).toEqual([]);
    const plain = toReport(resized);
    expect(plain).not.toHaveProperty("live");
    expect(toMarkdown(plain)).not.toContain("| Now |");
  });

  it("is a takeover's real effect", () => {
    const inputs = { ...stateOf().inputs, adoptExisting: true };
    const takeover = planOf([stepFor("main", "create", { after: { inputs, outputs: {} } })]);
    expect(toReport(takeover).endpoints[0]).toMatchObject({ action: "adopt", restarts: "possible" });
    const same = toReport(takeover, { live: viewOf(record, []) });
    expect(same.endpoints[0]).toMatchObject({ id: "p-1/ep-1", restarts: "no", dropsConnections: "no", properties: [] });
    const larger = toReport(takeover, {
      live: viewOf({ ...record, autoscalingLimitMaxCu: 4 }, []),
      failOn: ["restart"],
    });
    expect(larger.endpoints[0]).toMatchObject({
      restarts: "yes",
      sizeCu: { before: { min: 1, max: 4 }, after: { min: 1, max: 1 } },
      properties: [{ name: "size" }],
    });
    expect(larger.gate?.met).toHaveLength(1);
    const other = toReport(takeover, { live: viewOf({ ...record, branchId: "br-2" }, []) });
    expect(other.endpoints[0]).toMatchObject({ restarts: "possible" });
  });

  it("is what a member takes up that an interrupted run may have made for it", () => {
    const { urn, type } = rowOf("pr-1", "create");
    const created = planOf([
      { op: "take-up", urn, type, after: { inputs: { ...stateOf().inputs, sizeCu: 2 }, outputs: {} } },
    ]);
    const name = newOwnershipName({ identity: urn, name: "previews/pr-1" });
    const on = (one: EndpointRecord) => toReport(created, { live: viewOf(one, []), failOn: ["restart"] });
    const taken = on({ ...record, name });
    expect(taken.endpoints[0]).toMatchObject({ action: "adopt", id: "p-1/ep-1", restarts: "yes" });
    expect(taken.endpoints[0]?.notes.join()).toContain("takes up the endpoint that an earlier run created for it");
    expect(taken.gate?.met).toHaveLength(1);
    for (const other of [
      record,
      { ...record, name, branchId: "br-2" },
      { ...record, name, type: "read_only" as const },
    ])
      expect(on(other)).toMatchObject({ endpoints: [{ action: "adopt", restarts: "possible" }] });
  });
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
