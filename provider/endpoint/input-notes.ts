/**
 * Notes in a resource's inputs, under names that the engine stores and hides. They pass knowledge from one step to the
 * next.
 */
import { isDeepStrictEqual } from "node:util";
import type { Values } from "../lib/unknown";
import { type EndpointProperty, endpointProperties } from "./properties";

/** Marks inputs from an import, which no program has set. */
export const IMPORTED = "__imported";

/** The inputs that the program has dropped since the last run, for a host without old inputs. */
export const DROPPED = "__dropped";

/** The inputs that a refresh changed, after changes outside the program. */
export const DRIFTED = "__drifted";

/**
 * For readers of a plan: the id of the endpoint that a new resource adopts, of a new fleet the ids by member; unknown
 * while an adoption is possible. `true` in a fleet of the state: its new members may adopt.
 */
export const TAKES = "__takes";

/** True for the inputs of an import, which no program has set. */
export function areImported(inputs: Values | undefined): boolean {
  return inputs?.[IMPORTED] === true;
}

/** An entry for the checked inputs with the names that old inputs set and new ones do not; `{}` if there are none. */
export function noteDropped(olds: Values, news: Values): Record<string, unknown> {
  if (areImported(olds)) return {};
  const dropped = endpointProperties.filter((name) => isSet(olds[name]) && !isSet(news[name]));
  return dropped.length === 0 ? {} : { [DROPPED]: dropped };
}

/** The dropped inputs, by the note of `noteDropped`, for a host without old inputs. */
export function droppedInputs(inputs: Values): Record<string, unknown> {
  return Object.fromEntries(namesIn(inputs[DROPPED]).map((name) => [name, true]));
}

/** The note of the inputs that a refresh changed, for those that it returns. An earlier refresh's note is kept. */
export function noteDrifted(before: Values, now: Values, olds: Values = {}): Record<string, unknown> {
  const noted = stillDrifted(olds, now);
  const isNew = (name: EndpointProperty) => isSet(now[name]) && !isDeepStrictEqual(before[name], now[name]);
  const names = endpointProperties.filter((name) => noted.includes(name) || isNew(name));
  return names.length === 0 ? {} : { [DRIFTED]: names };
}

/** The noted inputs that still have the refresh's value: the engine restored them for `ignoreChanges`. */
export function stillDrifted(olds: Values, news: Values): EndpointProperty[] {
  return namesIn(olds[DRIFTED]).filter((name) => isSet(news[name]) && isDeepStrictEqual(olds[name], news[name]));
}

/** True for an input that the refresh before this run has changed. */
export function isDrifted(olds: Values, name: EndpointProperty): boolean {
  return namesIn(olds[DRIFTED]).includes(name);
}

function namesIn(note: unknown): EndpointProperty[] {
  return Array.isArray(note) ? endpointProperties.filter((name) => note.includes(name)) : [];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
