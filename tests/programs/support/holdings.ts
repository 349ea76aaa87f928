/** Which endpoints a stack has and wants, each by the name of its resource or of its fleet's member. */
import { isFleet, keyOf, resourceOf } from "../../engine-model/names";
import type { Program, StackState, Stored, Values } from "../../engine-model/words";
import { keptIn, membersIn } from "../../support/stored";

const PLACE = ["projectId", "branchId", "type"];

/** An endpoint that the state has. */
export type Held = ReturnType<typeof heldBy>;

/** Every endpoint of the state. */
export function holdings({ state, toDelete }: StackState, program: Program): Held[] {
  const renamed = new Map([...program].flatMap(([name, { was }]) => (was === undefined ? [] : [[was, name] as const])));
  const held = (stored: Stored, isLeftover: boolean): Held[] => {
    const name = renamed.get(stored.name) ?? stored.name;
    if (!isFleet(name)) return [heldBy(name, stored.state, { isLeftover })];
    return [...membersIn(stored.state)].map(([key, member]) =>
      heldBy(`${name}/${key}`, member.state, { isLeftover, isRetained: member.retainOnDelete === true }),
    );
  };
  const living = [...state.values()].filter(({ isGone }) => !isGone);
  return [...living.flatMap((one) => held(one, false)), ...toDelete.flatMap((one) => held(one, true))];
}

/**
 * Holdings by the program's name and the state of an endpoint's resource; `isLeftover` for the old half of a
 * replacement.
 */
function heldBy(
  name: string,
  state: Values,
  { isLeftover, isRetained = false }: { isLeftover: boolean; isRetained?: boolean },
) {
  // A delete leaves what was taken over, or is to be kept.
  const isKept = isRetained || keptIn(state).adopted === true;
  return { name, id: String(state.endpointId), branchId: String(state.branchId), state, isKept, isLeftover };
}

/** Every endpoint that the program wants, with what it says of it. */
export function wishes(program: Program): Map<string, Values> {
  return new Map(
    [...program].flatMap(([name, { args }]): [string, Values][] =>
      isFleet(name)
        ? Object.entries(membersOf(args)).map(([key, member]) => [`${name}/${key}`, { ...args, ...member }])
        : [[name, args]],
    ),
  );
}

/** What the program says of one endpoint. */
export function wishOf(program: Program, name: string): Values | undefined {
  const args = program.get(resourceOf(name))?.args;
  const key = keyOf(name);
  return key === undefined ? args : args && membersOf(args)[key];
}

/** What a program has to say of an endpoint to leave it where it is. */
export function placeIn(state: Readonly<Values>): Values {
  return Object.fromEntries(PLACE.map((property) => [property, state[property]]));
}

/** Says something else of an endpoint, or that there is none. */
export function setWish(program: Program, name: string, wish: Values | undefined): void {
  const declared = program.get(resourceOf(name));
  const key = keyOf(name);
  if (key === undefined) {
    if (!wish) program.delete(name);
    else if (declared) declared.args = wish;
  } else if (declared) {
    const { [key]: _, ...others } = membersOf(declared.args);
    declared.args = { ...declared.args, endpoints: wish ? { ...others, [key]: wish } : others };
  }
}

function membersOf({ endpoints }: Values): Record<string, Values> {
  return endpoints as Record<string, Values>;
}
