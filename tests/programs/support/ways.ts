/** Follows what a refusal offers, by its data alone: the changes to program, state or settings that it asks for. */
import type { ImportProblem, LeftEndpoint, Refusal } from "../../../provider/places/refusal";
import type { EndpointRecord } from "../../../provider/platform/records";
import { isFleet, isMember, nameOf, resourceOf } from "../../engine-model/names";
import { type Failed, ImportError, type Values } from "../../engine-model/words";
import { placeIn, setWish, wishes, wishOf } from "./holdings";
import { takeOut } from "./owner-changes";
import { refusalIn, textOf } from "./refusals";
import type { World } from "./world";

type NotEmpty = Refusal & { kind: "not_empty" };

/** Follows the advice of a failed call's refusal for its resource. Throws without advice. */
export async function follow(world: World, { name: resource, error }: Failed): Promise<void> {
  // What was to be imported is gone or has changed: the program no longer asks for it.
  if (error instanceof ImportError) return setWish(world.program, resource, undefined);
  const told = refusalIn(textOf(error));
  if (!told) throw new Error(`no way on for ${resource}: ${error.message}`);
  const name = told.key === undefined ? resource : `${resource}/${told.key}`;
  const { refusal } = told;
  const { program } = world;
  const wish = wishOf(program, name);
  switch (refusal.kind) {
    case "primary_missing":
      if (!world.wait(name, primaryOf(world, refusal))) giveUp(world, name);
      return;
    case "declared_twice":
      return setWish(program, name, undefined);
    case "taken":
      return untake(world, nameOf(refusal.first));
    case "two_owners":
      part(world, nameOf(refusal.first), name);
      // The state of who stays may be from before the last change of the other one.
      await world.bench.run(world.engine.refresh(world.process()));
      return;
    case "released":
      return giveUp(world, name);
    case "left_behind":
    case "left_to_others":
      return giveUp(world, name);
    case "left_for_importing":
      setWish(program, name, undefined);
      world.later.push(() => setWish(program, name, { ...wish, importId: refusal.id }));
      return;
    case "left":
      if (!isFleet(resource) && world.adoptInterrupted) return giveUp(world, name);
      return takeUp(world, resource, refusal.left);
    case "of_nobody":
    case "unclaimed":
    case "renamed":
    case "made_for_another":
    case "exchange":
    case "in_the_way":
      makeWay(world, name, refusal);
      return;
    case "not_empty":
      goBack(world, name, refusal);
      return;
    case "moved_there":
      await world.bench.run(world.engine.refresh(world.process()));
      return;
    case "delete_protected":
      return unprotect(world, name, "deleted");
    case "replace_protected":
      return unprotect(world, name, "replaced");
    case "circle":
      return world.detour(name);
    case "too_many": {
      const named = program.has(name) ? name : (world.engine.state.get(name)?.calledAs ?? name);
      const maxDeletions = refusal.deleted.length + refusal.replaced.length;
      return setWish(program, named, { ...wishOf(program, named), maxDeletions });
    }
    case "import_of_owned":
    case "import_of_marked":
      // Somebody has it: the program leaves it there.
      return setWish(program, name, undefined);
    case "import":
      return mendImport(world, name, refusal.reason);
  }
}

/** The read-write endpoint that a replica is to wait for: as the message names it, or as the program says. */
function primaryOf(world: World, { primary, branchId }: Refusal & { kind: "primary_missing" }): string | undefined {
  if (primary !== undefined) return nameOf(primary);
  return [...wishes(world.program)].find(([, wish]) => wish.branchId === branchId && wish.type === "read_write")?.[0];
}

/** A person knows from state and program who has the occupant, and what becomes of it. */
function makeWay(world: World, name: string, refusal: Refusal & { occupant: EndpointRecord }): unknown {
  const { kind, occupant } = refusal;
  const { program, bench, elsewhere } = world;
  const wish = wishOf(program, name);
  const owner = world.holdings().find(({ id }) => id === occupant.id);
  if (elsewhere.has(occupant.id)) return giveUp(world, name);
  if (!owner) {
    if (kind === "renamed" || kind === "made_for_another") bench.emulator.admin.dropEndpoint(occupant.id);
    else if (kind === "of_nobody" && wish && wish.adoptExisting !== true)
      setWish(program, name, { ...wish, adoptExisting: true });
    else giveUp(world, name);
    return;
  }
  const ownersWish = wishOf(program, owner.name);
  const stays = ownersWish?.branchId === occupant.branchId && ownersWish.type === occupant.type;
  if (stays || (owner.isKept && !owner.isLeftover && ownersWish !== undefined && ownersWish.type !== occupant.type))
    return giveUp(world, name);
  if (!isInCircle(world, name) && !world.waits(owner.name, name)) {
    world.excluded.add(resourceOf(name));
    return;
  }
  const own = world.holdings().find((one) => one.name === name && !one.isLeftover);
  if (own && own.branchId !== wish?.branchId) return world.detour(name);
  setWish(program, name, undefined);
  world.later.push(() => setWish(program, name, wish));
}

/** True if a resource waits for itself, by dependencies and blocking endpoints, including pending deletes. */
function isInCircle(world: World, name: string): boolean {
  const { program } = world;
  const held = world.holdings();
  const waitsFor = (resource: string): string[] => [
    ...(program.get(resource)?.after ?? []),
    ...[...wishes(program)].flatMap(([one, { branchId, type }]) => {
      if (resourceOf(one) !== resource || type !== "read_write") return [];
      const there = held.filter((it) => it.branchId === branchId && it.name !== one);
      return there.map((it) => resourceOf(it.name));
    }),
  ];
  const start = resourceOf(name);
  const met = new Set<string>();
  const open = waitsFor(start).filter((one) => one !== start);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === start) return true;
    if (met.has(next)) continue;
    met.add(next);
    open.push(...waitsFor(next));
  }
  return false;
}

/** The branch of before for one run, here and for the replicas that are to be on the new one. */
function goBack(world: World, name: string, { branchId, from, there }: NotEmpty): unknown {
  const { program, bench, elsewhere } = world;
  const held = there.map((record) => ({ record, owner: world.holdings().find(({ id }) => id === record.id) }));
  if (held.some(({ record }) => elsewhere.has(record.id))) return giveUp(world, name);
  for (const { record, owner } of held) if (!owner) bench.emulator.admin.dropEndpoint(record.id);
  if (held.every(({ owner }) => !owner)) return;
  const isBound = ([, wish]: [string, Values]) => wish.branchId === branchId && wish.type === "read_only";
  const replicas = [...wishes(program)].filter(isBound).map(([one]) => one);
  for (const one of replicas) program.get(resourceOf(name))?.after.delete(resourceOf(one));
  const isFirst = (one: string) => resourceOf(one) !== resourceOf(name) && world.waits(name, one);
  const isAwaited = ([one, wish]: [string, Values]) =>
    one !== name && wish.branchId === from && wish.type === "read_write";
  // They would wait for each other.
  if (replicas.some(isFirst) || [...wishes(program)].some(isAwaited)) {
    world.moves = "replace";
    return;
  }
  const back = [name, ...replicas];
  for (const one of back) world.send(one, from);
  for (const one of replicas) world.wait(one, name);
  world.later.push(() => {
    for (const one of back) world.send(one, branchId);
  });
}

/**
 * Removes a request for another's endpoint. A run's setting covers all its takeovers: a resource that asks again for
 * one that another needs leaves the program.
 */
function untake(world: World, name: string): void {
  const { importId, adoptExisting: _, ...wish } = wishOf(world.program, name) ?? {};
  if (world.adoptInterrupted && importId === undefined) {
    world.adoptInterrupted = false;
    if (world.untaken.has(name)) {
      setWish(world.program, name, undefined);
      return;
    }
    world.untaken.add(name);
  }
  if (world.program.get(name)?.importId !== undefined) setWish(world.program, name, undefined);
  else setWish(world.program, name, wish);
}

/**
 * After a killed run only, as the message says. A person finds a state's endpoints there, and does not adopt them; nor
 * one that is refused again because another resource of the program claims it.
 */
function takeUp(world: World, name: string, left: readonly LeftEndpoint[]): void {
  const owned = left.filter(({ record }) => world.adoptInterrupted || world.isOwned(record.id));
  for (const { key } of owned) giveUp(world, key === undefined ? name : `${resourceOf(name)}/${key}`);
  if (owned.length < left.length) world.adoptInterrupted = true;
}

/** The program no longer asks for what cannot be: the endpoint stays as it was, or is not there. */
export function giveUp(world: World, name: string): void {
  const wish = wishOf(world.program, name);
  const held = world.holdings().find((one) => one.name === name && !one.isLeftover);
  const there = held && placeIn(held.state);
  setWish(world.program, name, held?.branchId === wish?.branchId ? undefined : there);
}

/**
 * Removes one of two owners from state and program: one without the endpoint, a resource, or a member not in the
 * program; the other if the command refuses, as for the last member of a fleet that is a parent.
 */
function part(world: World, first: string, second: string): void {
  const { program, engine } = world;
  const isHeld = (name: string) => world.holdings().some((one) => one.name === name && !one.isLeftover);
  const isEasy = (name: string) => !isMember(name) || !isHeld(name);
  const rank = (name: string) => (isEasy(name) ? 0 : wishOf(program, name) === undefined ? 1 : 2);
  const leaver = [second, first]
    .sort((one, other) => rank(one) - rank(other))
    .find((name) => {
      const resource = resourceOf(name);
      const was = engine.state.has(resource) ? resource : (program.get(resource)?.was ?? resource);
      return !isHeld(name) || takeOut(world, name.replace(resource, was));
    });
  if (leaver === undefined) throw new Error(`neither ${first} nor ${second} can be taken out of the state`);
  setWish(program, leaver, undefined);
}

/** What leaves has to be there once more, without its protection; the whole fleet where that leaves. */
function unprotect(world: World, name: string, change: "deleted" | "replaced"): void {
  const { program } = world;
  const fleet = resourceOf(name);
  const isGone = !program.has(fleet);
  const held = world.holdings().filter((one) => resourceOf(one.name) === fleet);
  if (isGone) program.set(fleet, { args: { endpoints: {} }, after: new Set() });
  for (const one of held) if (isGone) setWish(program, one.name, { ...placeIn(one.state), protect: false });
  const there = placeIn(held.find((one) => one.name === name)?.state ?? {});
  setWish(program, name, { ...(change === "replaced" ? wishOf(program, name) : there), protect: false });
  if (isGone) world.later.push(() => program.delete(fleet));
  else if (change === "deleted") world.later.push(() => setWish(program, name, undefined));
}

/** What an `importId` should have been. */
function mendImport(world: World, name: string, problem: ImportProblem): void {
  const { importId, ...wish } = wishOf(world.program, name) ?? {};
  const isElsewhere = problem.kind === "elsewhere";
  setWish(world.program, name, isElsewhere ? { ...wish, ...placeIn({ ...problem.place }), importId } : wish);
  // It is taken over as it is, and changed in a second run.
  if (isElsewhere) world.later.push(() => setWish(world.program, name, wish));
}
