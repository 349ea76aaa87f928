import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseStackExport } from "../../cli/state/stack-export";
import { endpoint, exportOf, FLEET, named } from "../unit/cli/support/states";
import { runAlone } from "./support/open-shell";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pgcompute-state-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = JSON.stringify(exportOf(endpoint("a")));

it("an exported state is read as a terminal or PowerShell wrote it", async () => {
  const file = join(folder, "old.json");
  for (const written of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, "utf16le")]) {
    writeFileSync(file, written);
    const { code, out } = await runAlone(["state", "gather", "previews", "a", "--state", file]);
    expect(code).toBe(0);
    expect(named(parseStackExport(out), "previews", FLEET)).toBeDefined();
  }
});

it("a new state is for its owner alone, whoever could read the file that was there", async () => {
  const [made, there] = [join(folder, "made.json"), join(folder, "there.json")];
  writeFileSync(there, "longer than what is written".repeat(1_000));
  chmodSync(there, 0o644);
  for (const file of [made, there]) {
    const { code } = await runAlone(["state", "gather", "previews", "a", "--out", file], { input: text });
    expect({ code, mode: statSync(file).mode & 0o777 }).toEqual({ code: 0, mode: 0o600 });
    expect(named(parseStackExport(readFileSync(file, "utf8")), "previews", FLEET)).toBeDefined();
  }
});

it.each([
  ["a file that is not there", ["--state", "/nowhere/old.json"], {}, 1, /cannot read the state: ENOENT/],
  ["a terminal", [], { terminal: true }, 2, /give --state FILE, or pipe `pulumi stack export` into this/],
  [
    "a place to write that is none",
    ["--out", "/nowhere/new.json"],
    { input: text },
    1,
    /cannot write the state: ENOENT/,
  ],
])("refuses %s", async (_, args, options, code, reason) => {
  const ended = await runAlone(["state", "gather", "previews", "a", ...args], options);
  expect(ended).toMatchObject({ code, out: "" });
  expect(ended.err).toMatch(reason);
});
