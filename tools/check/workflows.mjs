/**
 * Checks the workflows and the action, of this repository and its examples, with actionlint, which is built once into
 * the user's cache folder.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { buildId, buildWithGo } from "../go-build.mjs";
import { root, userCache } from "../root.mjs";

const tool = "github.com/rhysd/actionlint/cmd/actionlint";
const moduleFolder = join(root, "tools", "actionlint");

/** @returns {Promise<string[]>} what is wrong, a line each, such as no Go to build the checker */
export async function checkWorkflows() {
  const name = `actionlint-${buildId(moduleFolder)}${process.platform === "win32" ? ".exe" : ""}`;
  const checker = join(userCache(), "actionlint", name);
  try {
    if (!existsSync(checker)) await build(checker);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    return [`actionlint, which checks the workflows, needs Go 1.26 or newer: ${reason}`];
  }
  // Tools on this machine must not affect the result.
  const options = ["-oneline", "-shellcheck=", "-pyflakes="];
  return [
    ...runChecker(checker, [...options, ...workflows()]),
    ...runChecker(checker, [...options, "-stdin-filename", "action.yml", "-"], actionAsWorkflow()),
  ];
}

/** The action's steps as a workflow, since actionlint checks only these. */
function actionAsWorkflow() {
  const { inputs, outputs, runs } = parse(readFileSync(join(root, "action.yml"), "utf8"));
  const typed = Object.entries(inputs).map(([name, { default: _, ...input }]) => [name, { ...input, type: "string" }]);
  const told = Object.entries(outputs).map(([name, { value }]) => [name, value]);
  const job = { "runs-on": "ubuntu-latest", outputs: Object.fromEntries(told), steps: runs.steps };
  return stringify({
    name: "action",
    on: { workflow_call: { inputs: Object.fromEntries(typed) } },
    jobs: { action: job },
  });
}

/**
 * @param {string} checker
 * @param {string[]} args
 * @param {string} [input] what it reads
 * @returns {string[]} what it wrote; where it ended otherwise than well and wrote nothing, that
 */
export function runChecker(checker, args, input) {
  const { status, signal, stdout, stderr, error } = spawnSync(checker, args, { cwd: root, encoding: "utf8", input });
  const lines = `${stdout ?? ""}${stderr ?? ""}`.split("\n").filter(Boolean);
  if (status === 0 || lines.length > 0) return lines;
  return [`actionlint, which checks the workflows, failed: ${error?.message ?? signal ?? `exit code ${status}`}`];
}

function workflows() {
  const folders = [".", ...readdirSync(join(root, "examples")).map((name) => join("examples", name))]
    .map((folder) => join(folder, ".github", "workflows"))
    .filter((folder) => existsSync(join(root, folder)));
  return folders.flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file)));
}

/**
 * Takes half a minute, once for all clones.
 *
 * @param {string} to
 */
async function build(to) {
  const log = (/** @type {string} */ line) => console.error(`check: ${line}`);
  log("building actionlint, once for all clones");
  await buildWithGo({ moduleFolder, packages: [tool], to, log });
}
