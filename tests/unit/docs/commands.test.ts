import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin, name } from "../../../package.json";
import { root } from "../../../tools/root.mjs";

const parts = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "examples", "emulator", "cli", "provider"];
const read = (file: string) => readFileSync(join(root, file), "utf8");
const files = parts.flatMap((part) => (/\.\w+$/.test(part) ? [part] : textsUnder(part)));

/** Every `npx` that is to run a command of this package, with what stands between the two. */
function runsOf(text: string): string[] {
  return [...text.matchAll(/\bnpx\b[^`\n|&;]*?\bpgcompute(?:-emulator)?\b(?![-@])/g)].map(([run]) => run);
}

describe("npx, which fetches whatever has a name in the registry", () => {
  it.each(files)("is told not to, or is given the package: %s", (file) => {
    const named = /^(?:provider|cli)/.test(file) ? "-p " : `|${name}`;
    const own = new RegExp(`^npx (?:--no-install pgcompute|${named})`);
    const isGood = (run: string) =>
      run.endsWith("-emulator") ? run === "npx --no-install pgcompute-emulator" : own.test(run);
    expect(runsOf(read(file)).filter((run) => !isGood(run))).toEqual([]);
  });

  it("is found", () => {
    expect(files.flatMap((file) => runsOf(read(file))).length).toBeGreaterThan(10);
  });

  // Among several commands of a package, npx runs the one with the package's name.
  it("runs this package's command by the package's name", () => {
    expect(bin).toMatchObject({ [name]: bin.pgcompute });
  });
});

const bare = /(?<!pulumi-)\bpgcompute (?:branches|endpoints|init|operations|projects|review|state)\b/;

it("a message of the provider names no command that its reader may not have on the path", () => {
  expect("run: npx --no-install pgcompute projects").toMatch(bare);
  expect(files.filter((file) => file.startsWith("provider") && bare.test(read(file)))).toEqual([]);
});

function textsUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:md|ts|mjs|ya?ml|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !/node_modules|^emulator\/dist\//.test(file));
}
