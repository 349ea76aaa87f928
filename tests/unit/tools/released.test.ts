/** What follows from whether a release exists. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { releasedVersion } from "../../../tools/release/plan.mjs";
import { root } from "../../../tools/root.mjs";

const names = {
  registry: /"pulumi-pgcompute": "\^1\.2\.3"/,
  server: /--server github:/,
  tag: /#(?:emulator-)?v1\.2\.3/,
};
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe.each([false, true])("with a release: %s", (released) => {
  beforeEach(() => {
    vi.resetModules();
    vi.doMock("../../../tools/release/released.mjs", () => ({ released }));
    return () => vi.doUnmock("../../../tools/release/released.mjs");
  });

  it("README has a way in first that works", async () => {
    const { readme, emulatorReadme } = await import("../../../tools/generate/readme");
    const text = readme(read("README.md"), "1.2.3");
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings[0]).toBe(released ? "Use it" : "From a clone");
    expect(/^\*\*Nothing is released yet/m.test(text)).toBe(!released);
    expect(names.tag.test(emulatorReadme(read("emulator/README.md"), "1.2.3").split("**As a command**")[0] ?? "")).toBe(
      released,
    );
    // The text is its own input.
    expect(readme(text, "1.2.3")).toBe(text);
  });

  it("templates name a version of a registry, and where a plugin is fetched from", async () => {
    const { templates } = await import("../../../tools/generate/templates");
    const all = Object.values(templates("1.2.3")).map((text) => text());
    expect([names.registry, names.server].map((name) => all.some((text) => name.test(text)))).toEqual([
      released,
      released,
    ]);
    const lines = all.flatMap((text) => text.match(/quickstart: .*/g) ?? []);
    expect(lines.filter((line) => line.includes("PATH-TO/pulumi-pgcompute"))).toHaveLength(released ? 0 : 4);
  });
});

it.each([
  ["## [Unreleased]\n\nTo become 0.1.0.\n", undefined],
  ["## [Unreleased]\n\n## [0.2.0] - 2026-02-28\n\n## [0.1.0] - 2026-01-31\n", "0.2.0"],
])("a release is what the changelog dates", (changelog, version) => {
  expect(releasedVersion(changelog)).toBe(version);
});
