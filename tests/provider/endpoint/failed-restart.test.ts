import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { RunRecords } from "../../../provider/pulumi/run";
import { bookOf, mend, partial, useEndpoint } from "./support";

/** A change that restarts the endpoint, of which one operation fails; then the platform is well again. */
async function failedAt(action: string, kind: "resize" | "move") {
  const tools = await useEndpoint({ sizeCu: 1 });
  const { bench, change, emulator } = tools;
  const news = kind === "resize" ? { sizeCu: 2 } : { branchId: bench.branch() };
  emulator.admin.addFault({ on: "operation", action, effect: { kind: "fail" } });
  const error = await partial(bench.fails(change(news)));
  expect(bookOf(error.state).operations?.length).toBeGreaterThan(0);
  emulator.admin.clearFaults();
  emulator.admin.clearLog();
  return { ...tools, news, error };
}

describe("a restart of which an operation failed (sections 3.2, 3.3 and 4.7)", () => {
  it.each(["check_availability", "suspend_compute"])(
    "is made good though the run that asked for it was killed, and kept nothing (%s since then)",
    async (action) => {
      const tools = await failedAt("suspend_compute", "resize");
      const { run, bench, change, changes, live, context, emulator, endpointId, news } = tools;
      context.run = new RunRecords();
      await bench.clock.pass(10_000);
      // What the platform does by itself since then is no newer change.
      const { projectId } = emulator;
      emulator.admin.addFault({ on: "operation", action: "suspend_compute", effect: { kind: "fail" } });
      emulator.admin.startOperation({ projectId, endpointId, action });
      await bench.clock.pass(10_000);
      emulator.admin.clearFaults();
      emulator.admin.addFault({ route: "endpoints.suspend", effect: { kind: "status", status: 403 } });
      const error = await partial(bench.fails(change(news)));
      expect(bookOf(error.state).operations).toMatchObject([{ action: "suspend_compute", status: "failed" }]);
      emulator.admin.clearFaults();
      emulator.admin.clearLog();
      context.run = new RunRecords();
      await run(change(news, { from: error }));
      expect(live()).toMatchObject({ restart_due: false, max_connections: 901 });
      expect(changes().map(({ route }) => route)).toEqual(["endpoints.update", "endpoints.suspend", "endpoints.start"]);
    },
  );

  it("is not asked for where somebody else has made the same change well", async () => {
    const { run, change, changes, emulator, endpointId } = await useEndpoint({ sizeCu: 1 });
    emulator.admin.changeEndpoint(endpointId, { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
    await run(change({ sizeCu: 2 }));
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update"]);
  });

  it("is not asked for where a suspend after inactivity failed, and somebody else has made the same change", async () => {
    const { run, change, changes, live, clock, emulator, endpointId } = await useEndpoint();
    emulator.admin.addFault({ on: "operation", action: "suspend_compute", count: 1, effect: { kind: "fail" } });
    await clock.pass(310_000);
    const [newest] = emulator.admin.project(emulator.projectId).operations;
    expect(newest).toMatchObject({ action: "suspend_compute", status: "failed" });
    emulator.admin.connect({ endpointId, connections: 1 });
    emulator.admin.changeEndpoint(endpointId, { suspend_timeout_seconds: 60 });
    await run(change({ suspendTimeoutSeconds: 60 }));
    expect(live().connections).toBe(1);
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update"]);
  });
});

const lostAfter: Fault["effect"] = { kind: "reset", when: "after" };

describe("an update whose answer was lost", () => {
  it("ends in it though the list of operations is behind", async () => {
    const { bench, change, emulator, clock } = await useEndpoint({ sizeCu: 1 });
    await clock.pass(10_000);
    emulator.admin.addFault({ on: "operation", effect: { kind: "fail" } });
    emulator.admin.addFault({ route: "endpoints.update", count: 1, effect: lostAfter });
    emulator.admin.addFault({ route: "operations.list", effect: { kind: "stale-list", ageMs: 3_000 } });
    expect(await bench.fails(change({ sizeCu: 2 }))).toMatchObject({ kind: "operation_failed" });
  });

  it("ends in it though hundreds of others have begun and ended since", async () => {
    const { bench, change, emulator, clock } = await useEndpoint({ sizeCu: 1 });
    const { admin, projectId } = emulator;
    const failing = admin.addFault({ on: "operation", effect: { kind: "fail" } });
    admin.addFault({ route: "endpoints.update", count: 1, effect: lostAfter });
    admin.addFault({ route: "endpoints.get", count: 3, effect: { kind: "status", status: 502 } });
    const failed = bench.fails(change({ sizeCu: 2 }));
    void clock.sleep(100).then(() => {
      admin.removeFault(failing);
      admin.startOperation({ projectId, action: "check_availability", count: 300 });
    });
    expect(await failed).toMatchObject({ kind: "operation_failed" });
  });

  it.each(["before", "after"] as const)("is sent again where nobody tells what it changes (lost %s)", async (when) => {
    const { run, change, changes, emulator } = await useEndpoint({ poolerEnabled: true }, { lock: "none" });
    const { admin } = emulator;
    admin.configure({ removedFields: "ignored" });
    if (when === "after") admin.addFault({ on: "operation", effect: { kind: "slow", operationMs: 20_000 } });
    admin.addFault({ route: "endpoints.update", count: 1, effect: { kind: "reset", when } });
    await run(change({ poolerMode: "session" }));
    expect(changes()).toHaveLength(2);
    const statuses = admin.project(emulator.projectId).operations.map(({ status }) => status);
    expect(statuses.filter((status) => status !== "finished")).toEqual([]);
  });

  it.each(["none", "endpoint"] as const)(
    "ends in it though the platform made the change after the look (lock: %s)",
    async (lock) => {
      const { bench, change, emulator, clock, endpointId } = await useEndpoint({ sizeCu: 1 }, { lock });
      const { admin, projectId } = emulator;
      admin.addFault({ on: "operation", effect: { kind: "fail" } });
      admin.addFault({ route: "endpoints.update", count: 1, effect: { kind: "reset", when: "before" } });
      const failed = bench.fails(change({ sizeCu: 2 }));
      // The repeat follows half a second after the first.
      const late = { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 };
      void clock.sleep(300).then(() => bench.account().api.updateEndpoint(projectId, endpointId, late));
      expect(await failed).toMatchObject({ kind: "operation_failed" });
    },
  );

  it("is not taken for failed because of what failed while it waited for its turn", async () => {
    const { run, change, live, emulator, endpointId } = await useEndpoint({ sizeCu: 1 }, { operationMs: 5_000 });
    const { admin, projectId } = emulator;
    admin.addFault({ on: "operation", count: 1, effect: { kind: "fail" } });
    admin.startOperation({ projectId, action: "start_compute", endpointId });
    // The first is refused, as that operation is in its way.
    admin.addFault({ route: "endpoints.update", skip: 1, count: 1, effect: lostAfter });
    await run(change({ sizeCu: 2 }));
    expect(live()).toMatchObject({ current_state: "active", autoscaling_limit_max_cu: 2 });
    expect(admin.counts().byStatus["423"]).toBe(1);
  });

  it("is not taken for failed because of what failed in an earlier run", async () => {
    const { run, bench, change, changes, live, emulator, clock } = await useEndpoint({ sizeCu: 1 });
    emulator.admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "fail" } });
    const first = await partial(bench.fails(change({ sizeCu: 2 })));
    mend(emulator);
    await clock.pass(60_000);
    emulator.admin.addFault({ route: "endpoints.update", count: 1, effect: { kind: "reset", when: "before" } });
    const { state } = await run(change({ sizeCu: 2 }, { from: first }));
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update", "endpoints.start"]);
    expect(live()).toMatchObject({ current_state: "active", autoscaling_limit_max_cu: 2 });
    expect(bookOf(state).operations).toBeUndefined();
  });
});
