import { expect, it } from "vitest";
import { pluginHost } from "../support/hosts";
import { stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const MEGABYTE = 1024 * 1024;
const bench = useBench({ bodyLimitBytes: 16 * MEGABYTE });

it("settings of 5 MB reach the platform, and the engine keeps them with the state of a failed create", async () => {
  const branchId = bench.branch();
  const { admin } = bench.emulator;
  const fault = admin.addFault({ on: "operation", branchId, effect: { kind: "fail", error: "no room" } });
  const program = await bench.program(pluginHost);
  const pgSettings = { "my.text": "x".repeat(5 * MEGABYTE) };
  const stack = program.is({ main: { args: { projectId: bench.projectId, branchId, pgSettings } } });
  const failed = await stack.up({ expectFailure: true });
  expect(failed.failure).toMatch(/no room/);
  const [made] = endpointsOn(bench, branchId);
  expect(stored(program.project, pluginHost, "main").id).toBe(`${bench.projectId}/${made?.id}`);
  admin.removeFault(fault);
  expect((await stack.up()).changes).toMatchObject({ update: 1, create: 0 });
  expect(endpointsOn(bench, branchId)).toHaveLength(1);
});
