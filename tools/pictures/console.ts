/** `node tools/run.mjs tools/pictures/console.ts` takes the picture of the emulator's console anew. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launchChromium } from "../browser/chromium.mjs";
import { root } from "../root.mjs";
import { openScene } from "./console-scene";

const folder = join(root, "docs", "pictures");
const emulator = await openScene();
try {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 1000 },
      deviceScaleFactor: 1.5,
      reducedMotion: "reduce",
    });
    await page.goto(emulator.consoleUrl);
    await page.getByText("Live", { exact: true }).waitFor();
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, "console.png") });
  } finally {
    await browser.close();
  }
} finally {
  await emulator.close();
}
