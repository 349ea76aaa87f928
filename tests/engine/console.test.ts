import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useBrowser } from "../../emulator/tests/console/support/open-console";
import { pluginHost } from "./support/hosts";
import { endpointsOn, useBench } from "./support/platform";

// The clock stands still until the test lets time pass: whatever is under way can be looked at for as long as it takes.
const OPERATION_MS = 1_000;
const bench = useBench({ clock: "manual", operationMs: OPERATION_MS });
const open = useBrowser();

/** Longer than any run takes until it begins to work; what the page waits for otherwise is there within a look. */
const RUN_MS = 200_000;

/** Waits until the only row of a branch reads like this. */
async function reads(page: Page, branchId: string, text: RegExp): Promise<void> {
  await page
    .locator("#endpoint-rows > tr", { hasText: branchId })
    .filter({ hasText: text })
    .waitFor({ timeout: RUN_MS });
}

/** The newest operations as they are read: action and status. */
async function operations(page: Page, count: number): Promise<string[]> {
  const rows = (await page.locator("#operation-rows > tr").all()).slice(0, count);
  const cell = (name: string) => rows.map((row) => row.locator(`[data-cell="${name}"]`).innerText());
  const [actions, statuses] = [await Promise.all(cell("action")), await Promise.all(cell("status"))];
  return actions.map((action, index) => `${action} ${statuses[index]}`);
}

// By one host: the page shows what the platform has, whoever asked for it.
it("a person watches `pulumi up` work in the console", async () => {
  const { emulator, projectId } = bench;
  const branchId = bench.branch();
  const program = await bench.program(pluginHost);
  const sized = (autoscalingLimitMinCu: number) =>
    program.is({ main: { args: { projectId, branchId, autoscalingLimitMinCu, autoscalingLimitMaxCu: 4 } } });
  const { page } = await open(emulator.consoleUrl);
  await reads(page, branchId, /No endpoint/);

  const creating = sized(2).up();
  await reads(page, branchId, /Init\s+starting.*2 – 4 CU.*0 of 901/s);
  expect(await operations(page, 1)).toEqual(["start_compute scheduling"]);
  emulator.admin.advance(OPERATION_MS / 2);
  await page.locator("#operation-rows > tr").first().filter({ hasText: "running" }).waitFor();
  emulator.admin.advance(OPERATION_MS);
  await reads(page, branchId, /Active(?!.*starting)/s);
  expect((await creating).changes).toMatchObject({ create: 1 });

  const [{ id: endpointId = "" } = {}] = endpointsOn(bench, branchId);
  emulator.admin.connect({ endpointId, connections: 5 });
  await reads(page, branchId, /5 of 901/);
  const resizing = sized(0.5).up();
  await reads(page, branchId, /pulumi-main-.*Active\s+restarting.*0.5 – 4 CU.*0 of 901\s+5 dropped/s);
  await page.getByText("3 under way", { exact: true }).waitFor();
  expect((await operations(page, 3)).map((one) => one.split(" ")[0])).toEqual([
    "start_compute",
    "suspend_compute",
    "apply_config",
  ]);
  emulator.admin.advance(3 * OPERATION_MS);
  await page.getByText("None under way", { exact: true }).waitFor();
  await reads(page, branchId, /0 of 225/);
  expect((await resizing).changes).toMatchObject({ update: 1 });

  const destroying = sized(0.5).destroy();
  await reads(page, branchId, /No endpoint/);
  emulator.admin.advance(OPERATION_MS);
  expect((await destroying).changes).toMatchObject({ delete: 1 });
});
