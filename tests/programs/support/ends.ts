/** Checks a run's result: as in the program with one owner each, a way on for every failure, no endpoint lost. */
import { isDeepStrictEqual } from "node:util";
import { isFleet, resourceOf } from "../../engine-model/names";
import type { Row } from "../../engine-model/process";
import { type Failed, ImportError, type Program, type Run, type Values } from "../../engine-model/words";
import type { Printed } from "../../support/printed";
import type { Picture } from "./contained";
import { wishes } from "./holdings";
import { printedBy, textOf } from "./refusals";
import type { World } from "./world";

/** Whether a message says that what is protected would be deleted. */
export function isProtected(text: string): boolean {
  return text.includes("it is protected, and this plan would have it deleted");
}

/** The engine's own refusal, in an up alone, of a replacement while the program still imports the resource. */
export function isImportedBefore({ message }: Error): boolean {
  return message === "previously-imported resources that still specify an ID may not be replaced";
}

/** Throws for a failure of an up that neither its order nor a conflict explains, or for a refusal after a request. */
export function holdFailure(
  world: World,
  failed: Failed,
  { isForeseen, rows }: { isForeseen: boolean; rows: readonly Row[] },
): void {
  const { name, verb, error, sent } = failed;
  if (isImportedBefore(error)) return;
  const [printed] = printedBy(failed, rows);
  const isMeddled = world.touched.size > 0;
  if (
    !printed &&
    isMeddled &&
    (/answered (404|409)|no longer exists/.test(textOf(error)) || error instanceof ImportError)
  )
    return;
  if (!printed) throw new Error(`up fails at ${verb} of ${name}: ${error.message}`, { cause: error });
  // The engine deletes a whole fleet without asking, and the dynamic host takes it for the fleet that now has its first
  // name.
  const isUnasked = isProtected(printed.what) || (world.host === "dynamic" && /may go at a time/.test(printed.what));
  if (isFleet(name) && !world.program.has(name) && isUnasked) return;
  // What the platform itself refuses has changed nothing.
  if (sent > 0 && !/answered 409/.test(textOf(error)))
    throw new Error(`${name} was refused after a request: ${error.message}`);
  if (world.isSerial && isOutOfOrder(printed)) return;
  if (isAfterReplica(world, name, printed)) return;
  if (isForeseen && !isMeddled) throw new Error(`preview passes and up refuses ${name}: ${error.message}`);
}

const NOT_EMPTY = /^(.*: )?branch \S+ has (.*), and a read-write endpoint moves only to a branch without endpoints/;

/** True for a pair whose replica's step holds the only worker, so that its primary's cannot begin. */
function isOutOfOrder({ what }: Printed): boolean {
  return NOT_EMPTY.test(what) || /nothing was sent for this one$/.test(what);
}

/** True for a primary that the program has wait for a replica on the branch that it moves to, and for that replica. */
function isAfterReplica(world: World, name: string, { what }: Printed): boolean {
  const [, branchId] = /no read-write endpoint of branch (\S+) is known in this run/.exec(what) ?? [];
  const isPrimary = (wish: Values) => wish.branchId === branchId && wish.type === "read_write";
  if ([...wishes(world.program)].some(([one, wish]) => isPrimary(wish) && world.waits(one, name))) return true;
  const [, , there = ""] = NOT_EMPTY.exec(what) ?? [];
  return world.holdings().some((one) => there.includes(one.id) && world.waits(name, one.name));
}

/** Throws where an up that ended well has not made all as the program says. */
export function holdEnd(world: World, { program, hidden }: { program: Program; hidden: ReadonlySet<string> }): void {
  const endpoints = new Map(world.endpoints().map((one) => [one.id, one]));
  const held = world.holdings();
  const wanted = new Map([...wishes(program)].filter(([name]) => !hidden.has(resourceOf(name))));
  for (const [name, { type, branchId, sizeCu, preloadLibraries }] of wanted) {
    const id = held.find((one) => one.name === name && !one.isLeftover)?.id ?? "";
    if (world.meddled.has(id)) continue;
    const endpoint = endpoints.get(id);
    if (!endpoint) throw new Error(`${name} has ${id}, which does not exist`);
    const real = `${endpoint.type} on ${endpoint.branch_id}`;
    if (real !== `${type} on ${branchId}`) throw new Error(`${name} is ${real}`);
    const loads = endpoint.settings?.preload_libraries?.enabled_libraries;
    if (preloadLibraries !== undefined && !isDeepStrictEqual(loads, preloadLibraries))
      throw new Error(`${name} loads ${loads}, not ${preloadLibraries}`);
    if (sizeCu !== undefined && endpoint.autoscaling_limit_max_cu !== sizeCu)
      throw new Error(`${name} has ${endpoint.autoscaling_limit_max_cu} CU, not ${sizeCu}`);
  }
  if (hidden.size === 0 && held.length > wanted.size) throw new Error("the state has what the program has not");
}

/**
 * Throws where two resources that the run was shown have one endpoint, which had only one owner before, or none. Where
 * the preview could not know it, the second must have said that both have it: the first had it before they met.
 */
export function holdOwners(
  world: World,
  before: Picture,
  { hidden, failed, isForeseen }: { hidden: ReadonlySet<string>; failed: readonly Failed[]; isForeseen: boolean },
): void {
  const owners = new Map<string, string>();
  const countOf = (id: string) => before.held.filter((one) => one.id === id && !one.isLeftover).length;
  const mayMeetLate = !isForeseen || world.touched.size > 0;
  const said = failed.map(({ error }) => textOf(error)).join("\n");
  const isTold = (id: string) => new RegExp(`both have endpoint \\S+/${id} `).test(said);
  for (const { name, id, isLeftover } of world.holdings()) {
    if (isLeftover || hidden.has(resourceOf(name))) continue;
    const other = owners.get(id);
    const isNew = other !== undefined && countOf(id) < 2;
    if (isNew && !(mayMeetLate && isTold(id))) throw new Error(`${name} and ${other} both have ${id}`);
    owners.set(id, name);
  }
}

/** The endpoints that neither the state has nor anything that was said names. */
export function unnamedAmong(world: World, run: Pick<Run, "failed"> | undefined, rows: readonly Row[]): string[] {
  const texts = [
    ...rows.flatMap(({ level, message }) => (level === "status" ? [] : message)),
    ...(run?.failed ?? []).map(({ error }) => textOf(error)),
  ];
  const known = texts.join("\n");
  const held = new Set(world.holdings().map(({ id }) => id));
  return world.endpoints().flatMap(({ id, name }) => {
    const isNamed = known.includes(id) || (name !== undefined && known.includes(name));
    return held.has(id) || world.free.has(id) || isNamed ? [] : [id];
  });
}
