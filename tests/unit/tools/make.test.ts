/** What `make` says where something is not installed. */
import { spawnSync } from "node:child_process";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findProgram } from "../../../tools/find-program.mjs";
import { root } from "../../../tools/root.mjs";
import { temporaryFolder } from "../../support/temporary-folder";

const real = (name: string) => findProgram([name]) ?? "";
const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } })';

/** Runs `make demo` where nothing is installed but what make itself needs, and these. */
function demo(programs: Record<string, string>) {
  const folder = temporaryFolder();
  for (const name of ["bash", "find"]) symlinkSync(real(name), join(folder, name));
  writeFileSync(join(folder, "older.cjs"), older);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script.replace("OLDER", join(folder, "older.cjs"))}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const env = { PATH: folder, HOME: folder, XDG_CACHE_HOME: folder, CI: "true" };
  const { status, stdout, stderr } = spawnSync(real("make"), ["demo"], { cwd: root, env, encoding: "utf8" });
  return { status, text: stdout + stderr };
}

const node = `exec '${process.execPath}' "$@"`;

it.each([
  ["no node", {}, "This project needs Node 20.19 or newer, and there is no node on PATH."],
  [
    "an older node",
    { node: `exec '${process.execPath}' --require 'OLDER' "$@"` },
    "pulumi-pgcompute needs Node 20.19.0 or newer; `node` here is 20.18.3.",
  ],
  [
    "no Pulumi and no Go",
    { node },
    /there is no recent Pulumi CLI on PATH and no Go to build one with\. Install Go 1\.\d+\S* or newer .*, or a recent Pulumi CLI/,
  ],
  [
    "an older Pulumi and an older Go",
    { node, pulumi: "echo v3.100.0", go: "echo go1.20.1" },
    /pulumi is v3\.100\.0, older than [\s\S]*this Go cannot build the engine: it is 1\.20\.1\. Install Go 1\.\d+\S* or newer/,
  ],
])("says what to install for the demo: %s", (_, programs, message) => {
  const { status, text } = demo(programs);
  expect(text).toMatch(message);
  expect(status).toBe(2);
});
