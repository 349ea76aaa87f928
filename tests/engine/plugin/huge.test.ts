import { expect, it } from "vitest";
import { pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";

const MEGABYTE = 1024 * 1024;
const bench = useBench({ bodyLimitBytes: 16 * MEGABYTE });

it("settings of 5 MB reach the platform, and the engine keeps them with the state of a failed create", async () => {
  const branchId = bench.branch();
  const { admin } = bench.emulator;
  admin.addFault({ on: "operation", branchId, effect: { kind: "fail", error: "no room" } });
  const program = bench.program(pluginHost);
  const pgSettings = { "my.text": "x".repeat(5 * MEGABYTE) };
  const main = { args: { projectId: bench.projectId, branchId, pgSettings } };
  const failed = await program.is({ main }).up({ expectFailure: true });
  expect(failed.failure).toMatch(/no room/);
  const [made] = bench.on(branchId);
  const { id, inputs } = program.stored("main");
  expect(id).toBe(`${bench.projectId}/${made?.id}`);
  expect(inputs?.pgSettings).toEqual(pgSettings);
});
