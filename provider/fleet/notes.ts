/**
 * The notes that an endpoint's inputs carry under names with two underscores (`endpoint/input-notes.ts`), for the members of a
 * fleet: there they stand beside the map, by key, where the engine does not show them.
 */
import { DRIFTED, DROPPED, droppedInputs, IMPORTED } from "../endpoint/input-notes";
import { isRecord } from "../lib/unknown";
import { splitOptions } from "./parse-fleet";

type Values = Readonly<Record<string, unknown>>;

const names = [IMPORTED, DROPPED, DRIFTED];

/** A member's inputs out of those of its fleet, with its notes; undefined where there is no such member. */
export function memberInputs(fleet: Values | undefined, key: string): Record<string, unknown> | undefined {
  const inputs = own(fleet?.endpoints, key);
  if (!isRecord(inputs)) return undefined;
  const notes = names.map((name) => [name, own(fleet?.[name], key)] as const);
  return { ...inputs, ...Object.fromEntries(notes.filter(([, note]) => note !== undefined)) };
}

/** The same without the member's options: what an endpoint's inputs would be. Empty where there is no such member. */
export function endpointInputs(fleet: Values | undefined, key: string): Record<string, unknown> {
  return splitOptions(memberInputs(fleet, key) ?? {}).inputs;
}

/** The inputs of members, by key, as those of a fleet: the map, and beside it the notes of all. */
export function withNotes(members: ReadonlyMap<string, Values>): Record<string, unknown> {
  const isOwnNote = ([name]: [string, unknown]) => names.includes(name);
  const endpoints = [...members].map(
    ([key, inputs]) => [key, Object.fromEntries(Object.entries(inputs).filter((one) => !isOwnNote(one)))] as const,
  );
  const notes = names.map((name) => {
    const noted = [...members].filter(([, inputs]) => inputs[name] !== undefined);
    return [name, Object.fromEntries(noted.map(([key, inputs]) => [key, inputs[name]]))] as const;
  });
  const present = notes.filter(([, noted]) => Object.keys(noted).length > 0);
  return { endpoints: Object.fromEntries(endpoints), ...Object.fromEntries(present) };
}

/** The old inputs of all members, as far as a host knows them that is not given any: what the program has dropped, by name. */
export function droppedByMember(fleet: Values): Record<string, unknown> {
  const dropped = fleet[DROPPED];
  if (!isRecord(dropped)) return {};
  const endpoints = Object.entries(dropped).map(([key, note]) => [key, droppedInputs({ [DROPPED]: note })]);
  return { endpoints: Object.fromEntries(endpoints) };
}

function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
