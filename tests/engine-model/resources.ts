/** A stack's state and its program, in the words of the engine alone, and back. */
import type { Goal, Resource } from "./deployment/resource";
import { nameOf, PROVIDER, urnOf } from "./names";
import type { Program, StackState, Stored, Values } from "./words";

/** The state's note of the name that a dynamic resource had in its last create or update. */
const CALLED_AS = "__calledAs";

const provider: Resource = {
  ...{ urn: PROVIDER, custom: true, isProvider: true, id: "provider", inputs: {}, outputs: {} },
  ...{ dependencies: [], propertyDependencies: {}, protect: false, retainOnDelete: false },
  ...{ ignoreChanges: [], replaceOnChanges: [], initErrors: [] },
};

/** Copies of values, one for each object: the state is written after each of a thousand steps. */
const copies = new WeakMap<Values, Values>();

function copyOf(known: Values, values = known): Values {
  const copy = copies.get(known) ?? structuredClone(values);
  copies.set(known, copy);
  return copy;
}

/** What an endpoint's or a fleet's state is, with the name that it was last created or updated under. */
export function outputsOf({ state, calledAs }: Pick<Stored, "state" | "calledAs">): Values {
  return { ...state, ...(calledAs !== undefined && { [CALLED_AS]: calledAs }) };
}

/** The same, read. */
export function stateOf(outputs: Values): Pick<Stored, "state" | "calledAs"> {
  const { [CALLED_AS]: calledAs, ...state } = outputs;
  return { state: copyOf(outputs, state), ...(calledAs !== undefined && { calledAs: String(calledAs) }) };
}

/** A state as the engine has it: what depends on another comes after it. */
export function toResources({ state, toDelete }: StackState): Resource[] {
  const left = new Map(state);
  const ordered: Stored[] = [];
  const take = (name: string) => {
    const stored = left.get(name);
    left.delete(name);
    for (const one of stored?.after ?? []) take(one);
    if (stored) ordered.push(stored);
  };
  for (const name of state.keys()) take(name);
  const isThere = (name: string) => state.has(name);
  const pending = toDelete.map((one) => ({ ...toResource({ ...one, after: [] }, isThere), isPendingDelete: true }));
  const all = [...ordered.map((one) => toResource(one, isThere)), ...pending];
  return all.length === 0 ? [] : [provider, ...all];
}

/** Writes a state of the engine into a stack's. */
export function intoState(stack: StackState, resources: readonly Resource[]): void {
  const own = resources.filter(({ isProvider }) => !isProvider);
  const living = own.filter(({ isPendingDelete }) => !isPendingDelete).map(fromResource);
  stack.state = new Map(living.map((one) => [one.name, one]));
  stack.toDelete = own.filter(({ isPendingDelete }) => isPendingDelete).map(fromResource);
}

/** The resources of a program, in the order in which it declares them. */
export function toGoals(program: Program): Goal[] {
  const goals = [...program].map(([name, { args, after, was, importId, ...options }]): Goal => {
    const { deleteBeforeReplace, isTriggered, ignoreChanges } = options;
    return {
      ...{ urn: urnOf(name), custom: true, inputs: args, provider: PROVIDER, importId },
      dependsOn: [...after].filter((one) => program.has(one)).map(urnOf),
      aliases: was === undefined ? [] : [urnOf(was)],
      // The provider's answers have `replaceOnChanges` in them already.
      ...{ deleteBeforeReplace, isTriggered, ignoreChanges },
    };
  });
  return goals.length === 0 ? [] : [{ urn: PROVIDER, custom: true, isProvider: true, inputs: {} }, ...goals];
}

function toResource(stored: Stored, isThere: (name: string) => boolean): Resource {
  const { name, id, inputs, unfinished = false, after = [], isGone = false } = structuredClone(stored);
  return {
    ...{ urn: urnOf(name), custom: true, id, inputs, outputs: outputsOf(stored), provider: PROVIDER },
    ...{ dependencies: after.filter(isThere).map(urnOf), propertyDependencies: {} },
    ...{ protect: false, retainOnDelete: false, ignoreChanges: [], replaceOnChanges: [] },
    ...{ initErrors: unfinished ? ["unfinished"] : [], isPendingReplacement: isGone },
  };
}

function fromResource(one: Resource): Stored {
  const { urn, id, inputs, outputs, dependencies, initErrors, isPendingReplacement } = one;
  return {
    ...{ name: nameOf(urn as Parameters<typeof nameOf>[0]), id, inputs: copyOf(inputs), ...stateOf(outputs) },
    ...{ unfinished: initErrors.length > 0, after: dependencies.map((dep) => nameOf(dep as never)) },
    ...(isPendingReplacement && { isGone: true }),
  };
}
