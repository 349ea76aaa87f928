/** The changes of a plan's step: each property's old and new value. */
import {
  type Difference,
  type Differences,
  differencesSince,
  withoutTrigger,
} from "../../provider/endpoint/differences";
import { type CheckedInputs, parseInputs } from "../../provider/endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties, propertyOf } from "../../provider/endpoint/properties";
import { sizeNames, sizeRange } from "../../provider/endpoint/rules/size";
import type { EndpointState } from "../../provider/endpoint/state";
import { hasUnknown, isKnown, ownValue, UNKNOWN } from "../../provider/lib/unknown";
import { plain } from "../../provider/lib/wording";
import { holdsSecret, type PlanStep, SECRET } from "./plan-model";

/** A value of a property in a plan. */
export type PlanValue =
  | { is: "value"; value: unknown }
  | { is: "unset" | "secret" | "unknown" }
  /** Kept: the program no longer sets the property, which has no default. */
  | { is: "kept" };

/** One changed property. */
export interface PropertyChange {
  /** Such as `branchId` or `pgSettings.work_mem`. All size properties are one `size`, a range in CU. */
  name: string;
  from: PlanValue;
  to: PlanValue;
  /** A side is secret, so the values may be equal. */
  mayStay?: true;
}

type Side = Readonly<Record<string, unknown>>;

/**
 * A change in the form of the provider's functions: unreadable values are absent in the state, UNKNOWN in the inputs.
 */
export interface ReadChange {
  state: EndpointState;
  inputs: CheckedInputs;
  found: Differences;
  properties: PropertyChange[];
  /** Properties with a secret side that differ or may differ. */
  secret: EndpointProperty[];
}

/** The properties that every endpoint has. */
const required: readonly EndpointProperty[] = ["projectId", "branchId", "type"];

/**
 * Compares a step's two sides with the provider's code. For an unreadable side, takes the provider's list of changes,
 * or assumes one.
 */
export function readChange(step: PlanStep): ReadChange {
  const before = step.before?.outputs ?? {};
  const wanted = step.after?.inputs ?? {};
  const named = step.changed && new Set(step.changed.map((path) => path.split(/[.[]/)[0]));
  const state = Object.fromEntries(Object.entries(before).filter(([, value]) => !isHidden(value)));
  const inputs = inputsIn(wanted);
  const found = differencesSince({ state, inputs, oldInputs: step.before?.inputs });

  for (const [name, difference] of Object.entries(found) as [EndpointProperty, Difference][]) {
    if (!isUnread(name, before, wanted)) continue;
    if (named && !named.has(name)) delete found[name];
    else if (!hasUnknown(difference.after)) found[name] = { change: difference.change, after: UNKNOWN };
  }

  const secret = namesIn(found).filter((name) => [...valuesOf(name, before), wanted[name]].some(holdsSecret));
  return { state, inputs, found, secret, properties: rows(found, before, wanted, named === undefined) };
}

/** Reads the changes of adopting a known endpoint. Ignores values that only programs have. */
export function readTakeover(step: PlanStep): ReadChange {
  const { properties, ...change } = readChange(step);
  const found = withoutTrigger(change.found);
  return {
    ...change,
    found,
    properties: properties.filter(({ name }) => name === "size" || (name.split(".")[0] as string) in found),
  };
}

/** The inputs of a new endpoint, as added properties. */
export function readCreation(step: PlanStep): ReadChange {
  const wanted = step.after?.inputs ?? {};
  const inputs = inputsIn(wanted);
  const given = endpointProperties.filter((name) => wanted[name] !== undefined);
  const found: Differences = Object.fromEntries(given.map((name) => [name, { change: "add", after: inputs[name] }]));
  const secret = given.filter((name) => holdsSecret(wanted[name]));
  return { state: {}, inputs, found, secret, properties: rows(found, {}, wanted, false) };
}

/** True if the plan hides the old or new value. Unknown values are in the difference itself. */
function isUnread(name: EndpointProperty, before: Side, wanted: Side): boolean {
  const olds = valuesOf(name, before);
  return olds.some(isHidden) || holdsSecret(wanted[name]) || (required.includes(name) && olds.includes(undefined));
}

/** A property's values in a state, which stores a fixed size as two equal limits. */
function valuesOf(name: EndpointProperty, side: Side): unknown[] {
  return (name === "sizeCu" ? sizeNames : [name]).map((one) => side[one]);
}

function isHidden(value: unknown): boolean {
  return holdsSecret(value) || hasUnknown(value);
}

function namesIn(found: Differences): EndpointProperty[] {
  return endpointProperties.filter((name) => name in found);
}

function inputsIn(wanted: Side): CheckedInputs {
  const known = Object.entries(wanted).map(([name, value]) => [name, holdsSecret(value) ? UNKNOWN : value]);
  return parseInputs(Object.fromEntries(known)).inputs;
}

function rows(found: Differences, before: Side, wanted: Side, secretsMayStay: boolean): PropertyChange[] {
  const changed = namesIn(found);
  const names = changed.filter((name) => propertyOf(name).compared !== "size");
  return [
    ...(names.length < changed.length ? [{ name: "size", from: sizeValue(before), to: sizeValue(wanted) }] : []),
    ...names.flatMap((name) => (name === "pgSettings" ? settingRows(before, wanted) : row(name, before, wanted))),
  ].map((change) => {
    const isSecret = change.from.is === "secret" || change.to.is === "secret";
    return secretsMayStay && isSecret && change.from.is !== "unset" ? { ...change, mayStay: true } : change;
  });
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

/** A value to compare as text, as the platform does: the number 4 equals the text "4". */
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

/** A plan's value, or the reason why there is none: unset, secret or unknown. */
export function planValue(value: unknown): PlanValue {
  if (value === undefined || value === null) return { is: "unset" };
  if (holdsSecret(value)) return { is: "secret" };
  if (hasUnknown(value)) return { is: "unknown" };
  return { is: "value", value };
}
