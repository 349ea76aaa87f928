/** Enables the commit hook in tools/hooks, unless the user has hooks, or in CI. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isScript, root } from "./root.mjs";

const ours = "tools/hooks";

/** Sets git's `core.hooksPath` for this clone. Safe to run again. */
export function enableHooks() {
  if (process.env.CI || !existsSync(join(root, ".git"))) return;
  const git = (/** @type {string[]} */ ...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" });
  const present = git("config", "core.hooksPath").stdout?.trim() ?? "";
  if (present === ours) return;
  if (present) return console.error(`hooks: core.hooksPath is ${present} already, so it stays`);
  git("config", "core.hooksPath", ours);
  console.error(`hooks: commits format and lint what is staged (${ours}/pre-commit)`);
}

if (isScript(import.meta.url)) enableHooks();
