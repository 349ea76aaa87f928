/**
 * `node fleet.mjs preview|up|refresh|destroy --stacks S`: the endpoints of `fleet.json`, split over S stacks with a fleet each, of which
 * some run side by side. Adding or removing an endpoint changes one stack.
 */
import { parseArgs } from "node:util";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import program from "./index.mjs";
import { stackNames } from "./parts.mjs";

const verbs = /** @type {const} */ (["preview", "up", "refresh", "destroy"]);
const usage = `usage: node fleet.mjs ${verbs.join("|")} [--stacks S] [--at-once A] [--requests-per-second R] [--max-deletions D]`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // How many stacks the fleet is split over: the same as at the first `up`.
    stacks: { type: "string", default: "4" },
    // How many of them run at the same time: each is an engine and a provider process of its own.
    "at-once": { type: "string", default: "2" },
    // Calls a second that the account grants this fleet, shared out among the stacks that run.
    "requests-per-second": { type: "string" },
    // How many endpoints each stack may delete or replace in this run.
    "max-deletions": { type: "string" },
  },
});
const verb = verbs.find((one) => one === positionals[0]) ?? fail(usage);
const names = stackNames(count("stacks"));
const atOnce = Math.min(count("at-once"), names.length);
const maxDeletions = values["max-deletions"] === undefined ? undefined : count("max-deletions");
const share = values["requests-per-second"] === undefined ? undefined : count("requests-per-second") / atOnce;
const workDir = process.cwd();

await refuseAnotherSplit();

// Ctrl-C reaches the engines, too: they finish what is under way, and no further one starts.
let stopped = false;
process.on("SIGINT", () => {
  stopped = true;
  process.exitCode = 1;
});
const waiting = [...names];
await Promise.all(Array.from({ length: atOnce }, work));

async function work() {
  for (let name = waiting.shift(); name && !stopped; name = waiting.shift()) {
    try {
      const changes = Object.entries((await run(name)) ?? {}).map(([op, number]) => `${number} ${op}`);
      console.log(`${name}: ${changes.join(", ") || "nothing"}`);
    } catch (error) {
      // The other stacks go on; the exit code says that one failed.
      process.exitCode = 1;
      console.error(`${name}: failed\n${error instanceof Error ? error.message : error}`);
    }
  }
}

/**
 * Runs one stack and gives how many resources met which fate.
 *
 * @param {string} stackName
 */
async function run(stackName) {
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName, projectName: "fleet-over-stacks", program: () => program({ maxDeletions }) },
    { workDir },
  );
  const bound = "pgcompute:maxRequestsPerSecond";
  // The stack's file keeps it, so remove it in a run without the argument.
  await (share ? stack.setConfig(bound, { value: String(share) }) : stack.removeConfig(bound));
  if (verb === "preview") return (await stack.preview()).changeSummary;
  return (await stack[verb]()).summary.resourceChanges;
}

/** With another number of stacks, endpoints would be deleted by one and created again by another. */
async function refuseAnotherSplit() {
  const known = await (await LocalWorkspace.create({ workDir })).listStacks();
  const other = known.find(({ name, resourceCount }) => resourceCount && !names.includes(name));
  if (!other) return;
  fail(`stack ${other.name} has resources, and is none of ${names.length}: give --stacks the number of the first up`);
}

/** @param {"stacks" | "at-once" | "requests-per-second" | "max-deletions"} name */
function count(name) {
  const value = Number(values[name]);
  return Number.isInteger(value) && value > 0 ? value : fail(`--${name} takes a whole number from 1 on\n${usage}`);
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(2);
}
