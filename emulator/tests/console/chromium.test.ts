import { expect, it, onTestFinished, vi } from "vitest";
import { chromiumPath } from "../../../tools/browser/chromium.mjs";

it("the browser is the one that CHROMIUM_PATH names, and no other where that is not there", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("CHROMIUM_PATH", process.execPath);
  expect(chromiumPath()).toBe(process.execPath);
  vi.stubEnv("CHROMIUM_PATH", "/nowhere/chrome");
  expect(chromiumPath).toThrow("CHROMIUM_PATH names /nowhere/chrome, which cannot be run");
});
