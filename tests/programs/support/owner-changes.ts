/** What has become of a stack's endpoints since they were created, told by the state: each change of owner as Pulumi or `pgcompute state` makes it. */
import { gather, type Move, scatter } from "../../../cli/state/move";
import type { StackExport } from "../../../cli/state/stack-export";
import { splitOptions } from "../../../provider/fleet/parse-fleet";
import { resourceOwner, typeOfUrn } from "../../../provider/lib/owner";
import type { OwnerChange } from "./cases";
import { placeIn, setWish, wishOf } from "./holdings";
import { isFleet, isMember, keyOf, nameOf, resourceOf, urnOf } from "./names";
import type { Values } from "./stack";
import type { World } from "./world";

/** Lets an endpoint have another owner, and the program say what it says of both. Gives the old one; undefined where that cannot be. */
export function changeOwner(world: World, change: OwnerChange): string | undefined {
  const all = world.holdings().sort((a, b) => a.id.localeCompare(b.id));
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
    case "gather": {
      if (isMember(from) || isFleet(from) || /^(p|g-)/.test(from)) return undefined;
      const to = `f${fleet}/${from}`;
      const options = { fleet: `f${fleet}`, patterns: [from], prefix: "" };
      return isFree(world, to) && rewrite(world, (state) => gather(state, options)) ? { from, to } : undefined;
    }
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
 * What the state has by a name, `pulumi state delete` takes out of it; a member becomes a single endpoint first. Gives the ids of what nobody has
 * then; undefined where the command refuses.
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

function scattered(world: World, from: string): { from: string; to: string } | undefined {
  const key = keyOf(from);
  if (key === undefined || !isFree(world, `s${key}`)) return undefined;
  const options = { fleet: urnOf(resourceOf(from)), patterns: [key], prefix: "s" };
  const to = resourceOf(from).startsWith("g-") ? `g-s${key}` : `s${key}`;
  return rewrite(world, (state) => scatter(state, options)) ? { from, to } : undefined;
}

/** As an alias leaves it; `was` is the name by which the program knew it. */
function renamed(world: World, from: string, to: string, was = from): { from: string; to: string } | undefined {
  const { state } = world.engine;
  const stored = state.get(from);
  if (!stored || !isFree(world, to)) return undefined;
  state.delete(from);
  state.set(to, { ...stored, name: to, calledAs: stored.calledAs ?? stored.name });
  return { from: was, to };
}

function isFree(world: World, name: string): boolean {
  const isHeld = world.engine.state.has(name) || world.holdings().some((one) => one.name === name);
  return !isHeld && !world.program.has(name) && wishOf(world.program, name) === undefined;
}

/** The state as `pulumi stack export` prints it, changed as `pgcompute state` does. False where the command refuses. */
function rewrite({ engine }: World, work: (state: StackExport) => Move): boolean {
  const resources = [...engine.state.values()].map(({ name, id, inputs, state }) => {
    const urn = urnOf(name);
    const parent = name.startsWith("p") ? urnOf(`f${name[1]}`) : undefined;
    return { urn, type: typeOfUrn(urn) ?? "", parent, custom: true, id, inputs, outputs: state };
  });
  let after: StackExport;
  try {
    ({ state: after } = work({ version: 3, deployment: { resources } }));
  } catch {
    return false;
  }
  const olds = new Map([...engine.state.values()].map((one) => [urnOf(one.name), one]));
  const all = (after.deployment.resources ?? []).map(({ urn, id = "", inputs = {}, outputs = {} }) => {
    const owner = resourceOwner(urn);
    const old = olds.get(owner);
    const name = old?.name ?? nameOf(owner);
    return [name, { ...old, name, id, inputs, state: outputs }] as const;
  });
  engine.state = new Map(all);
  return true;
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
    const said = isMember(name) ? what : splitOptions(what).inputs;
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
