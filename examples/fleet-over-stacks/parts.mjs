/** `node parts.mjs` prints the stacks, a line each; with `--json` as the matrix of a workflow. */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

/**
 * @typedef {import("pulumi-pgcompute").FleetMember} Member
 * @typedef {Omit<Member, "branchId"> & { branch?: string, branchId?: string, group?: string }} Entry
 * @typedef {Record<string, Entry>} Entries endpoints by name
 */

/** How many stacks the endpoints are split over. It never changes: another number deletes endpoints in one stack and creates them in another. */
const PARTS = 4;

/**
 * The names of the stacks, each with their number. @param {number} [count]
 */
export function stackNames(count = PARTS) {
  return Array.from({ length: count }, (_, at) => `part-${at + 1}-of-${count}`);
}

/**
 * The endpoints that belong to a stack. A hash says where one goes, so that each stays in its stack whoever comes and goes: of its
 * `group`, or else of its project and branch as it is written, so that a primary and its replicas come to the same stack. Throws for
 * one with two texts for its branch, and for a stack that is none of these.
 *
 * @param {Entries} entries
 * @param {string} stackName
 * @param {number} [count]
 * @returns {Entries}
 */
export function partOf(entries, stackName, count = PARTS) {
  const at = stackNames(count).indexOf(stackName);
  if (at < 0) throw new Error(`stack ${stackName} is no part of this fleet: node parts.mjs prints those that are`);
  const belongs = (/** @type {string} */ group) =>
    createHash("sha256").update(group).digest().readUInt32BE() % count === at;
  return Object.fromEntries(Object.entries(entries).filter(([name, entry]) => belongs(groupOf(name, entry))));
}

/**
 * @param {string} name
 * @param {Entry} entry
 */
function groupOf(name, { group, projectId, branch, branchId }) {
  if (branch !== undefined && branchId !== undefined)
    throw new Error(`fleet.json: ${name}: give branch or branchId, not both`);
  return group ?? `${projectId}/${branchId ?? branch}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = stackNames();
  console.log(process.argv[2] === "--json" ? JSON.stringify(names) : names.join("\n"));
}
