import { createHash } from "node:crypto";

/**
 * @typedef {import("pulumi-pgcompute").FleetMember} Member
 * @typedef {Omit<Member, "branchId"> & { branch?: string, branchId?: string, group?: string }} Entry
 * @typedef {Record<string, Entry>} Entries endpoints by name
 */

/**
 * The names of the stacks that the endpoints are split over. Their number is in each name, since it never changes. @param {number} count
 */
export function stackNames(count) {
  return Array.from({ length: count }, (_, at) => `part-${at + 1}-of-${count}`);
}

/**
 * The endpoints that belong to a stack. A hash says where one goes, so that each stays in its stack whoever comes and goes: of its
 * `group`, or else of its project and branch as it is written, so that a primary and its replicas come to the same stack. Throws for
 * one with two texts for its branch.
 *
 * @param {Entries} entries
 * @param {string} stackName
 * @returns {Entries}
 */
export function partOf(entries, stackName) {
  const [, number, count] = /^part-(\d+)-of-(\d+)$/.exec(stackName) ?? [];
  if (!count) throw new Error(`stack ${stackName} is no part of a fleet: name it as part-1-of-4`);
  const belongs = (/** @type {string} */ group) =>
    createHash("sha256").update(group).digest().readUInt32BE() % Number(count) === Number(number) - 1;
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
