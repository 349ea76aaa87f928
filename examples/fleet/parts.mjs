import { createHash } from "node:crypto";

/**
 * @typedef {import("pulumi-pgcompute").EndpointArgs} Args
 * @typedef {Record<string, Omit<Args, "branchId"> & { branch?: string, branchId?: string }>} Fleet endpoints by name
 */

/**
 * The names of the stacks that a fleet is split over. The number is in the name, since it stays what it was at first.
 *
 * @param {number} count
 */
export function stackNames(count) {
  return Array.from({ length: count }, (_, at) => `part-${at + 1}-of-${count}`);
}

/**
 * The part of a fleet that belongs to a stack. A hash of its name says where an endpoint goes, so that each stays in its
 * stack whoever comes and goes.
 *
 * @param {Fleet} fleet
 * @param {string} stackName
 * @returns {Fleet}
 */
export function partOf(fleet, stackName) {
  const [, number, count] = /^part-(\d+)-of-(\d+)$/.exec(stackName) ?? [];
  if (!count) throw new Error(`stack ${stackName} is no part of a fleet: name it as part-1-of-4`);
  const belongs = (/** @type {string} */ name) =>
    createHash("sha256").update(name).digest().readUInt32BE() % Number(count) === Number(number) - 1;
  return Object.fromEntries(Object.entries(fleet).filter(([name]) => belongs(name)));
}
