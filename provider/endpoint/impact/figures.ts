/** The figures of a change before and after it: size, memory, max_connections, autosuspend. */
import { isKnown } from "../../lib/unknown";
import { GB_PER_CU } from "../../platform/profiles/profile";
import type { CheckedInputs } from "../parse-inputs";
import { propertyOf } from "../properties";
import { NEVER_SUSPEND } from "../rules/autosuspend";
import { sizeRange } from "../rules/size";
import type { EndpointState } from "../state";
import type { BeforeAfter, Impact, PlannedChange, Range } from "./model";

/** A value on both sides of a change; UNKNOWN while it is not known. */
type Sides = { before: unknown; after: unknown };

/** Every figure of which a side is known, whether it changes or not. */
export function figuresOf(change: PlannedChange): Partial<Impact> {
  const [min, max] = [limitOf(change, "autoscalingLimitMinCu"), limitOf(change, "autoscalingLimitMaxCu")];
  const sizeCu = sides<Range>({ before: rangeOf(min.before, max.before), after: rangeOf(min.after, max.after) });
  const { profile } = change;
  const maxConnections = sides<number>({
    before: profile?.maxConnections(min.before, max.before),
    after: profile?.maxConnections(min.after, max.after),
  });
  const figures = {
    maxConnections,
    memoryGb: converted(sizeCu, memoryOf),
    sizeCu,
    suspendTimeoutSeconds: sides<number>(inForce(delayOf(change), sizeCu, change)),
  };
  const told = Object.entries(figures).filter(([, one]) => Object.keys(one).length > 0);
  const connectionsSetBy = profile?.connectionsSetBy;
  return {
    ...Object.fromEntries(told),
    ...(connectionsSetBy !== undefined && "after" in maxConnections && { connectionsSetBy }),
  };
}

function limitOf(change: PlannedChange, limit: "autoscalingLimitMinCu" | "autoscalingLimitMaxCu"): BeforeAfter<number> {
  const { kind, state = {}, found = {} } = change;
  const before = state[limit];
  if (kind === "create" || kind === "replace") return sides({ before, after: wantedLimit(change, limit) });
  if (kind !== "update") return sides({ before, after: undefined });
  const difference = found.sizeCu ?? found[limit];
  return sides({ before, after: difference === undefined ? before : difference.after });
}

/** What inputs say of an endpoint, as a state has it: known values, and the size as its limits. */
export function stateWanted(inputs: Partial<CheckedInputs>): EndpointState {
  const { sizeCu, autoscalingLimitMinCu = sizeCu, autoscalingLimitMaxCu = sizeCu } = inputs;
  const limits = { autoscalingLimitMinCu, autoscalingLimitMaxCu };
  return Object.fromEntries(Object.entries({ ...inputs, ...limits }).filter(([, value]) => isKnown(value)));
}

/** Of a new endpoint. An end that is known counts where the other is not. */
function wantedLimit({ inputs = {} }: PlannedChange, limit: "autoscalingLimitMinCu" | "autoscalingLimitMaxCu") {
  return sizeRange(inputs) === undefined ? undefined : (inputs.sizeCu ?? inputs[limit]);
}

function delayOf({ kind, state = {}, inputs = {}, found = {} }: PlannedChange): Sides {
  const name = "suspendTimeoutSeconds";
  const before = state[name];
  switch (kind) {
    case "create":
      return { before, after: inputs[name] };
    case "update":
      return { before, after: found[name] === undefined ? before : found[name].after };
    case "replace":
      // A new endpoint has nothing of the old one that the program does not say.
      return { before, after: inputs[name] ?? (before === undefined ? undefined : propertyOf(name).resetTo) };
    case "delete":
    case "release":
      return { before, after: undefined };
  }
}

/** The delay that counts: a size that the platform keeps active never suspends, whatever its delay says. */
function inForce(delay: Sides, sizeCu: BeforeAfter<Range>, { profile }: PlannedChange): Sides {
  const limit = profile?.alwaysActiveAboveCu ?? Number.POSITIVE_INFINITY;
  const side = (name: "before" | "after") => ((sizeCu[name]?.max ?? 0) > limit ? NEVER_SUSPEND : delay[name]);
  return { before: side("before"), after: side("after") };
}

function sides<T>({ before, after }: Sides): BeforeAfter<T> {
  return { ...(isKnown(before) && { before: before as T }), ...(isKnown(after) && { after: after as T }) };
}

function converted<A, B>({ before, after }: BeforeAfter<A>, convert: (side: A) => B | undefined): BeforeAfter<B> {
  const convertSide = (side: A | undefined) => (side === undefined ? undefined : convert(side));
  return sides({ before: convertSide(before), after: convertSide(after) });
}

function rangeOf(min: number | undefined, max: number | undefined): Range | undefined {
  return min === undefined || max === undefined ? undefined : { min, max };
}

function memoryOf({ min, max }: Range): Range {
  return { min: min * GB_PER_CU, max: max * GB_PER_CU };
}
