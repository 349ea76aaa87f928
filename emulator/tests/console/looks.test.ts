import { describe, expect, it, onTestFinished } from "vitest";
import { openScene } from "../../../tools/pictures/console-scene";
import { expectGoodToRead } from "./support/good-to-read";
import { useBrowser } from "./support/open-console";

const open = useBrowser();
const sizes = [
  [1280, 900],
  [800, 900],
  [360, 740],
] as const;

// One tab takes all sizes of a test, as a user's does: opening one costs more than a look.
describe("the look of the console", () => {
  it("scrolls not sideways, and is good to read: at 1280, 800 and 360 pixels, light and dark", async () => {
    const emulator = await openScene();
    onTestFinished(() => emulator.close());
    const { page } = await open(emulator.consoleUrl, { reducedMotion: "reduce", bypassCSP: true });
    await page.getByText("Live", { exact: true }).waitFor();
    await expectGoodToRead(page, sizes, { light: "rgb(244, 246, 249)", dark: "rgb(16, 21, 28)" });
  });

  it("has every id of the usual length on one line", async () => {
    const emulator = await openScene();
    onTestFinished(() => emulator.close());
    const { admin, projectId } = emulator;
    const endpoint = { id: "ep-crisp-brook-12721087", name: "pulumi-checkout-1d59d8d1156b-37b49200" };
    admin.seedBranch(projectId, { id: "br-amber-grove-19087357", name: "feature/checkout", endpoint });
    const { page } = await open(emulator.consoleUrl);
    await page.getByText(endpoint.name).waitFor();
    const heights = `[...document.querySelectorAll('[data-cell="id"], [data-cell="branch-id"]')].map((id) => id.offsetHeight)`;
    for (const width of [1280, 800, 360]) {
      await page.setViewportSize({ width, height: 740 });
      expect(Math.max(...(await page.evaluate<number[]>(heights))), `${width} pixels`).toBeLessThan(25);
    }
  });

  it("holds the longest names", async () => {
    const emulator = await openScene();
    onTestFinished(() => emulator.close());
    const { admin, projectId } = emulator;
    const long = (prefix: string) => prefix.padEnd(60, "x");
    const name = "n".repeat(300);
    const endpoint = { id: long("ep-"), autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 7 };
    admin.seedBranch(projectId, { id: long("br-"), name, endpoint });
    admin.seedProject({ id: long("p"), name });
    admin.connect({ endpointId: endpoint.id, connections: 100 });
    admin.addFault({ on: "operation", effect: { kind: "fail", error: name } });
    admin.startOperation({ projectId, action: name, branchId: long("br-") });
    admin.advance(4000);
    const { page } = await open(emulator.consoleUrl);
    await page.locator("#operation-rows > tr", { hasText: name }).first().waitFor();
    const widths = [1280, 1100, 800, 360];
    const overflow = "document.documentElement.scrollWidth - innerWidth";
    const heights = "[...document.querySelectorAll('button')].map((button) => button.offsetHeight)";
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate(overflow), `${width} pixels`).toBe(0);
      expect(Math.max(...(await page.evaluate<number[]>(heights))), `${width} pixels`).toBeLessThan(40); // one line
    }
    await page.getByLabel("Project").selectOption(long("p"));
    await page.getByRole("heading", { name }).waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate(overflow), `${width} pixels`).toBe(0);
    }
  });
});
