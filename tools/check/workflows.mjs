/** The workflows, of this repository and of the examples, against what GitHub takes: by actionlint, which is built once into the user's cache folder. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSettings } from "../engine/go-build.mjs";
import { root, userCache } from "../root.mjs";

const tool = "github.com/rhysd/actionlint/cmd/actionlint";
const moduleFolder = join(root, "tools", "actionlint");

/** @returns {string[]} what is wrong, a line each; that there is no Go to build the checker with is wrong, too */
export function checkWorkflows() {
  const files = workflows();
  const built = builtChecker();
  if (built.reason !== undefined) return [built.reason];
  // What else is installed on the machine must not decide what is right.
  const { stdout, stderr } = spawnSync(built.file, ["-oneline", "-shellcheck=", "-pyflakes=", ...files], {
    cwd: root,
    encoding: "utf8",
  });
  return `${stdout}${stderr}`.split("\n").filter(Boolean);
}

function workflows() {
  const folders = [".", ...readdirSync(join(root, "examples")).map((name) => join("examples", name))]
    .map((folder) => join(folder, ".github", "workflows"))
    .filter((folder) => existsSync(join(root, folder)));
  return folders.flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file)));
}

/**
 * The checker, built where it is not there yet: half a minute, once for all clones.
 *
 * @returns {{ file: string, reason?: undefined } | { reason: string }}
 */
function builtChecker() {
  const hash = createHash("sha256").update(JSON.stringify(buildSettings));
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(moduleFolder, file)));
  const name = `actionlint-${process.arch}-${hash.digest("hex").slice(0, 12)}${process.platform === "win32" ? ".exe" : ""}`;
  const file = join(userCache(), "actionlint", name);
  if (existsSync(file)) return { file };
  console.error("check: building actionlint, once for all clones");
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.partial`;
  const { status, stderr, error } = spawnSync("go", ["build", ...buildSettings.flags, "-o", partial, tool], {
    cwd: moduleFolder,
    env: { ...process.env, ...buildSettings.env },
    encoding: "utf8",
  });
  if (status !== 0)
    return { reason: `actionlint, which checks the workflows, needs Go 1.26 or newer: ${error?.message ?? stderr}` };
  renameSync(partial, file);
  return { file };
}
