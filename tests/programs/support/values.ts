/** Values of endpoints in generated programs: before and after, with secret and unknown ones. */
import { UNKNOWN } from "../../engine-model/deployment/resource";
import { isFleet, isMember, keyOf, resourceOf } from "../../engine-model/names";
import type { Program, Values } from "../../engine-model/words";
import { fc } from "../../support/random";
import { keptIn, membersIn, stateOfFleet } from "../../support/stored";
import { maybe, type Of, oneOf, record, the, weighted } from "./cases";
import { placeIn, setWish, wishes, wishOf } from "./holdings";
import type { Unshown } from "./print";
import type { Path } from "./secret-places";
import type { World } from "./world";

/** Values that a property has in programs; the platform's own names of them. */
const properties = {
  sizeCu: [1, 2],
  suspendTimeoutSeconds: [60, 600],
  pgSettings: [{ work_mem: "8MB" }, { work_mem: "16MB" }],
  preloadLibraries: [["pg_prewarm"], ["auto_explain", "pg_prewarm"]],
  disabled: [true, false],
  passwordlessAccess: [true, false],
  restartTrigger: ["a", "b"],
  restartWhen: ["idle", "now"],
  // What only a scene sets.
  ...{ branchId: [], type: [], projectId: [] },
} as const;

/** Of these what stands there may be hidden, and no other value is set. */
const places = new Set<string>(["branchId", "type", "projectId"]);

type Property = keyof typeof properties;

const value = oneOf(undefined, 0, 1);

const setting = record({
  /** Which of the endpoints that the program or the state has. */
  which: fc.nat({ max: 5 }),
  // Who moves is what most reviews are for.
  property: weighted<Property>([2, oneOf(...(Object.keys(properties) as Property[]))], [1, the("branchId")]),
  ...{ before: value, after: value },
  /** On both sides, or on one alone. What is unknown in a preview is known in the run. */
  is: weighted<"plain" | "secret" | "secretBefore" | "secretAfter" | "unknown" | "unknownBefore">(
    [2, the("plain")],
    [1, oneOf("secret", "secretBefore", "secretAfter", "unknown", "unknownBefore")],
  ),
});
/** What a program sets of one of its endpoints. */
export type Setting = Of<typeof setting>;

const covered = record({
  fleet: oneOf(0, 1),
  /** Which member; the whole map where absent. */
  which: maybe(fc.nat({ max: 4 }), 6),
  is: oneOf("secret", "unknown"),
});
/** A fleet's map that is secret or unknown as a whole, or one member of it. */
type Covered = Of<typeof covered>;

/** All that a case needs besides its scene for its plan to be reviewed. */
export const valued = record({
  settings: fc.array(setting, { minLength: 1, maxLength: 4 }),
  covered: maybe(covered, 2),
  /** Which resources are replaced by force. */
  forced: weighted<number[]>([7, the([])], [1, fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 2 })]),
  /** The setting `pgcompute:moves` of the run before; absent where it is the same. */
  movedBy: maybe(oneOf("inPlace", "replace"), 2),
});
/** One of them. */
export type Valued = Of<typeof valued>;

/** A world whose endpoints have values. */
export interface ValuedWorld {
  /** The program as a preview is shown it. */
  previewed: Program;
  unshown: Record<keyof Unshown, Map<string, Path[]>>;
  forced: Set<string>;
}

/** Sets the values in platform, state and program. */
export async function setValues(world: World, its: Valued): Promise<ValuedWorld> {
  const { program } = world;
  const names = [...new Set([...wishes(program).keys(), ...world.holdings().map(({ name }) => name)])].sort();
  const unshown: ValuedWorld["unshown"] = { before: new Map(), after: new Map(), unknownBefore: new Map() };
  const unknown: [string, string][] = [];
  const olds = new Map<string, Values>();
  for (const { which, property, before, after, is } of its.settings) {
    const name = names[which % Math.max(1, names.length)];
    if (name === undefined) continue;
    const values: readonly unknown[] = properties[property];
    const wish = wishOf(program, name);
    if (!places.has(property)) {
      if (before !== undefined) olds.set(name, { ...olds.get(name), [property]: values[before] });
      if (wish) setWish(program, name, { ...wish, [property]: after === undefined ? undefined : values[after] });
    }
    const isSet = places.has(property) || after !== undefined;
    const path = isMember(name) ? ["endpoints", keyOf(name) ?? "", property] : [property];
    for (const which of unshownBy[is]) hide(unshown[which], resourceOf(name), path);
    // Without a project nothing is planned at all.
    if (is === "unknown" && wish && isSet && property !== "projectId") unknown.push([name, property]);
  }
  await setOlds(world, olds);
  useOthers(world);
  const previewed: Program = new Map([...program].map(([name, one]) => [name, { ...one, args: cloned(one.args) }]));
  for (const [name, property] of unknown) {
    const wish = wishOf(previewed, name);
    if (wish) setWish(previewed, name, { ...wish, [property]: UNKNOWN });
  }
  if (its.covered) cover(previewed, unshown, its.covered);
  const resources = [...program.keys()];
  const forced = new Set(its.forced.map((at) => resources[at % Math.max(1, resources.length)] ?? ""));
  return { previewed, unshown, forced };
}

const unshownBy: Readonly<Record<Setting["is"], readonly (keyof Unshown)[]>> = {
  plain: [],
  secret: ["before", "after"],
  secretBefore: ["before"],
  secretAfter: ["after"],
  unknown: [],
  unknownBefore: ["unknownBefore"],
};

function hide(paths: Map<string, Path[]>, name: string, path: Path): void {
  paths.set(name, [...(paths.get(name) ?? []), path]);
}

/**
 * Connects clients to the endpoints that do not wait for an idle moment; else the platform would suspend them
 * meanwhile.
 */
function useOthers(world: World): void {
  const waits = (name: string) => wishOf(world.program, name)?.restartWhen === "idle";
  if (![...wishes(world.program).keys()].some(waits)) return;
  const held = world.holdings();
  for (const { id, current_state } of world.endpoints()) {
    const isFree = held.some((one) => one.id === id && waits(one.name)) || current_state !== "active";
    if (!isFree) world.bench.emulator.admin.connect({ endpointId: id, connections: 1 });
  }
}

function cover(program: Program, { before, after }: ValuedWorld["unshown"], { fleet, which, is }: Covered): void {
  const name = [...program.keys()].find((one) => isFleet(one) && one.includes(String(fleet)));
  const declared = name === undefined ? undefined : program.get(name);
  if (name === undefined || !declared) return;
  const keys = Object.keys(declared.args.endpoints as Values);
  const key = which === undefined ? undefined : keys[which % Math.max(1, keys.length)];
  if (is === "secret") {
    const path = key === undefined ? ["endpoints"] : ["endpoints", key];
    for (const side of [before, after]) hide(side, name, path);
  } else if (key === undefined) {
    declared.args = { ...declared.args, endpoints: UNKNOWN };
  } else {
    setWish(program, `${name}/${key}`, UNKNOWN as never);
  }
}

/** What the state and the platform have of it already. */
async function setOlds(world: World, olds: ReadonlyMap<string, Values>): Promise<void> {
  const { admin } = world.bench.emulator;
  for (const { name, id } of world.holdings()) {
    const { sizeCu, suspendTimeoutSeconds, pgSettings, preloadLibraries, disabled, passwordlessAccess } =
      olds.get(name) ?? {};
    const settings = {
      ...(pgSettings !== undefined && { pg_settings: pgSettings }),
      ...(preloadLibraries !== undefined && { preload_libraries: { enabled_libraries: preloadLibraries } }),
    };
    const fields = {
      ...(sizeCu !== undefined && { autoscaling_limit_min_cu: sizeCu, autoscaling_limit_max_cu: sizeCu }),
      ...(suspendTimeoutSeconds !== undefined && { suspend_timeout_seconds: suspendTimeoutSeconds }),
      ...(Object.keys(settings).length > 0 && { settings: { pg_settings: {}, ...settings } }),
      ...(disabled === true && { disabled: true, current_state: "idle" }),
      ...(passwordlessAccess !== undefined && { passwordless_access: passwordlessAccess }),
    };
    if (Object.keys(fields).length > 0) admin.changeEndpoint(id, fields as never);
  }
  const found = await world.readAll();
  const valuedState = (name: string, state: Values): Values => {
    const read = found.get(String(state.endpointId));
    const said = { ...placeIn(state), ...olds.get(name) };
    if (!read) return state;
    const { __urn } = state;
    return {
      ...world.storedAs(name, read, said, keptIn(state).adopted === true).state,
      ...(__urn !== undefined && { __urn }),
    };
  };
  for (const stored of world.engine.state.values()) {
    const { name } = stored;
    if (!isFleet(name)) {
      stored.state = valuedState(named(world, name), stored.state);
      stored.inputs = { ...stored.inputs, ...olds.get(named(world, name)) };
      continue;
    }
    const fleet = named(world, name);
    const members = [...membersIn(stored.state)].map(([key, one]) => {
      const state = valuedState(`${fleet}/${key}`, one.state);
      return [key, { ...one, state }] as const;
    });
    stored.state = { ...stored.state, ...stateOfFleet(new Map(members)) };
    const endpoints = stored.inputs.endpoints as Record<string, Values>;
    stored.inputs = {
      ...stored.inputs,
      endpoints: Object.fromEntries(
        Object.entries(endpoints).map(([key, one]) => [key, { ...one, ...olds.get(`${fleet}/${key}`) }]),
      ),
    };
  }
}

/** The name by which the program knows what the state has. */
function named({ program }: World, name: string): string {
  return [...program].find(([, { was }]) => was === name)?.[0] ?? name;
}

function cloned({ endpoints, ...args }: Values): Values {
  return endpoints === undefined ? args : { ...args, endpoints: { ...(endpoints as Values) } };
}
