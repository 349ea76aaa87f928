import { join } from "node:path";
import { expect, it } from "vitest";
import { pluginHost } from "../engine/support/hosts";
import { endpointsOn, useBench } from "../engine/support/platform";
import { openRunner, scriptOf } from "./support/runner";

const bench = useBench();

it("the drift workflow tells what somebody has changed by hand, on the real engine", async () => {
  const branchId = bench.branch();
  const { project, is } = await bench.program(pluginHost);
  const args = { projectId: bench.projectId, branchId, sizeCu: 2, suspendTimeoutSeconds: 600 };
  await is({ main: { args } }).up();
  const night = async () => {
    const runner = openRunner({
      folder: project.folders.program,
      pulumi: `exec ${join(project.folders.bin, "pulumi")} "$@"`,
    });
    for (const step of ["compare", "review", "report"]) {
      const script = scriptOf("pipeline/.github/workflows/drift.yml", step);
      expect(await runner.run(script, { ...project.env, STACK: "dev" })).toBe(0);
    }
    return {
      issue: runner.file("calls.txt").match(/gh issue (?:create|edit|close).*/)?.[0],
      text: runner.file("drift.md"),
    };
  };
  expect((await night()).issue).toBeUndefined();

  const [{ id = "" } = {}] = endpointsOn(bench, branchId);
  bench.emulator.admin.changeEndpoint(id, {
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 0.5,
    suspend_timeout_seconds: -1,
  });
  const { issue, text } = await night();
  expect(issue).toBe(
    "gh issue create --title Drift: 1 endpoint changes: 1 restarts (connections drop) --label endpoint-drift --body-file drift.md",
  );
  // From what is there to what the program says.
  expect(text).toContain("| 0.5 CU → 2 CU | 225 → 901 |");
  expect(text).toContain("| `suspendTimeoutSeconds` | `never` | `after 600 s` |");
  expect(endpointsOn(bench, branchId)).toMatchObject([{ autoscaling_limit_max_cu: 0.5 }]);
});
