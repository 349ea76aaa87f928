/** Notes that travel in a resource's inputs under names that the engine keeps and does not show: what only the step before knew of them. */
import { isDeepStrictEqual } from "node:util";
import type { Values } from "../lib/unknown";
import { type EndpointProperty, endpointProperties } from "./properties";

/** Marks inputs that an import read from the platform: the program has said none of them yet. */
export const IMPORTED = "__imported";

/** Names the inputs that the last run had and this program has no longer, for a host that is not given the old ones. */
export const DROPPED = "__dropped";

/** Names the inputs that a refresh changed, since somebody else had changed the endpoint. */
export const DRIFTED = "__drifted";

/**
 * Names the endpoint that a new resource takes over, by its id, for whoever reads a plan: nothing else tells them that. Unknown where its place
 * is, and it may take up what an interrupted run left there: the engine's own plans (`up --plan`) allow any value, or none, for an unknown one.
 */
export const TAKES = "__takes";

/** True for the inputs of an import, which no program has said. */
export function areImported(inputs: Values | undefined): boolean {
  return inputs?.[IMPORTED] === true;
}

/** The note of what the program no longer sets, to be added to its checked inputs; empty where it still sets all. */
export function noteDropped(olds: Values, news: Values): Record<string, unknown> {
  if (areImported(olds)) return {};
  const dropped = endpointProperties.filter((name) => isSet(olds[name]) && !isSet(news[name]));
  return dropped.length === 0 ? {} : { [DROPPED]: dropped };
}

/** Old inputs as far as a host knows them that is not given any: those of `noteDropped`, by name. */
export function droppedInputs(inputs: Values): Record<string, unknown> {
  return Object.fromEntries(namesIn(inputs[DROPPED]).map((name) => [name, true]));
}

/** The note of what a refresh changed, for the inputs that it gives back. What an earlier refresh has noted stays noted. */
export function noteDrifted(before: Values, now: Values, olds: Values = {}): Record<string, unknown> {
  const noted = stillDrifted(olds, now);
  const isNew = (name: EndpointProperty) => isSet(now[name]) && !isDeepStrictEqual(before[name], now[name]);
  const names = endpointProperties.filter((name) => noted.includes(name) || isNew(name));
  return names.length === 0 ? {} : { [DRIFTED]: names };
}

/** The inputs that are as a refresh found them: what the engine puts back for `ignoreChanges`, noted for as long as they stay equal. */
export function stillDrifted(olds: Values, news: Values): EndpointProperty[] {
  return namesIn(olds[DRIFTED]).filter((name) => isSet(news[name]) && isDeepStrictEqual(olds[name], news[name]));
}

function namesIn(note: unknown): EndpointProperty[] {
  return Array.isArray(note) ? endpointProperties.filter((name) => note.includes(name)) : [];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
