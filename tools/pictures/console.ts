import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Emulator } from "../../emulator";
import { openStack } from "../engine/stack";
import { openDay } from "./console-scene";

const STEP_MS = 250;

/** Takes the console's picture while the real engine resizes one endpoint and creates another. */
export async function takeConsole(browser: Browser, folder: string): Promise<void> {
  const emulator = await openDay();
  try {
    const engine = await openStack(emulator);
    try {
      const { admin, projectId, branchId } = emulator;
      const preview = admin.seedBranch(projectId, { id: "br-preview-pr-214", name: "preview/pr-214" }).id;
      engine.declare({
        primary: { projectId, branchId, adoptExisting: true, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 7 },
        preview: { projectId, branchId: preview, autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 1 },
      });
      const run = engine.pulumi("up", "--yes", "--skip-preview");
      await Promise.all([
        run,
        takeWorking(browser, emulator, join(folder, "console.png")).then(() => letWork(emulator, run)),
      ]);
    } finally {
      engine.close();
    }
  } finally {
    await emulator.close();
  }
}

/** Takes the picture of the moment when both endpoints change and an idle one wakes. */
async function takeWorking(browser: Browser, { consoleUrl, endpointId, admin }: Emulator, path: string): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: 1.2,
    reducedMotion: "reduce",
  });
  await page.goto(consoleUrl);
  await page.getByText("4 under way", { exact: true }).waitFor({ timeout: 120_000 });
  admin.connect({ endpointId, connections: 3 });
  admin.connect({ endpointId: "ep-still-lake-2077", connections: 1 });
  admin.advance(1_600);
  await page.getByText("5 under way", { exact: true }).waitFor();
  await page.getByText("1.6 s", { exact: true }).first().waitFor();
  await page.screenshot({ path });
  await page.close();
}

/** Advances the emulator's clock until the run ends. */
async function letWork({ admin }: Emulator, run: Promise<unknown>): Promise<void> {
  const timer = setInterval(() => admin.advance(STEP_MS), STEP_MS);
  await run.finally(() => clearInterval(timer));
}
