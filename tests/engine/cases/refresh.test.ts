import { expect, it } from "vitest";
import { dynamicHost, dynamicHost as host, pluginHost } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";

// Specification, section 3.2.

const bench = useBench();

// Update of this host is not shown the old inputs, nor Read any; the plugin: tests/provider/fleet/same.test.ts.
it("a refresh by the dynamic host is silent about the state, shows drift, and the next up mends it", async () => {
  const { projectId } = bench;
  const { admin } = bench.emulator;
  const [first, second, home, away] = bench.branches(4);
  const program = bench.program(host);
  const stack = program.is({
    main: {
      args: { projectId, branchId: first, sizeCu: 2, suspendTimeoutSeconds: 600, pgSettings: { work_mem: "8MB" } },
    },
    quiet: { args: { projectId, branchId: second } },
    moved: { args: { projectId, branchId: home } },
  });
  await stack.up();
  const [main = "", quiet = "", moved = ""] = ["main", "quiet", "moved"].map(program.idOf);

  admin.changeEndpoint(main, { current_state: "idle" });
  admin.connect({ endpointId: quiet });
  const silent = await stack.refresh();
  expect(silent.changes).toMatchObject({ same: 3, update: 0, delete: 0 });

  admin.changeEndpoint(moved, { branch_id: away });
  admin.changeEndpoint(main, {
    autoscaling_limit_min_cu: 1,
    autoscaling_limit_max_cu: 4,
    suspend_timeout_seconds: 60,
    settings: { pg_settings: {} },
    pooler_enabled: true,
  });
  // What the program never set is the platform's business, and no drift.
  admin.changeEndpoint(quiet, { pooler_enabled: true, suspend_timeout_seconds: 900 });
  admin.clearLog();
  const planned = await stack.previewRefresh();
  expect(planned.changes).toMatchObject({ update: 2, same: 1 });
  expect(said(planned, "main")).toMatch(/the next one puts this back: .*size 1 to 4 CU -> 2 CU/);
  expect(said(planned, "moved")).toContain(`the next one puts this back: moves from ${away} to ${home}`);
  expect(admin.log().every(({ method }) => method === "GET")).toBe(true);
  expect(program.stored("main").outputs).toMatchObject({ sizeCu: 2, maxConnections: 901 });
  expect((await stack.refresh()).changes).toMatchObject({ update: 2, same: 1 });
  expect(program.stored("main").outputs).toMatchObject({
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
  expect(admin.endpoint(main)).toMatchObject({
    autoscaling_limit_min_cu: 2,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 600,
    settings: { pg_settings: { work_mem: "8MB" } },
    pooler_enabled: true,
  });
  expect(admin.endpoint(quiet)).toMatchObject({ pooler_enabled: true, suspend_timeout_seconds: 900 });
  expect(bench.on(home)).toMatchObject([{ id: moved }]);
  expect((await stack.preview()).changes).toMatchObject({ same: 3 });
});

const [MIN, MAX] = ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;

it.each([pluginHost, dynamicHost])(
  "says that an ignored limit and the program's contradict each other: $name",
  async (hostOf) => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branches = bench.branches(6);
    const size = { [MIN]: 2, [MAX]: 4 };
    const argsOf = (at: number) => ({ projectId, branchId: branches[at], ...size });
    const program = bench.program(hostOf);
    const stack = program.is({
      max: { args: argsOf(0), options: { ignoreChanges: [MAX] } },
      min: { args: argsOf(1), options: { ignoreChanges: [MIN] } },
      both: { args: argsOf(2), options: { ignoreChanges: [MIN, MAX] } },
      many: {
        args: { projectId, endpoints: { a: { branchId: branches[3], ...size } } },
        options: { ignoreChanges: [`endpoints.a.${MAX}`] },
        isFleet: true,
      },
      quoted: { args: argsOf(4), options: { ignoreChanges: [`["${MAX}"]`] } },
      shared: {
        args: { projectId, defaults: size, endpoints: { a: { branchId: branches[5] } } },
        options: { ignoreChanges: [`defaults.${MAX}`] },
        isFleet: true,
      },
    });
    await stack.up();
    const changed = [1, 7, 1, 1, 1, 1];
    for (const [at, cu] of changed.entries()) {
      const [there] = bench.on(branches[at] ?? "");
      admin.changeEndpoint(there?.id ?? "", { autoscaling_limit_min_cu: cu, autoscaling_limit_max_cu: cu });
    }

    const refreshed = await stack.refresh();
    for (const name of ["max", "min", "both", "quoted"]) expect(said(refreshed, name)).toBe("");
    for (const run of [await stack.preview(), await stack.up(), await stack.preview()]) {
      expect(run.changes).toMatchObject({ same: 6 });
      expect(said(run, "max")).toMatch(
        /contradict each other: \w+MaxCu \(1 CU\).* \w+MinCu \(2 CU\).* stays as it is, 1 CU/,
      );
      expect(said(run, "min")).toMatch(
        /contradict each other: \w+MinCu \(7 CU\).* \w+MaxCu \(4 CU\).* stays as it is, 7 CU/,
      );
      expect(said(run, "both")).toBe("");
      const contradicts = /contradict each other: \w+MaxCu \(1 CU\).* stays as it is, 1 CU/;
      for (const name of ["quoted", "many", "shared"]) expect(said(run, name)).toMatch(contradicts);
    }
    const sizes = branches.map((branch) => bench.on(branch)[0]?.autoscaling_limit_max_cu);
    expect(sizes).toEqual(changed);
  },
);

it.each([pluginHost, dynamicHost])(
  "keeps an ignored limit that is set in a fleet's defaults, as its preview says: $name",
  async (hostOf) => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const paths = [`defaults.${MIN}`, `endpoints.a.${MIN}`, `endpoints[*].${MIN}`];
    const branches = bench.branches(paths.length);
    const fleets = paths.map((path, at) => {
      const endpoints = { a: { branchId: branches[at] } };
      const args = { projectId, defaults: { [MIN]: 2, [MAX]: 4 }, endpoints };
      return [`fleet-${at}`, { args, options: { ignoreChanges: [path] }, isFleet: true }];
    });
    const stack = bench.program(hostOf).is(Object.fromEntries(fleets));
    await stack.up();
    for (const branch of branches) {
      admin.changeEndpoint(bench.on(branch)[0]?.id ?? "", { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 3 });
    }
    await stack.refresh();

    for (const run of [await stack.preview(), await stack.up()])
      for (const at of branches.keys()) expect(said(run, `fleet-${at}`)).toContain("size 1 to 3 CU -> 1 to 4 CU");
    const live = branches.map((branch) => bench.on(branch)[0]);
    expect(live.map((one) => one?.autoscaling_limit_min_cu)).toEqual([1, 1, 1]);
    expect(live.map((one) => one?.autoscaling_limit_max_cu)).toEqual([4, 4, 4]);
    expect((await stack.preview()).changes).toMatchObject({ same: 3 });
  },
);
