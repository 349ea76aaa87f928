/** Compares an endpoint's state with the program's inputs, for diff, impact and updates. */
import { isDeepStrictEqual } from "node:util";
import { isRecord, UNKNOWN, type Values } from "../lib/unknown";
import type { Profile } from "../platform/profiles/profile";
import { areImported } from "./input-notes";
import type { CheckedInputs } from "./parse-inputs";
import { type EndpointInputs, type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { effectiveSuspendSeconds, isFixedDelay } from "./rules/autosuspend";
import { withSettingNames } from "./rules/pg-settings";
import { sizeRange } from "./rules/size";
import { bookkeepingOf, type EndpointState } from "./state";

/** The kind of a property's difference: newly set, changed, or no longer set. */
export type Change = "add" | "update" | "delete";

/** One property's difference. */
export interface Difference {
  change: Change;
  /** The current value; absent if the platform does not return it. */
  before?: unknown;
  /** The wanted value: the program's, or the default of a dropped property. It may be or contain UNKNOWN. */
  after?: unknown;
}

/** The properties that differ between the state and the program, in table order. */
export type Differences = Partial<Record<EndpointProperty, Difference>>;

/** The input of a comparison with the last run. */
export interface SinceLastRun {
  /** The last run's inputs, if the host has them. */
  oldInputs?: Values | undefined;
  /** The platform of the plan. */
  profile?: Profile | undefined;
}

/** A property's current value and the program's value. */
interface Compared {
  state: EndpointState;
  inputs: CheckedInputs;
}

/**
 * Compares the state with the inputs. Ignores properties never set; dropped ones compare with defaults; unknown values
 * differ.
 */
export function differences(state: EndpointState, inputs: CheckedInputs, wasSet: ReadonlySet<string>): Differences {
  const found: Differences = {};
  for (const name of endpointProperties) {
    const after = inputs[name] ?? (wasSet.has(name) ? propertyOf(name).resetTo : undefined);
    if (after === undefined || isSame(name, after, { state, inputs })) continue;
    const change = inputs[name] === undefined ? "delete" : wasSet.has(name) ? "update" : "add";
    found[name] = { change, ...(state[name] !== undefined && { before: state[name] }), after };
  }
  return found;
}

/** Compares an existing endpoint with the inputs of the resource that adopts it. */
export function takeoverDifferences(state: EndpointState, inputs: CheckedInputs, profile?: Profile): Differences {
  return withoutTrigger(withoutFixed(differences(state, inputs, new Set()), profile));
}

/** The differences without a delay that the account's plan fixes: it applies in any case. */
function withoutFixed(found: Differences, profile: Profile | undefined): Differences {
  const { suspendTimeoutSeconds: delay, ...others } = found;
  return delay && isFixedDelay(delay.after, profile) ? others : found;
}

/** The differences without a trigger, which restarts no newly managed endpoint. */
export function withoutTrigger(found: Differences): Differences {
  const { restartTrigger: _, ...others } = found;
  return others;
}

/**
 * The differences since the last run. After an import no property counts as set, and the first trigger restarts
 * nothing.
 */
export function differencesSince({ state, inputs, oldInputs, profile }: Compared & SinceLastRun): Differences {
  const found = withoutFixed(differences(state, inputs, setBefore(state, oldInputs)), profile);
  if (!bookkeepingOf(state).imported || state.restartTrigger !== undefined) return found;
  const saidAtImport = areImported(oldInputs) || oldInputs?.restartTrigger === inputs.restartTrigger;
  return saidAtImport ? withoutTrigger(found) : found;
}

/** The inputs that the program had set, from the bookkeeping and the old inputs. An import sets none. */
export function setBefore(state: EndpointState, oldInputs: Values | undefined): ReadonlySet<string> {
  const said = oldInputs && !areImported(oldInputs) ? setIn(oldInputs) : [];
  return new Set([...said, ...(bookkeepingOf(state).set ?? [])]);
}

/** The properties that inputs set, in table order. */
export function setIn(inputs: Values): EndpointProperty[] {
  return endpointProperties.filter((property) => inputs[property] !== undefined && inputs[property] !== null);
}

/** The defaults of the named inputs that the program does not set. */
export function resetValues(names: Iterable<string>): Partial<EndpointInputs> {
  const wanted = new Set(names);
  const reset = endpointProperties.filter((name) => wanted.has(name) && propertyOf(name).resetTo !== undefined);
  return Object.fromEntries(reset.map((name) => [name, propertyOf(name).resetTo]));
}

function isSame(name: EndpointProperty, after: unknown, { state, inputs }: Compared): boolean {
  const before = state[name];
  switch (propertyOf(name).compared) {
    case "never":
      return true;
    case "size":
      if (sizeRange(inputs) === undefined) return true;
      if (name !== "sizeCu") return after === before;
      return after === state.autoscalingLimitMinCu && after === state.autoscalingLimitMaxCu;
    case "delay":
      // 0 stands for the default delay, and platforms answer either form.
      if (after === UNKNOWN || before === undefined) return false;
      return effectiveSuspendSeconds(after as number) === effectiveSuspendSeconds(before as number);
    default:
      return isDeepStrictEqual(unordered(after), unordered(before));
  }
}

/** A value for comparison without order: settings by their Postgres names, lists as sets. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) return new Set(value);
  return isRecord(value) ? new Map(Object.entries(withSettingNames(value))) : value;
}
