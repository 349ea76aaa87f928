/** `make pictures`: takes every picture of `docs/pictures`, of the real engine's work in a real browser. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launchChromium } from "../browser/chromium.mjs";
import { root } from "../root.mjs";
import { takeConsole } from "./console";
import { takeReview } from "./review";

async function main(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await launchChromium();
  try {
    await takeConsole(browser, folder);
    await takeReview(browser, folder);
  } finally {
    await browser.close();
  }
}

main(join(root, "docs", "pictures"));
