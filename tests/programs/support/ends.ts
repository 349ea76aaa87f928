/** Checks a run's result: as in the program with one owner each, a way on for every failure, no endpoint lost. */
import { isDeepStrictEqual } from "node:util";
import type { Refusal } from "../../../provider/places/refusal";
import { isKind } from "../../../provider/platform/errors";
import { isFleet, resourceOf } from "../../engine-model/names";
import type { Row } from "../../engine-model/process";
import { type Failed, ImportError, type Program, type Run } from "../../engine-model/words";
import type { Picture } from "./contained";
import { wishes } from "./holdings";
import { refusalIn, refusalsIn, textOf } from "./refusals";
import type { World } from "./world";

/** Throws for a failure of an up that neither its order nor a conflict explains, or for a refusal after a request. */
export function holdFailure(
  world: World,
  { name, verb, error, sent }: Failed,
  { isForeseen, isSerial = false }: { isForeseen: boolean; isSerial?: boolean | undefined },
): void {
  const told = refusalIn(textOf(error));
  const isMeddled = world.touched.size > 0;
  if (!told && isMeddled && (isKind(error, "conflict", "not_found") || error instanceof ImportError)) return;
  if (!told) throw new Error(`up fails at ${verb} of ${name}: ${error.message}`, { cause: error });
  // The engine deletes a whole fleet without asking, and the dynamic host takes it for the fleet that now has its first
  // name.
  const unasked = world.host === "dynamic" ? ["delete_protected", "too_many"] : ["delete_protected"];
  if (isFleet(name) && !world.program.has(name) && unasked.includes(told.refusal.kind)) return;
  // What the platform itself refuses has changed nothing.
  if (sent > 0 && !isKind(error, "conflict")) throw new Error(`${name} was refused after a request: ${error.message}`);
  if (isSerial && isOutOfOrder(told.refusal)) return;
  if (told.refusal.kind === "not_empty" && isAfterReplica(world, name, told.refusal)) return;
  if (isForeseen && !isMeddled) throw new Error(`preview passes and up refuses ${name}: ${error.message}`);
}

/** True for a pair whose replica's step holds the only worker, so that its primary's cannot begin. */
function isOutOfOrder({ kind }: Refusal): boolean {
  return kind === "primary_missing" || kind === "not_empty";
}

/** True for a primary that the program has wait for a replica on the branch that it moves to. */
function isAfterReplica(world: World, name: string, { there }: Refusal & { kind: "not_empty" }): boolean {
  const ids = there.map(({ id }) => id);
  return world.holdings().some((one) => ids.includes(one.id) && world.waits(name, one.name));
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
  const refusals = failed.flatMap(({ error }) => refusalsIn(textOf(error)));
  const isTold = (id: string) =>
    refusals.some(({ refusal }) => refusal.kind === "two_owners" && refusal.id.endsWith(`/${id}`));
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
