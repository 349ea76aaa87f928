/** Hidden inputs that the SDK adds to a dynamic resource: values that this host gets in no other way. */
import parseDuration from "parse-duration";
import { DRIFTED, DROPPED, TAKES } from "../../endpoint/input-notes";
import { BOOKKEEPING } from "../../endpoint/state";
import type { Values } from "../../lib/unknown";
import type { MarkedValues, Path } from "../values";

/** The resource's URN. */
export const URN_INPUT = "__urn";
/** The user's `customTimeouts`, as the engine's durations (`10m`, `1h30m`). */
export const TIMEOUTS_INPUT = "__timeouts";
/** The user's `replaceOnChanges`. The engine applies it only to a detailed diff, which this host cannot give. */
export const REPLACE_INPUT = "__replaceOnChanges";

/** The user's `ignoreChanges`, which the engine does not pass to this host. */
export const IGNORE_INPUT = "__ignoreChanges";

/** Names of an endpoint's secret properties, or paths in a fleet. This host gets every value in the clear. */
export const SECRET_INPUT = "__secret";

/** A fleet's values for all members. Read gets no inputs, so the state keeps them. */
export const SHARED_INPUT = "__shared";

/** The URN in the first of these values that has one. */
export function urnOf(...sources: (Values | undefined)[]): string | undefined {
  for (const source of sources) {
    const urn = source?.[URN_INPUT];
    if (typeof urn === "string" && urn.startsWith("urn:pulumi:")) return urn;
  }
  return undefined;
}

/** The user's timeout for one kind of call, in milliseconds; `undefined` if unset. */
export function timeoutOf(source: Values | undefined, call: "create" | "update" | "delete"): number | undefined {
  const timeouts = source?.[TIMEOUTS_INPUT];
  if (typeof timeouts !== "object" || timeouts === null) return undefined;
  const text = (timeouts as Values)[call];
  const ms = typeof text === "string" ? parseDuration(text) : undefined;
  return typeof ms === "number" && ms > 0 ? ms : undefined;
}

/** Message if `customTimeouts.delete` changed: a delete reads it from the state alone. Undefined if unchanged. */
export function deleteTimeoutMessage(state: Values, inputs: Values): string | undefined {
  const [before, after] = [timeoutOf(state, "delete"), timeoutOf(inputs, "delete")];
  if (before === after) return undefined;
  const shown = (ms: number | undefined) => (ms === undefined ? "the configured time" : `${ms / 1_000} s`);
  return `customTimeouts.delete is stored: ${shown(after)} instead of ${shown(before)}; nothing changes on the platform`;
}

/** The properties whose changes must replace the resource. */
export function replaceOnChangesOf(source: Values): string[] {
  return textsIn(source[REPLACE_INPUT]);
}

/** The paths whose changes are ignored. */
export function ignoreChangesOf(source: Values): string[] {
  return textsIn(source[IGNORE_INPUT]);
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** The given values, each with the secret places noted in any of them: an endpoint's properties, a fleet's paths. */
export function withSecrets(values: Values, ...others: readonly Values[]): [MarkedValues, ...MarkedValues[]] {
  const notes = [values, ...others].flatMap((one) => one[SECRET_INPUT] ?? []);
  const paths = notes.map((note) => (typeof note === "string" ? [note] : note)).filter(isPath);
  const secrets = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  return [{ values, secrets }, ...others.map((one) => ({ values: one, secrets }))];
}

/** The hidden input that notes these secret places for later calls; empty without any. */
export function noteSecrets(secrets: readonly Path[]): Record<string, unknown> {
  return secrets.length === 0 ? {} : { [SECRET_INPUT]: secrets.map((path) => (path.length === 1 ? path[0] : path)) };
}

/** The hidden values to keep in the state for later calls. */
export function hiddenOf(values: Values): Record<string, unknown> {
  const isNote = (name: string) => [DROPPED, DRIFTED, TAKES, BOOKKEEPING].includes(name);
  return Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith("__") && !isNote(name)));
}

/** The note of drift in an endpoint's inputs, copied to its state, because a refresh gets only the state. */
export function driftedIn(inputs: Values): Record<string, unknown> {
  return inputs[DRIFTED] === undefined ? {} : { [DRIFTED]: inputs[DRIFTED] };
}

function isPath(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((step) => typeof step === "string");
}

/** A state without its old hidden values: the new inputs bring current ones. */
export function withoutHidden(state: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(state).filter(([name]) => name === BOOKKEEPING || !name.startsWith("__")));
}
