import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { openScene } from "../../tools/pictures/console-scene";
import { useBrowser } from "./support/open-console";

const open = useBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sizes = [
  [1280, 900],
  [800, 900],
  [360, 740],
] as const;

describe("the look of the console", () => {
  const cases = sizes.flatMap(([width, height]) =>
    (["light", "dark"] as const).map((colorScheme) => ({ width, height, colorScheme })),
  );

  it.each(cases)("at $width pixels, $colorScheme: no sideways scrolling, and good to read", async (one) => {
    const { width, height, colorScheme } = one;
    const emulator = await openScene();
    onTestFinished(() => emulator.close());
    const look = { viewport: { width, height }, colorScheme, reducedMotion: "reduce", bypassCSP: true } as const;
    const { page } = await open(emulator.consoleUrl, look);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
      colorScheme === "dark" ? "rgb(16, 21, 28)" : "rgb(244, 246, 249)",
    );
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate<AxeResults>("axe.run()");
    expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
    expect(passes.map(({ id }) => id)).toContain("color-contrast");
  });

  it.each([1280, 800, 360])("has every id of the usual length on one line at %i pixels", async (width) => {
    const emulator = await openScene();
    onTestFinished(() => emulator.close());
    const { admin, projectId } = emulator;
    const endpoint = { id: "ep-crisp-brook-12721087", name: "pulumi-checkout-1d59d8d1156b-37b49200" };
    admin.seedBranch(projectId, { id: "br-amber-grove-19087357", name: "feature/checkout", endpoint });
    const { page } = await open(emulator.consoleUrl, { viewport: { width, height: 740 } });
    await page.getByText(endpoint.name).waitFor();
    const heights = `[...document.querySelectorAll('[data-cell="id"], [data-cell="branch-id"]')].map((id) => id.offsetHeight)`;
    expect(Math.max(...(await page.evaluate<number[]>(heights)))).toBeLessThan(25);
  });

  it.each([1280, 1100, 800, 360])("holds the longest names at %i pixels", async (width) => {
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
    const { page } = await open(emulator.consoleUrl, { viewport: { width, height: 740 } });
    await page.locator("#operation-rows > tr", { hasText: name }).first().waitFor();
    const overflow = "document.documentElement.scrollWidth - innerWidth";
    expect(await page.evaluate(overflow)).toBe(0);
    const heights = "[...document.querySelectorAll('button')].map((button) => button.offsetHeight)";
    expect(Math.max(...(await page.evaluate<number[]>(heights)))).toBeLessThan(40); // a word in one line
    await page.getByLabel("Project").selectOption(long("p"));
    await page.getByRole("heading", { name }).waitFor();
    expect(await page.evaluate(overflow)).toBe(0);
  });
});
