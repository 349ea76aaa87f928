/** The hidden inputs that the SDK gives a dynamic resource, because this host gets them in no other way. */
import parseDuration from "parse-duration";
import { DRIFTED, DROPPED, TAKES } from "../../endpoint/input-notes";
import { BOOKKEEPING } from "../../endpoint/state";
import type { Values } from "../../lib/unknown";
import type { MarkedValues, Path } from "../values";

/** The resource's URN. */
export const URN_INPUT = "__urn";
/** The user's `customTimeouts`, as the engine's durations (`10m`, `1h30m`). */
export const TIMEOUTS_INPUT = "__timeouts";
/** The user's `replaceOnChanges`, for which the engine needs a detailed diff, which this host cannot give. */
export const REPLACE_INPUT = "__replaceOnChanges";

/** The names of the properties that the program keeps secret, of a fleet their paths: this host is given every value in the clear. */
export const SECRET_INPUT = "__secret";

/** The fleet's values for all members, kept in the state because Read gets no inputs and has to return them. */
export const SHARED_INPUT = "__shared";

/** The resource's URN, where it is known. */
export function urnOf(...sources: (Values | undefined)[]): string | undefined {
  for (const source of sources) {
    const urn = source?.[URN_INPUT];
    if (typeof urn === "string" && urn.startsWith("urn:pulumi:")) return urn;
  }
  return undefined;
}

/** The user's timeout for one kind of call, in milliseconds; `undefined` where there is none. */
export function timeoutOf(source: Values | undefined, call: "create" | "update" | "delete"): number | undefined {
  const timeouts = source?.[TIMEOUTS_INPUT];
  if (typeof timeouts !== "object" || timeouts === null) return undefined;
  const text = (timeouts as Values)[call];
  const ms = typeof text === "string" ? parseDuration(text) : undefined;
  return typeof ms === "number" && ms > 0 ? ms : undefined;
}

/** Why the state has to learn another `customTimeouts.delete`: a delete is given no inputs. Undefined where it is the same. */
export function deleteTimeoutMessage(state: Values, inputs: Values): string | undefined {
  const [before, after] = [timeoutOf(state, "delete"), timeoutOf(inputs, "delete")];
  if (before === after) return undefined;
  const shown = (ms: number | undefined) => (ms === undefined ? "the configured time" : `${ms / 1_000} s`);
  return `customTimeouts.delete is stored: ${shown(after)} instead of ${shown(before)}; nothing changes on the platform`;
}

/** The properties whose changes are to replace the resource. */
export function replaceOnChangesOf(source: Values): string[] {
  const names = source[REPLACE_INPUT];
  return Array.isArray(names) ? names.filter((one) => typeof one === "string") : [];
}

/** The given values, each with the secret places that the notes of all name: properties of an endpoint, paths of a fleet. */
export function withSecrets(values: Values, ...others: readonly Values[]): [MarkedValues, ...MarkedValues[]] {
  const notes = [values, ...others].flatMap((one) => one[SECRET_INPUT] ?? []);
  const paths = notes.map((note) => (typeof note === "string" ? [note] : note)).filter(isPath);
  const secrets = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  return [{ values, secrets }, ...others.map((one) => ({ values: one, secrets }))];
}

/** The note that names these secret places, for later calls; none where there are none. */
export function noteSecrets(secrets: readonly Path[]): Record<string, unknown> {
  return secrets.length === 0 ? {} : { [SECRET_INPUT]: secrets.map((path) => (path.length === 1 ? path[0] : path)) };
}

/** The hidden values, which the state has to carry so that later calls see them. */
export function hiddenOf(values: Values): Record<string, unknown> {
  const isNote = (name: string) => [DROPPED, DRIFTED, TAKES, BOOKKEEPING].includes(name);
  return Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith("__") && !isNote(name)));
}

/** The note of drift, copied from an endpoint's inputs for its state. The next refresh gets only the state. */
export function driftedIn(inputs: Values): Record<string, unknown> {
  return inputs[DRIFTED] === undefined ? {} : { [DRIFTED]: inputs[DRIFTED] };
}

function isPath(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((step) => typeof step === "string");
}

/** A state without the hidden values of its time: those that the inputs bring now are to be stored. */
export function withoutHidden(state: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(state).filter(([name]) => name === BOOKKEEPING || !name.startsWith("__")));
}
