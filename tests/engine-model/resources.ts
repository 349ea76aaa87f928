/** A stack's state and its program, in the words of the engine alone, and back. */
import type { Goal, Resource } from "./deployment/resource";
import { nameOf, PROVIDER, urnOf } from "./names";
import type { Declared, Process, Program, StackState, Stored, Values } from "./words";

const provider: Resource = {
  ...{ urn: PROVIDER, custom: true, isProvider: true, id: "provider", inputs: {}, outputs: {} },
  ...{ dependencies: [], propertyDependencies: {}, protect: false, retainOnDelete: false },
  ...{ ignoreChanges: [], replaceOnChanges: [], initErrors: [] },
};

/** Copies of values, one for each object. */
const copies = new WeakMap<Values, Values>();

function copyOf(known: Values): Values {
  const copy = copies.get(known) ?? structuredClone(known);
  copies.set(known, copy);
  return copy;
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

/** The state of a stack, of the engine's. */
export function toStack(resources: readonly Resource[]): StackState {
  const own = resources.filter(({ isProvider }) => !isProvider);
  const living = own.filter(({ isPendingDelete }) => !isPendingDelete).map(fromResource);
  const toDelete = own.filter(({ isPendingDelete }) => isPendingDelete).map(fromResource);
  return { state: new Map(living.map((one) => [one.name, one])), toDelete };
}

/** The resources of a program, in the order in which it declares them. */
export function toGoals(program: Program, process: Pick<Process, "host" | "timeoutMs">): Goal[] {
  const goals = [...program].map(([name, { args, after, was, importId, ...options }]): Goal => {
    const { deleteBeforeReplace, isTriggered, ignoreChanges } = options;
    const hidden = process.host === "dynamic" ? hiddenInputs(name, options, process) : {};
    return {
      ...{ urn: urnOf(name), custom: true, inputs: { ...args, ...hidden }, provider: PROVIDER, importId },
      dependsOn: [...after].filter((one) => program.has(one)).map(urnOf),
      aliases: was === undefined ? [] : [urnOf(was)],
      // The provider's answers have `replaceOnChanges` in them already.
      ...{ deleteBeforeReplace, isTriggered, ignoreChanges },
    };
  });
  return goals.length === 0 ? [] : [{ urn: PROVIDER, custom: true, isProvider: true, inputs: {} }, ...goals];
}

/** What the classes of dynamic resources add to a program's inputs. */
function hiddenInputs(
  name: string,
  { ignoreChanges, replaceOnChanges }: Pick<Declared, "ignoreChanges" | "replaceOnChanges">,
  { timeoutMs }: Pick<Process, "timeoutMs">,
): Values {
  const time = `${timeoutMs}ms`;
  return {
    __urn: urnOf(name),
    ...(timeoutMs !== undefined && { __timeouts: { create: time, update: time, delete: time } }),
    ...(replaceOnChanges && { __replaceOnChanges: replaceOnChanges }),
    ...(ignoreChanges && { __ignoreChanges: ignoreChanges }),
  };
}

function toResource(stored: Stored, isThere: (name: string) => boolean): Resource {
  const { name, id, inputs, state, unfinished = false, after = [], isGone = false } = structuredClone(stored);
  return {
    ...{ urn: urnOf(name), custom: true, id, inputs, outputs: state, provider: PROVIDER },
    ...{ dependencies: after.filter(isThere).map(urnOf), propertyDependencies: {} },
    ...{ protect: false, retainOnDelete: false, ignoreChanges: [], replaceOnChanges: [] },
    ...{ initErrors: unfinished ? ["unfinished"] : [], isPendingReplacement: isGone },
  };
}

function fromResource(one: Resource): Stored {
  const { urn, id, inputs, outputs, dependencies, initErrors, isPendingReplacement } = one;
  return {
    ...{ name: nameOf(urn), id, inputs: copyOf(inputs), state: copyOf(outputs) },
    ...{ unfinished: initErrors.length > 0, after: dependencies.map(nameOf) },
    ...(isPendingReplacement && { isGone: true }),
  };
}
