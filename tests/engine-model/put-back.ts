/** How the engine puts the old inputs back for `ignoreChanges`, before Check. */
import { isDeepStrictEqual } from "node:util";
import type { Values } from "./words";

/** A program's values, with the old inputs at the ignored paths. A path that only one side has is left as it is. */
export function putBack(args: Values, old: Values, ignored: readonly string[] = []): Values {
  const inputs = copied(args) as Values;
  for (const path of ignored) reset(stepsOf(path), old, inputs);
  return inputs;
}

/** Returns false where the engine gives a path up: with `*`, the members that it has not come to keep the program's. */
function reset([step = "", ...rest]: readonly string[], old: unknown, inputs: unknown): boolean {
  if (!isRecord(old) || !isRecord(inputs)) return isDeepStrictEqual(isRecord(old), isRecord(inputs));
  if (step !== "*") return resetOne(step, rest, old, inputs);
  if (rest.length === 0) {
    for (const name of Object.keys({ ...inputs, ...old })) resetOne(name, [], old, inputs);
    return true;
  }
  return Object.keys(old).every((name) => name in inputs && reset(rest, old[name], inputs[name]));
}

/** A copy of the maps, whose leaves may be no data, such as what is not known yet. */
function copied(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)]));
}

function resetOne(name: string, rest: readonly string[], old: Values, inputs: Values): boolean {
  if (rest.length > 0) return name in old && !(name in inputs) ? false : reset(rest, old[name], inputs[name]);
  if (name in old) inputs[name] = copied(old[name]);
  else delete inputs[name];
  return true;
}

/** The names in a path, such as `a.b`, `a["b"]` and `a[*].b`. */
function stepsOf(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map(([step, quoted]) => quoted ?? step);
}

function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
