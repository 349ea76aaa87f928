import { describe, expect, it } from "vitest";
import { diff } from "../../../provider/pulumi/lifecycle";
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
  it.each(["resize", "move"] as const)("is made good by a restart, where the suspend of a %s failed", async (kind) => {
    const { run, change, changes, live, news, error } = await failedAt("suspend_compute", kind);
    expect(live()).toMatchObject({ restart_due: true, max_connections: 450 });
    const { state } = await run(change(news, { from: error }));
    expect(live()).toMatchObject({
      restart_due: false,
      max_connections: kind === "resize" ? 901 : 450,
      current_state: "active",
    });
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update", "endpoints.suspend", "endpoints.start"]);
    expect(bookOf(state).operations).toBeUndefined();
  });

  it.each(["resize", "move"] as const)("is made good by a restart, where the apply of a %s failed", async (kind) => {
    const { run, change, changes, live, news, error } = await failedAt("apply_config", kind);
    const { state } = await run(change(news, { from: error }));
    expect(live()).toMatchObject({ restart_due: false, current_state: "active" });
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update", "endpoints.suspend", "endpoints.start"]);
    expect(bookOf(state).operations).toBeUndefined();
  });

  it("moves back what somebody has moved since, and the preview says so", async () => {
    const { run, bench, context, change, live, news, error, emulator, endpointId, inputs } = await failedAt(
      "suspend_compute",
      "resize",
    );
    const elsewhere = bench.branch();
    emulator.admin.changeEndpoint(endpointId, { branch_id: elsewhere });
    const again = { ...context, account: bench.account() };
    await run(again.account.project(inputs.projectId).cache.snapshot());
    const plan = await run(diff(again, { id: error.id, state: error.state, inputs: { ...inputs, ...news } }));
    expect(plan.properties.branchId).toMatchObject({ before: elsewhere, after: inputs.branchId });
    expect(plan.messages).toContain(`moves from ${elsewhere} to ${inputs.branchId}`);
    await run(change(news, { from: error }));
    expect(live().branch_id).toBe(inputs.branchId);
  });

  it("is made good by another change that restarts, once", async () => {
    const { run, change, changes, live, error } = await failedAt("suspend_compute", "resize");
    await run(change({ sizeCu: 4 }, { from: error }));
    expect(live()).toMatchObject({ restart_due: false, max_connections: 1802 });
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update"]);
  });

  it("stays to be made good while it fails again, also beside a change that restarts nothing", async () => {
    const { run, bench, change, changes, live, emulator, news, error } = await failedAt("suspend_compute", "resize");
    const more = { ...news, pgSettings: { work_mem: "8MB" } };
    emulator.admin.addFault({ route: "endpoints.suspend", effect: { kind: "status", status: 403 } });
    const second = await partial(bench.fails(change(more, { from: error })));
    expect(bookOf(second.state).operations).toMatchObject([{ action: "suspend_compute", status: "failed" }]);
    mend(emulator);
    await run(change(more, { from: second }));
    expect(live()).toMatchObject({ restart_due: false, max_connections: 901 });
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update", "endpoints.suspend", "endpoints.start"]);
  });

  it.each(["check_availability", "suspend_compute"])(
    "is made good though the run that asked for it was killed, and kept nothing (%s since then)",
    async (action) => {
      const tools = await failedAt("suspend_compute", "resize");
      const { run, bench, change, changes, live, context, emulator, endpointId, news } = tools;
      context.run.clear();
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
      context.run.clear();
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

  it("needs no restart where only the start failed", async () => {
    const { run, change, changes, live, news, error } = await failedAt("start_compute", "resize");
    expect(live().restart_due).toBe(false);
    await run(change(news, { from: error }));
    expect(live()).toMatchObject({ current_state: "active", max_connections: 901 });
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.update", "endpoints.start"]);
  });
});
