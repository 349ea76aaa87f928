/** Compares an endpoint's state with the program's inputs. Diff, impact and updates all use this result. */
import { isDeepStrictEqual } from "node:util";
import { stepsOf } from "../lib/path";
import { isRecord, UNKNOWN, type Values } from "../lib/unknown";
import type { Profile } from "../platform/profiles/profile";
import { areImported } from "./input-notes";
import type { CheckedInputs } from "./parse-inputs";
import { type EndpointInputs, type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { effectiveSuspendSeconds, isFixedDelay } from "./rules/autosuspend";
import { withSettingNames } from "./rules/pg-settings";
import { limitNames, sizeRange } from "./rules/size";
import { bookkeepingOf, type EndpointState } from "./state";

/** How one property differs: set for the first time, changed, or no longer set. */
export type Change = "add" | "update" | "delete";

/** One property that differs. */
export interface Difference {
  change: Change;
  /** The current value; absent if the platform does not return it. */
  before?: unknown;
  /** The wanted value: from the program, or the default after the program dropped the property. It is or contains UNKNOWN while unknown. */
  after?: unknown;
}

/** The properties that differ between what is and what the program says, in the order of the table. */
export type Differences = Partial<Record<EndpointProperty, Difference>>;

/** The input of a comparison with the last run. */
export interface SinceLastRun {
  /** The inputs of the last run, where the host has them. */
  oldInputs?: Values | undefined;
  /** Properties whose changes the user has asked to ignore. */
  ignoreChanges?: readonly string[] | undefined;
  /** The platform of the plan. */
  profile?: Profile | undefined;
}

/** A property's current value and the program's value. */
interface Compared {
  state: EndpointState;
  inputs: CheckedInputs;
}

/**
 * Compares the state with the inputs. A property that the program never set is the platform's business; one that it
 * stops setting differs where the platform does not have its default. Sizes compare as (minimum, maximum), however they
 * were written; sizes that contradict each other, which only `ignoreChanges` brings about, stay as they are. A value that
 * is not known yet counts as a change.
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

/** The differences without a delay that the account's plan fixes: it is in force, whatever was shown. */
function withoutFixed(found: Differences, profile: Profile | undefined): Differences {
  const { suspendTimeoutSeconds: delay, ...others } = found;
  return delay && isFixedDelay(delay.after, profile) ? others : found;
}

/** The differences without a trigger: what only the program has restarts nothing that comes under management. */
export function withoutTrigger(found: Differences): Differences {
  const { restartTrigger: _, ...others } = found;
  return others;
}

/** The differences since the last run. What an import read was said by no program, and the first trigger after it restarts nothing. */
export function differencesSince({
  state,
  inputs,
  oldInputs,
  ignoreChanges = [],
  profile,
}: Compared & SinceLastRun): Differences {
  const wanted = withHeldLimit(inputs, state, ignoreChanges);
  const found = withoutFixed(differences(state, wanted, setBefore(state, oldInputs)), profile);
  // Of a path such as `pgSettings.work_mem` the engine has put the ignored part back already; the rest is compared.
  for (const name of endpointProperties) if (isIgnored(name, ignoreChanges)) delete found[name];
  if (!bookkeepingOf(state).imported || state.restartTrigger !== undefined) return found;
  const saidAtImport = areImported(oldInputs) || oldInputs?.restartTrigger === inputs.restartTrigger;
  return saidAtImport ? withoutTrigger(found) : found;
}

/** The inputs with the present value of a limit of the size that `ignoreChanges` names: the other limit can only come beside that one. */
export function withHeldLimit(
  inputs: CheckedInputs,
  state: EndpointState,
  ignoreChanges: readonly string[],
): CheckedInputs {
  const [held, ...others] = limitNames.filter((name) => isIgnored(name, ignoreChanges));
  const isHeld = held !== undefined && others.length === 0 && inputs[held] !== undefined;
  return isHeld && typeof state[held] === "number" ? { ...inputs, [held]: state[held] } : inputs;
}

/** True if `ignoreChanges` names the property or all properties. A path of more steps names a part of a value. */
export function isIgnored(name: string, ignoreChanges: readonly string[]): boolean {
  const whole = ignoreChanges.map(stepsOf).filter((steps) => steps.length === 1);
  return whole.some(([step]) => step === name || step === "*");
}

/** The inputs that the program had set: by the bookkeeping, and by the old inputs where the host has them. An import sets nothing. */
export function setBefore(state: EndpointState, oldInputs: Values | undefined): ReadonlySet<string> {
  const said = oldInputs && !areImported(oldInputs) ? setIn(oldInputs) : [];
  return new Set([...said, ...(bookkeepingOf(state).set ?? [])]);
}

/** The properties that inputs set, in the order of the table. */
export function setIn(inputs: Values): EndpointProperty[] {
  return endpointProperties.filter((property) => inputs[property] !== undefined && inputs[property] !== null);
}

/** The default values of the named inputs that the program does not set. */
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
      // 0 and the default it stands for are the same delay, whichever of the two a platform answers.
      if (after === UNKNOWN || before === undefined) return false;
      return effectiveSuspendSeconds(after as number) === effectiveSuspendSeconds(before as number);
    default:
      return isDeepStrictEqual(unordered(after), unordered(before));
  }
}

/** Settings, the one map there is, by their names in Postgres, and a list by its members, in whatever order and however they were made. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) return new Set(value);
  return isRecord(value) ? new Map(Object.entries(withSettingNames(value))) : value;
}
