/** Changes of endpoints' owners since their create, applied to the state as runs of Pulumi leave it. */
import { isFleet, isMember, keyOf, resourceOf } from "../../engine-model/names";
import type { Stored, Values } from "../../engine-model/words";
import { BOOKKEEPING, membersIn, type StoredMember, stateOfFleet } from "../../support/stored";
import type { OwnerChange } from "./cases";
import { placeIn, setWish, wishOf } from "./holdings";
import type { World } from "./world";

/** Gives an endpoint another owner and adapts the program. Returns the old owner; undefined if impossible. */
export function changeOwner(world: World, change: OwnerChange): string | undefined {
  const all = world
    .holdings()
    .filter(({ isLeftover }) => !isLeftover)
    .sort((a, b) => a.id.localeCompare(b.id));
  const held = all[change.which % Math.max(1, all.length)];
  if (!held) return undefined;
  const { name } = held;
  const from = change.whole ? resourceOf(name) : name;
  const { engine, program } = world;
  const renamed = new Set([...program.values()].map(({ was }) => was));
  // What the program renames already, it cannot rename once more.
  if (!engine.state.has(resourceOf(from)) || renamed.has(resourceOf(from)) || renamed.has(`f${change.fleet}`)) {
    return undefined;
  }
  const moved = transfer(world, from, change);
  if (!moved) return undefined;
  if (isFleet(from)) declareFleets(world, moved.from, moved.to, change);
  else declare(world, moved.from, moved.to, { ...change, place: placeIn(held.state) });
  return moved.from;
}

/** What the state had by one name, it has by another; by none where it is another stack's now. */
function transfer(
  world: World,
  from: string,
  { kind, fleet, which }: OwnerChange,
): { from: string; to: string | undefined } | undefined {
  switch (kind) {
    case "gather":
      return gathered(world, from, `f${fleet}`);
    case "scatter":
      return scattered(world, from);
    case "rename":
      return renamed(world, from, isFleet(from) ? `${from}q` : `q${which}`);
    case "reparent":
      return /^(p|g-)/.test(from) ? undefined : renamed(world, from, `g-${from}`);
    case "nest": {
      if (isFleet(from)) return undefined;
      const single = isMember(from) ? scattered(world, from)?.to : from;
      const keys = Object.keys((world.program.get(`f${fleet}`)?.args.endpoints ?? {}) as Values);
      const key = keyOf(from) ?? keys[which % Math.max(1, keys.length)];
      return single === undefined || key === undefined ? undefined : renamed(world, single, `p${fleet}-${key}`, from);
    }
    case "sendAway": {
      const alone = takeOut(world, from);
      if (alone === undefined) return undefined;
      for (const id of alone) world.elsewhere.add(id);
      return { from, to: undefined };
    }
  }
}

/**
 * Removes a name's endpoints from the state, as `pulumi state delete` or a run with `PGCOMPUTE_FORGET` does. Returns the
 * ids without an owner; undefined if there is nothing to remove.
 */
export function takeOut(world: World, name: string): string[] | undefined {
  const alone = isMember(name) ? scattered(world, name)?.to : name;
  if (alone === undefined) return undefined;
  const ids = world.holdings().map(({ id }) => id);
  world.engine.state.delete(alone);
  for (const { id } of world.holdings()) ids.splice(ids.indexOf(id), 1);
  for (const id of ids) world.free.add(id);
  return ids;
}

/** As `importId` leaves it. */
function gathered(world: World, from: string, fleet: string): { from: string; to: string } | undefined {
  const { state } = world.engine;
  const single = state.get(from);
  const to = `${fleet}/${from}`;
  const isPlain = !isMember(from) && !isFleet(from) && !/^(p|g-)/.test(from);
  if (!single || !isPlain || !isFree(world, to)) return undefined;
  const old = state.get(fleet) ?? { name: fleet, id: "fleet-00000000", inputs: {}, state: world.hiddenOf(fleet) };
  const members = membersIn(old.state);
  const isTwice = [...members.values()].some((one) => one.state.endpointId === single.state.endpointId);
  if (isTwice) return undefined;
  state.delete(from);
  members.set(from, { state: own(single.state) });
  state.set(fleet, fleetOf(old, members, inputsOf(old).set(from, own(single.inputs))));
  return { from, to };
}

/** As `retainOnDelete` and an import leave it. */
function scattered(world: World, from: string): { from: string; to: string } | undefined {
  const { state } = world.engine;
  const [key, fleet] = [keyOf(from), state.get(resourceOf(from))];
  if (key === undefined || !fleet || !isFree(world, `s${key}`)) return undefined;
  const [inputs, members] = [inputsOf(fleet), membersIn(fleet.state)];
  const [said, member] = [inputs.get(key), members.get(key)];
  if (!said || !member) return undefined;
  const to = resourceOf(from).startsWith("g-") ? `g-s${key}` : `s${key}`;
  const hidden = world.hiddenOf(to);
  const id = `${member.state.projectId}/${member.state.endpointId}`;
  state.set(to, {
    name: to,
    id,
    inputs: { ...withoutOptions(said), ...hidden },
    state: { ...member.state, ...hidden },
  });
  inputs.delete(key);
  members.delete(key);
  if (members.size === 0) state.delete(fleet.name);
  else state.set(fleet.name, fleetOf(fleet, members, inputs));
  return { from, to };
}

function inputsOf({ inputs }: Stored): Map<string, Values> {
  return new Map(Object.entries((inputs.endpoints ?? {}) as Record<string, Values>));
}

function fleetOf(old: Stored, members: ReadonlyMap<string, StoredMember>, inputs: ReadonlyMap<string, Values>): Stored {
  const endpoints = Object.fromEntries(inputs);
  return { ...old, inputs: { ...old.inputs, endpoints }, state: { ...old.state, ...stateOfFleet(members) } };
}

/** The values without the host's own. */
function own(all: Values): Values {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("__") || name === BOOKKEEPING));
}

/** The inputs of an endpoint, of what a program says of a member. */
function withoutOptions({ protect: _, retainOnDelete: __, importId: ___, ...inputs }: Values): Values {
  return inputs;
}

/** As an alias leaves it; `was` is the name by which the program knew it. */
function renamed(world: World, from: string, to: string, was = from): { from: string; to: string } | undefined {
  const { state } = world.engine;
  const stored = state.get(from);
  if (!stored || !isFree(world, to)) return undefined;
  state.delete(from);
  state.set(to, { ...stored, name: to });
  return { from: was, to };
}

function isFree(world: World, name: string): boolean {
  const isHeld = world.engine.state.has(name) || world.holdings().some((one) => one.name === name);
  return !isHeld && !world.program.has(name) && wishOf(world.program, name) === undefined;
}

function declare(
  { program, engine }: World,
  from: string,
  to: string | undefined,
  { follows, reuses, place }: OwnerChange & { place: Values },
): void {
  const wish = wishOf(program, from);
  const say = (name: string, what: Values) => {
    const resource = resourceOf(name);
    const said = isMember(name) ? what : withoutOptions(what);
    const args = isMember(name) ? { endpoints: {} } : said;
    if (!program.has(resource)) program.set(resource, { args, after: new Set() });
    setWish(program, name, said);
  };
  setWish(program, from, undefined);
  const there = reuses === "there" ? { ...wish, ...place, adoptExisting: false } : wish;
  if (reuses !== "no") say(from, there ?? place);
  if (to !== undefined && follows) say(to, reuses === "no" ? (wish ?? place) : place);
  const fleet = program.get(resourceOf(from));
  const isEmpty = Object.keys((fleet?.args.endpoints ?? {}) as Values).length === 0;
  if (isMember(from) && fleet && isEmpty && !engine.state.has(fleet.was ?? resourceOf(from))) {
    program.delete(resourceOf(from));
  }
}

function declareFleets(world: World, from: string, to: string | undefined, { follows, reuses }: OwnerChange): void {
  const { program } = world;
  const declared = program.get(from) ?? { args: { endpoints: {} }, after: new Set<string>() };
  const isReused = reuses !== "no";
  if (!isReused) program.delete(from);
  else program.set(from, declared);
  if (to === undefined || !follows) return;
  program.set(to, { args: isReused ? { ...declared.args, endpoints: {} } : declared.args, after: new Set() });
  if (!isReused) return;
  for (const { name, state } of world.holdings()) {
    if (resourceOf(name) === to) setWish(program, name, placeIn(state));
    if (resourceOf(name) === to && wishOf(program, `${from}/${keyOf(name)}`) === undefined) {
      setWish(program, `${from}/${keyOf(name)}`, placeIn(state));
    }
  }
}
