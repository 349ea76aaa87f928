import { describe, expect, it } from "vitest";
import { platformIn } from "../../../provider/platform/profiles/profiles";
import { type Declarations, pluginHost as host, hosts } from "../support/hosts";
import { actionsFor, changesCalled, endpointIdOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, sections 2.1, 2.3, 2.4, 3.2, 3.3, 4.5 and 4.7.

const bench = useBench();

/** One endpoint for each set of arguments, each on a branch of its own. */
function declare(branches: Record<string, string>, args: Record<string, Record<string, unknown>>): Declarations {
  const { projectId } = bench;
  return Object.fromEntries(
    Object.entries(args).map(([name, rest]) => [name, { args: { projectId, branchId: branches[name], ...rest } }]),
  );
}

function branchesFor(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, bench.branch()]));
}

describe("changes in place", () => {
  it("changes each property, says what that does to a running endpoint, and keeps id and host", async () => {
    const before = {
      size: { sizeCu: 1 },
      range: { autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2 },
      form: { sizeCu: 2 },
      suspend: { suspendTimeoutSeconds: 600 },
      pooler: { poolerEnabled: false, poolerMode: "transaction" },
      settings: { pgSettings: { work_mem: "8MB", lock_timeout: "1000" } },
      disabled: { disabled: false },
      access: { passwordlessAccess: true },
      moved: { suspendTimeoutSeconds: 900 },
    };
    const branches = branchesFor(Object.keys(before));
    const program = await bench.program(host);
    await program.is(declare(branches, before)).up();
    const at = (name: string) => endpointsOn(bench, branches[name] ?? "")[0];
    const old = Object.fromEntries(Object.keys(before).map((name) => [name, at(name)]));
    for (const one of Object.values(old)) {
      bench.emulator.admin.connect({ endpointId: one?.id ?? "", connections: 3 });
    }

    branches.moved = bench.branch();
    const after = program.is(
      declare(branches, {
        size: { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 },
        range: { sizeCu: 0.5 },
        form: { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 },
        suspend: { suspendTimeoutSeconds: -1 },
        pooler: { poolerEnabled: true, poolerMode: "session" },
        settings: { pgSettings: { work_mem: "16MB", max_connections: "500" } },
        disabled: { disabled: true },
        access: { passwordlessAccess: false },
        moved: { suspendTimeoutSeconds: 900 },
      }),
    );
    const preview = await after.preview();
    expect(preview.changes).toMatchObject({ update: 8, same: 1, replace: 0 });
    expect(preview.diagnostics.filter(({ message }) => platformIn(message)?.name === "specification")).toHaveLength(1);
    expect(said(preview, "size")).toMatch(
      /restarts the endpoint: open connections are dropped; .*max_connections 450 -> 901/,
    );
    expect(said(preview, "range")).toMatch(/restarts the endpoint.*size 0\.5 to 2 CU -> 0\.5 CU/);
    expect(said(preview, "range")).not.toContain("max_connections");
    expect(said(preview, "form")).toBe("");
    expect(said(preview, "suspend")).toBe("no restart; connections stay; autosuspend after 600 s -> never");
    expect(said(preview, "pooler")).toContain("restart not stated by the platform for poolerEnabled and poolerMode");
    expect(said(preview, "settings")).toContain("pgSettings (lock_timeout, max_connections, work_mem)");
    expect(said(preview, "settings")).toMatch(/pgSettings\.max_connections has no effect/);
    expect(said(preview, "disabled")).toContain("disables the endpoint: it is suspended");
    expect(said(preview, "access")).toContain("passwordlessAccess");
    expect(said(preview, "moved")).toMatch(/moves from br-\S+ to br-\S+; suspends the endpoint/);
    expect(at("size")).toMatchObject({ autoscaling_limit_max_cu: 1, dropped_connections: 0 });

    expect((await after.up()).changes).toMatchObject({ update: 8, same: 1, replace: 0 });
    const fields: Record<string, Record<string, unknown>> = {
      size: {
        autoscaling_limit_min_cu: 2,
        autoscaling_limit_max_cu: 4,
        current_state: "active",
        dropped_connections: 3,
      },
      range: { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5, dropped_connections: 3 },
      form: { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2, dropped_connections: 0 },
      suspend: { suspend_timeout_seconds: -1, connections: 3, dropped_connections: 0 },
      pooler: { pooler_enabled: true, pooler_mode: "session", connections: 3 },
      settings: { settings: { pg_settings: { work_mem: "16MB", max_connections: "500" } } },
      disabled: { disabled: true, current_state: "stopped", dropped_connections: 3 },
      access: { passwordless_access: false, connections: 3 },
      moved: { current_state: "idle", suspend_timeout_seconds: 900, dropped_connections: 3 },
    };
    for (const [name, wanted] of Object.entries(fields)) {
      expect(at(name), name).toMatchObject({ ...wanted, id: old[name]?.id, host: old[name]?.host });
    }
    expect(stored(program.project, host, "moved").outputs).toMatchObject({
      branchId: branches.moved,
      host: old.moved?.host,
    });

    bench.emulator.admin.clearLog();
    expect((await after.up()).changes).toMatchObject({ same: 9, update: 0 });
    expect(changesCalled(bench)).toEqual([]);
  });

  it("puts back what it found as the program set it, once the program no longer does", async () => {
    const { projectId, emulator } = bench;
    const branchId = bench.branch();
    const live = { suspend_timeout_seconds: 600, pooler_enabled: true };
    const { id } = emulator.admin.seedEndpoint(projectId, { branch_id: branchId, ...live });
    const program = await bench.program(host);
    const main = (args: Record<string, unknown>) =>
      program.is({ main: { args: { projectId, branchId, adoptExisting: true, ...args } } });
    await main({ suspendTimeoutSeconds: 600 }).up();
    expect((await main({}).preview()).changes).toMatchObject({ update: 1 });
    await main({}).up();
    // What the program never set is the platform's business.
    expect(endpointsOn(bench, branchId)).toMatchObject([{ id, suspend_timeout_seconds: 0, pooler_enabled: true }]);
    expect((await main({}).up()).changes).toMatchObject({ same: 1 });
  });

  it("restarts for a new trigger, and keeps one pending whose start failed", async () => {
    const branches = branchesFor(["main"]);
    const program = await bench.program(host);
    const triggered = (restartTrigger: string) => program.is(declare(branches, { main: { restartTrigger } }));
    await triggered("1").up();
    const endpointId = endpointIdOf(stored(program.project, host, "main"));
    expect(actionsFor(bench, endpointId)).toEqual(["start_compute"]);

    expect(said(await triggered("2").preview(), "main")).toBe("restarts the endpoint: open connections are dropped");
    await triggered("2").up();
    expect(actionsFor(bench, endpointId)).toEqual(["start_compute", "suspend_compute", "start_compute"]);

    const { admin } = bench.emulator;
    admin.addFault({ on: "operation", action: "start_compute", endpointId, count: 1, effect: { kind: "fail" } });
    const failed = await triggered("3").up({ expectFailure: true });
    expect(failed.failure).toMatch(/\(start_compute\) ended as "failed" after 1 failure: compute node did not come up/);
    expect(stored(program.project, host, "main").outputs).toMatchObject({ restartTrigger: "2" });
    expect(admin.endpoint(endpointId)).toMatchObject({ current_state: "idle" });

    expect(opsOf(await triggered("3").up(), "main")).toEqual(["update"]);
    expect(admin.endpoint(endpointId)).toMatchObject({ current_state: "active" });
    expect(stored(program.project, host, "main").outputs).toMatchObject({ restartTrigger: "3" });
    expect((await triggered("3").up()).changes).toMatchObject({ same: 1 });
  });
});

// Update of the dynamic host is not shown the old inputs.
describe.each(hosts)("what the program no longer says, by the $name host", (host) => {
  it("puts back what the program stops setting, and keeps what has no default with a warning", async () => {
    const branches = branchesFor(["all", "form"]);
    const program = await bench.program(host);
    const everything = {
      suspendTimeoutSeconds: 600,
      poolerEnabled: true,
      poolerMode: "session",
      pgSettings: { work_mem: "8MB" },
      disabled: true,
      passwordlessAccess: false,
      autoscalingLimitMinCu: 1,
      autoscalingLimitMaxCu: 3,
    };
    await program.is(declare(branches, { all: everything, form: { sizeCu: 2 } })).up();
    const [old] = endpointsOn(bench, branches.all ?? "");
    expect(old).toMatchObject({ pooler_mode: "session", disabled: true, passwordless_access: false });

    const bare = program.is(declare(branches, { all: {}, form: {} }));
    const preview = await bare.preview();
    expect(preview.changes).toMatchObject({ update: 1, same: 1 });
    expect(said(preview, "all")).toContain(
      "no longer sets a size, which has no default: it stays as it is (1 to 3 CU)",
    );
    expect(said(preview, "all")).toContain("no longer sets passwordlessAccess, which has no default: it stays false");
    expect(said(preview, "all")).toContain("enables the endpoint");
    expect(said(preview, "form")).toContain("it stays as it is (2 CU)");
    await bare.up();
    expect(endpointsOn(bench, branches.all ?? "")[0]).toMatchObject({
      id: old?.id,
      suspend_timeout_seconds: 0,
      pooler_enabled: false,
      pooler_mode: "transaction",
      settings: { pg_settings: {} },
      disabled: false,
      passwordless_access: false,
      autoscaling_limit_min_cu: 1,
      autoscaling_limit_max_cu: 3,
    });
    const again = await bare.up();
    expect(again.changes).toMatchObject({ same: 2, update: 0 });
    expect(said(again)).not.toContain("no longer sets");
  });
});
