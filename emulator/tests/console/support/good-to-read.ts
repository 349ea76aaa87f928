/** What holds for every page, in each of its looks. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Fails if the page scrolls sideways, lacks its background or breaks axe's rules at these sizes, light and dark. Uses
 * one tab, as a reader would and as opening one is slow. The page needs `bypassCSP`.
 */
export async function expectGoodToRead(
  page: Page,
  sizes: readonly (readonly [width: number, height: number])[],
  background: { light: string; dark: string },
): Promise<void> {
  await page.evaluate(axe);
  for (const [width, height] of sizes) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const at = `${width} pixels, ${colorScheme}`;
      expect(await page.evaluate("document.documentElement.scrollWidth"), at).toBe(width);
      expect(await page.evaluate("getComputedStyle(document.body).backgroundColor"), at).toBe(background[colorScheme]);
      const { violations, passes } = await page.evaluate<AxeResults>("axe.run()");
      const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
      expect(found, at).toEqual([]);
      const ids = passes.map(({ id }) => id);
      expect(ids, at).toContain("color-contrast");
    }
  }
}
