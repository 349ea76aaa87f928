import { expect, it } from "vitest";
import { pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

it("only what is targeted changes, and nothing that ignoreChanges names", async () => {
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
