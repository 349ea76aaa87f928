import { expect, it } from "vitest";
import { dynamicHost as host, pluginHost } from "../support/hosts";
import { endpointIdOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 3.2.

const bench = useBench();

// Update of this host is not shown the old inputs, nor Read any; the plugin: tests/provider/fleet/same.test.ts.
it("a refresh by the dynamic host is silent about the state, shows drift, and the next up mends it", async () => {
  const { projectId } = bench;
  const { admin } = bench.emulator;
  const branches = [bench.branch(), bench.branch()];
  const [home, away] = [bench.branch(), bench.branch()];
  const program = await bench.program(host);
  const stack = program.is({
    main: {
      args: {
        projectId,
        branchId: branches[0],
        sizeCu: 2,
        suspendTimeoutSeconds: 600,
        pgSettings: { work_mem: "8MB" },
      },
    },
    quiet: { args: { projectId, branchId: branches[1] } },
    moved: { args: { projectId, branchId: home } },
  });
  await stack.up();
  const [main, quiet, moved] = ["main", "quiet", "moved"].map((name) =>
    endpointIdOf(stored(program.project, host, name)),
  );

  admin.changeEndpoint(main ?? "", { current_state: "idle" });
  admin.connect({ endpointId: quiet ?? "" });
  const silent = await stack.refresh();
  expect(silent.changes).toMatchObject({ same: 3, update: 0, delete: 0 });

  admin.changeEndpoint(moved ?? "", { branch_id: away });
  admin.changeEndpoint(main ?? "", {
    autoscaling_limit_min_cu: 1,
    autoscaling_limit_max_cu: 4,
    suspend_timeout_seconds: 60,
    settings: { pg_settings: {} },
    pooler_enabled: true,
  });
  // What the program never set is the platform's business, and no drift.
  admin.changeEndpoint(quiet ?? "", { pooler_enabled: true, suspend_timeout_seconds: 900 });
  admin.clearLog();
  const planned = await stack.previewRefresh();
  expect(planned.changes).toMatchObject({ update: 2, same: 1 });
  expect(admin.log().every(({ method }) => method === "GET")).toBe(true);
  expect(stored(program.project, host, "main").outputs).toMatchObject({ sizeCu: 2, maxConnections: 901 });
  expect((await stack.refresh()).changes).toMatchObject({ update: 2, same: 1 });
  expect(stored(program.project, host, "main").outputs).toMatchObject({
    autoscalingLimitMinCu: 1,
    autoscalingLimitMaxCu: 4,
    maxConnections: 450,
    suspendTimeoutSeconds: 60,
    pgSettings: {},
  });

  const preview = await stack.preview();
  expect(preview.changes).toMatchObject({ update: 2, same: 1 });
  expect(said(preview, "moved")).toContain(`moves from ${away} to ${home}`);
  expect(said(preview, "main")).toMatch(/size 1 to 4 CU -> 2 CU.*autosuspend after 60 s -> after 600 s/);
  await stack.up();
  expect(admin.endpoint(main ?? "")).toMatchObject({
    autoscaling_limit_min_cu: 2,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 600,
    settings: { pg_settings: { work_mem: "8MB" } },
    pooler_enabled: true,
  });
  expect(admin.endpoint(quiet ?? "")).toMatchObject({ pooler_enabled: true, suspend_timeout_seconds: 900 });
  expect(endpointsOn(bench, home)).toMatchObject([{ id: moved }]);
  expect((await stack.preview()).changes).toMatchObject({ same: 3 });
});

it("a refresh shows other figures and no change where the stack is for another platform", async () => {
  const { projectId } = bench;
  const args = { projectId, branchId: bench.branch(), sizeCu: 4 };
  const program = await bench.program(pluginHost);
  const stack = program.is({ main: { args } });
  await stack.up();
  const figure = () => stored(program.project, pluginHost, "main").outputs;
  expect(figure()).toMatchObject({ maxConnections: 1802 });
  await program.project.setConfig({ "pgcompute:platform": "neon" });
  const preview = await stack.preview();
  expect(preview.changes).toMatchObject({ same: 1, update: 0 });
  expect(preview.text).not.toMatch(/max_connections/);
  // A refresh has the configuration of the last up.
  await stack.up();
  await stack.refresh();
  expect(figure()).toMatchObject({ maxConnections: 1678 });
  expect((await stack.preview()).changes).toMatchObject({ same: 1, update: 0 });
});
