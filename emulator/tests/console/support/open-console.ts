/** The console in a real browser. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { launchChromium } from "../../../../tools/browser/chromium.mjs";

/** The page in a tab of its own, and what it has complained about. */
export interface OpenedPage {
  page: Page;
  /** What the browser wrote as an error so far; taking them says that they were expected. */
  takeErrors(): string[];
}

/**
 * Gives a file's tests one browser. Returns a function that opens a tab at an address; an error left in a tab fails its
 * test.
 */
export function useBrowser(): (url: string, options?: BrowserContextOptions) => Promise<OpenedPage> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  return async (url, options = {}) => {
    if (!browser) throw new Error("the browser did not start");
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(errors).toEqual([]);
    });
    await page.goto(url);
    return { page, takeErrors: () => errors.splice(0) };
  };
}

/** The row of an endpoint, or of a branch that has none, by its id. */
export function row(page: Page, id: string) {
  return page.locator(`#endpoint-rows > [data-key="${id}"]`);
}

/** Waits until the row's text matches. */
export async function shows(page: Page, id: string, text: RegExp): Promise<void> {
  await row(page, id).filter({ hasText: text }).waitFor();
}
