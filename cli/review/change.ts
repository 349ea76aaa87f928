/** What a step of a plan changes: each property from and to. */
import { type Differences, differencesSince, withoutTrigger } from "../../provider/endpoint/differences";
import { type CheckedInputs, parseInputs } from "../../provider/endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties, propertyOf } from "../../provider/endpoint/properties";
import { sizeRange } from "../../provider/endpoint/rules/size";
import type { EndpointState } from "../../provider/endpoint/state";
import { hasUnknown, isKnown, UNKNOWN } from "../../provider/lib/unknown";
import { plain } from "../../provider/lib/wording";
import { holdsSecret, ownValue, type PlanStep, SECRET } from "./plan-model";

/** A value of a property in a plan. */
export type PlanValue =
  | { is: "value"; value: unknown }
  | { is: "unset" | "secret" | "unknown" }
  /** Left as it is: the program no longer sets it, and it has no default. */
  | { is: "kept" };

/** One property that changes. */
export interface PropertyChange {
  /** Such as `branchId`, `pgSettings.work_mem`; `size` for the three ways to write one, as a range in CU. */
  name: string;
  from: PlanValue;
  to: PlanValue;
  /** True where nothing says whether the value differs, because both sides are secret. */
  mayStay?: true;
}

type Side = Readonly<Record<string, unknown>>;

/** A change as the provider's own functions see it: secrets are left out, or are UNKNOWN. */
export interface ReadChange {
  state: EndpointState;
  inputs: CheckedInputs;
  found: Differences;
  properties: PropertyChange[];
  /** Secret properties, for which UNKNOWN stands in the inputs. */
  hidden: EndpointProperty[];
}

/**
 * What differs between the sides of a step, by the provider's own comparison. Of a secret only the provider knows
 * whether it changed: where it names the changed properties it is believed, else the secret counts as not known yet.
 */
export function readChange(step: PlanStep): ReadChange {
  const before = step.before?.outputs ?? {};
  const wanted = step.after?.inputs ?? {};
  const named = step.changed && new Set(step.changed.map((path) => path.split(/[.[]/)[0]));
  const secret = endpointProperties.filter((name) => holdsSecret(before[name]) || holdsSecret(wanted[name]));
  const state = Object.fromEntries(Object.entries(before).filter(([, value]) => !holdsSecret(value)));
  const inputs = inputsIn(wanted);
  const found = differencesSince({ state, inputs, oldInputs: step.before?.inputs });
  for (const name of secret) {
    if (named && !named.has(name)) {
      delete found[name];
      delete inputs[name];
    } else if (named && name === "pgSettings") {
      // Certainly edited: with a side that is not known it would only be possible.
      delete inputs.pgSettings;
      delete state.pgSettings;
      found.pgSettings = { change: found.pgSettings?.change ?? "update" };
    }
  }
  const hidden = secret.filter((name) => name in found && inputs[name] === UNKNOWN && holdsSecret(wanted[name]));
  return { state, inputs, found, hidden, properties: rows(found, before, wanted, named === undefined) };
}

/** What a takeover changes of a known endpoint. Values that only the program has are ignored. */
export function readTakeover(step: PlanStep): ReadChange {
  const { properties, ...change } = readChange(step);
  const found = withoutTrigger(change.found);
  return {
    ...change,
    found,
    properties: properties.filter(({ name }) => name === "size" || (name.split(".")[0] as string) in found),
  };
}

/** What a new endpoint is given: each input that the program sets. */
export function readCreation(step: PlanStep): ReadChange {
  const wanted = step.after?.inputs ?? {};
  const inputs = inputsIn(wanted);
  const given = endpointProperties.filter((name) => wanted[name] !== undefined);
  const found: Differences = Object.fromEntries(given.map((name) => [name, { change: "add", after: inputs[name] }]));
  const hidden = given.filter((name) => holdsSecret(wanted[name]));
  return { state: {}, inputs, found, hidden, properties: rows(found, {}, wanted, false) };
}

function inputsIn(wanted: Side): CheckedInputs {
  const known = Object.entries(wanted).map(([name, value]) => [name, holdsSecret(value) ? UNKNOWN : value]);
  return parseInputs(Object.fromEntries(known)).inputs;
}

function rows(found: Differences, before: Side, wanted: Side, secretsMayStay: boolean): PropertyChange[] {
  const changed = endpointProperties.filter((name) => name in found);
  const names = changed.filter((name) => propertyOf(name).compared !== "size");
  return [
    ...(names.length < changed.length ? [{ name: "size", from: sizeValue(before), to: sizeValue(wanted) }] : []),
    ...names.flatMap((name) => (name === "pgSettings" ? settingRows(before, wanted) : row(name, before, wanted))),
  ].map((change) =>
    secretsMayStay && change.from.is === "secret" && change.to.is === "secret" ? { ...change, mayStay: true } : change,
  );
}

function row(name: EndpointProperty, before: Side, wanted: Side): PropertyChange {
  const to = wanted[name] ?? propertyOf(name).resetTo;
  return { name, from: planValue(before[name]), to: to === undefined ? { is: "kept" } : planValue(to) };
}

function settingRows(before: Side, wanted: Side): PropertyChange[] {
  const [from, to] = [before.pgSettings ?? {}, wanted.pgSettings ?? {}];
  if (typeof from !== "object" || typeof to !== "object") {
    return [{ name: "pgSettings", from: planValue(before.pgSettings), to: planValue(wanted.pgSettings) }];
  }
  const sides = [from, to] as [Record<string, unknown>, Record<string, unknown>];
  return [...new Set(sides.flatMap(Object.keys))].sort().flatMap((name) => {
    const [old, next] = [ownValue(sides[0], name), ownValue(sides[1], name)];
    if (comparable(old) === comparable(next) && old !== SECRET) return [];
    return [{ name: `pgSettings.${plain(name)}`, from: planValue(old), to: planValue(next) }];
  });
}

/** Settings are text on the platform: the number 4 and the text "4" are the same. */
function comparable(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

function sizeValue(side: Side): PlanValue {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu } = side;
  const parts = [autoscalingLimitMinCu, autoscalingLimitMaxCu].some((end) => end !== undefined)
    ? [autoscalingLimitMinCu, autoscalingLimitMaxCu]
    : [sizeCu];
  if (parts.some(hasUnknown)) return { is: "unknown" };
  if (parts.includes(SECRET)) return { is: "secret" };
  const [min, max = min] = parts;
  const range = sizeRange({
    autoscalingLimitMinCu: min as number | undefined,
    autoscalingLimitMaxCu: max as number | undefined,
  });
  return isKnown(range) ? { is: "value", value: { min: range.minCu, max: range.maxCu } } : { is: "unset" };
}

/** A value of a plan, told from one that is not set, hidden or not known yet. */
export function planValue(value: unknown): PlanValue {
  if (value === undefined || value === null) return { is: "unset" };
  if (holdsSecret(value)) return { is: "secret" };
  if (hasUnknown(value)) return { is: "unknown" };
  return { is: "value", value };
}
