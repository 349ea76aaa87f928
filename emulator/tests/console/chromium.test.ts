import { accessSync, constants } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { chromiumPath } from "../../../tools/browser/chromium.mjs";

function name(path: string) {
  vi.stubEnv("CHROMIUM_PATH", path);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("the search for a browser", () => {
  it("finds or installs one that can be run", { timeout: 600_000 }, () => {
    name("");
    expect(() => accessSync(chromiumPath(), constants.X_OK)).not.toThrow();
  });

  it("takes the one that CHROMIUM_PATH names", () => {
    name(process.execPath);
    expect(chromiumPath()).toBe(process.execPath);
  });

  it("does not fall back from one that is not there", () => {
    name("/nowhere/chrome");
    expect(chromiumPath).toThrow("CHROMIUM_PATH names /nowhere/chrome, which cannot be run");
  });
});
