/** What `ignoreChanges` keeps of an endpoint: the one reading of its paths, and the inputs that follow. */
import { stepsOf } from "../lib/path";
import { defined, type Values } from "../lib/unknown";
import { setBefore } from "./differences";
import type { CheckedInputs } from "./parse-inputs";
import { type EndpointProperty, endpointProperties } from "./properties";
import { sizeNames } from "./rules/size";
import type { EndpointState } from "./state";

/** Properties that stay as the state has them. */
export type Ignored = ReadonlySet<EndpointProperty>;

/**
 * The properties that paths of `ignoreChanges` name whole; the engine itself puts parts of values back. `within`: the
 * path of the endpoint's inputs, such as `endpoints` and `pr-101`.
 */
export function ignoredIn(paths: readonly string[], ...within: readonly string[]): Ignored {
  const ignored = paths.map(stepsOf);
  const covers = (place: readonly string[]) => ignored.some((steps) => isAbove(steps, place));
  return new Set(ignored.length === 0 ? [] : endpointProperties.filter((name) => covers([...within, name])));
}

/** What to keep, and the inputs of the last run. */
interface Keeps {
  ignored?: Ignored | undefined;
  oldInputs?: Values | undefined;
}

/** The inputs with the state's values of what is ignored, so that no comparison or request changes it. */
export function withIgnored<T extends CheckedInputs>(inputs: T, state: EndpointState, keeps: Keeps): T {
  const { ignored, oldInputs } = keeps;
  if (!ignored || ignored.size === 0) return inputs;
  const wasSet = setBefore(state, oldInputs);
  // A dropped size stays as it is. To set one of its forms would contradict the other.
  const isDropped = (name: EndpointProperty) => wasSet.has(name) && !sizeNames.some((one) => one === name);
  const kept = [...ignored].filter((name) => inputs[name] !== undefined || isDropped(name));
  return defined({ ...inputs, ...Object.fromEntries(kept.map((name) => [name, state[name]])) }) as T;
}

function isAbove(steps: readonly string[], place: readonly string[]): boolean {
  const isWithin = steps.length > 0 && steps.length <= place.length;
  return isWithin && steps.every((step, at) => step === "*" || step === place[at]);
}
