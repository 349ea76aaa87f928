import { describe, expect, it } from "vitest";
import { pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

describe("resource options", () => {
  it("ignores changes, and changes only what is targeted", async () => {
    const { projectId } = bench;
    const branches = [bench.branch(), bench.branch(), bench.branch()];
    const [main, other, third] = branches.map((branchId) => ({ projectId, branchId }));
    const program = await bench.program(host);
    const ignoreChanges = ["sizeCu", "pgSettings.work_mem"];
    const changed = (sizeCu: number, workMem: string, lockTimeout: string) =>
      program.is({
        main: {
          args: { ...main, sizeCu, pgSettings: { work_mem: workMem, lock_timeout: lockTimeout } },
          options: { ignoreChanges },
        },
        other: { args: { ...other, sizeCu } },
        third: { args: { ...third, sizeCu } },
      });
    await changed(1, "8MB", "1000").up();
    bench.emulator.admin.clearLog();
    const urn = urnOf(program.project, host, "main");
    const preview = await changed(2, "16MB", "1000").preview({ args: ["--target", urn] });
    expect(preview.changes).toMatchObject({ update: 0 });
    await changed(2, "16MB", "2000").up({ args: ["--target", urn] });
    expect(changesCalled(bench)).toEqual(["PATCH endpoints.update"]);
    expect(endpointsOn(bench, branches[0] ?? "")).toMatchObject([
      { autoscaling_limit_min_cu: 1, settings: { pg_settings: { work_mem: "8MB", lock_timeout: "2000" } } },
    ]);
    expect(endpointsOn(bench, branches[1] ?? "")).toMatchObject([{ autoscaling_limit_min_cu: 1 }]);

    await changed(2, "16MB", "2000").up({ args: ["--target", urnOf(program.project, host, "other")] });
    expect(endpointsOn(bench, branches[1] ?? "")).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    expect(endpointsOn(bench, branches[2] ?? "")).toMatchObject([{ autoscaling_limit_min_cu: 1 }]);
  });

  it("protects an endpoint, keeps one that leaves the program, and deletes it no sooner than told", async () => {
    const { projectId } = bench;
    const branches = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const both = (protect: boolean) =>
      program.is({
        safe: { args: { projectId, branchId: branches[0] }, options: { protect } },
        kept: { args: { projectId, branchId: branches[1] }, options: { retainOnDelete: true } },
      });
    await both(true).up();
    const kept = endpointIdOf(stored(program.project, host, "kept"));

    bench.emulator.admin.clearLog();
    const refused = await both(true).destroy({ expectFailure: true });
    expect(refused.failure).toMatch(/safe.*protect/s);
    // A replacement would delete it as well.
    const replaced = program.is({
      safe: { args: { projectId, branchId: branches[0], type: "read_only" }, options: { protect: true } },
    });
    expect((await replaced.preview({ expectFailure: true })).failure).toMatch(/protect/);
    expect(changesCalled(bench)).toEqual([]);
    expect(endpointsOn(bench, branches[0] ?? "")).toHaveLength(1);

    // What was kept is in no state any more, and can be taken up again.
    expect(storedNames(program.project, host)).toEqual(["safe"]);
    const early = await both(false).preview({ expectFailure: true });
    expect(early.failure).toContain("what nobody has, as after retainOnDelete, the first command takes up");
    expect(early.failure?.match(/run: (.*)/)?.[1]).toBe("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    await both(false).up({ env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } });
    expect(endpointIdOf(stored(program.project, host, "kept"))).toBe(kept);
    bench.emulator.admin.clearLog();
    expect((await both(false).destroy()).changes).toMatchObject({ delete: 2 });
    expect(changesCalled(bench)).toEqual(["DELETE endpoints.delete"]);
    expect(endpointsOn(bench, branches[0] ?? "")).toEqual([]);
    expect(endpointsOn(bench, branches[1] ?? "")).toMatchObject([{ id: kept }]);
  });
});
