/**
 * A fleet's state: for each member a few outputs that people read, and one JSON text with all else that its lifecycle needs.
 * A member's outputs and its part of the text together are an `Endpoint`'s state, whole and unchanged, so that the two can be
 * made of each other without loss.
 */

import { BOOKKEEPING, bookkeepingOf, type EndpointState } from "../endpoint/state";
import { isRecord } from "../lib/record";
import { PgComputeError } from "../platform/errors";

/** A member as the state has it. */
export interface StoredMember {
  /** Exactly what an `Endpoint` has as its state: inputs, outputs and bookkeeping. */
  state: EndpointState;
  /** True where a plan that deletes it is refused. */
  protect?: true;
  /** True where it stays on the platform when it leaves the fleet. */
  retainOnDelete?: true;
  /** What the program said when it was last changed: that has been done, whatever became of the endpoint. */
  importId?: string;
}

/** The members by their keys, in the order of the program. */
export type StoredMembers = ReadonlyMap<string, StoredMember>;

/** A fleet's outputs as a host stores them; a type, so that it passes for a record of values. */
export type FleetState = {
  /** By key: `endpointId`, `host`, `pooledHost`, and what the program set. */
  endpoints: Record<string, EndpointState>;
  /** The JSON text, under the same key as an endpoint's bookkeeping. */
  [BOOKKEEPING]: string;
};

/** A member's part of the text. */
interface Part {
  /** What of the endpoint's state is neither among its outputs nor common. */
  state?: EndpointState;
  /** The names of common values that it does not have. */
  without?: string[];
  protect?: true;
  retainOnDelete?: true;
  importId?: string;
}

/** The text as data. */
interface Text {
  /** The form; it grows when an older version would misread the text. */
  v: number;
  /** Values that most members have: they hold wherever a member has no value of its own. */
  common: EndpointState;
  members: Record<string, Part>;
}

const VERSION = 1;

/** The outputs that a member has whatever the program sets. */
const alwaysShown = ["endpointId", "host", "pooledHost"];

/** The members as a host stores them. */
export function encodeMembers(members: StoredMembers): FleetState {
  const sides = [...members].map(([key, member]) => ({ key, member, ...split(member.state) }));
  const common = commonOf(sides.map(({ rest }) => rest));
  const text: Text = { v: VERSION, common, members: {} };
  const endpoints: FleetState["endpoints"] = {};
  for (const { key, member, shown, rest } of sides) {
    endpoints[key] = shown;
    text.members[key] = partOf(member, rest, common);
  }
  return { endpoints, [BOOKKEEPING]: JSON.stringify(text) };
}

/**
 * The members of a stored fleet; none where nothing is stored. Throws `refused` for bookkeeping that a newer version wrote, or
 * that cannot be read.
 */
export function decodeMembers(stored: Readonly<Record<string, unknown>> | undefined): Map<string, StoredMember> {
  const endpoints = recordOf(stored?.endpoints);
  const { common, members } = parseText(stored?.[BOOKKEEPING]);
  return new Map(
    Object.entries(endpoints).map(([key, shown]) => {
      const part = Object.hasOwn(members, key) ? (members[key] ?? {}) : {};
      const state: EndpointState = { ...common };
      for (const name of part.without ?? []) delete state[name];
      return [key, memberOf({ ...state, ...part.state, ...recordOf(shown) }, part)];
    }),
  );
}

/** A member of a state and its options; options that are off are left out. */
export function memberOf(
  state: EndpointState,
  { protect, retainOnDelete, importId }: { protect?: unknown; retainOnDelete?: unknown; importId?: unknown } = {},
): StoredMember {
  return {
    state,
    ...(protect === true && { protect }),
    ...(retainOnDelete === true && { retainOnDelete }),
    ...(typeof importId === "string" && { importId }),
  };
}

/** What people see of a member's state: `endpointId`, `host`, `pooledHost`, and what the program set. */
export function shownOf(state: EndpointState, set?: readonly string[]): EndpointState {
  return split(state, set).shown;
}

function split(
  state: EndpointState,
  set: readonly string[] = bookkeepingOf(state).set ?? [],
): { shown: EndpointState; rest: EndpointState } {
  const names = new Set<string>([...alwaysShown, ...set]);
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  return {
    shown: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    rest: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

function partOf(member: StoredMember, rest: EndpointState, common: EndpointState): Part {
  const own = Object.entries(rest).filter(
    ([name, value]) => !(Object.hasOwn(common, name) && isSame(common[name], value)),
  );
  // What the outputs have goes before the common value anyway.
  const without = Object.keys(common).filter((name) => !Object.hasOwn(member.state, name));
  const { protect, retainOnDelete, importId } = member;
  return {
    ...(own.length > 0 && { state: Object.fromEntries(own) }),
    ...(without.length > 0 && { without }),
    ...(protect && { protect }),
    ...(retainOnDelete && { retainOnDelete }),
    ...(importId !== undefined && { importId }),
  };
}

/** Of each property the value that more than half of the members have. */
function commonOf(all: readonly EndpointState[]): EndpointState {
  const counts = new Map<string, Map<string, number>>();
  for (const state of all) {
    for (const [name, value] of Object.entries(state)) {
      const values = counts.get(name) ?? new Map<string, number>();
      const text = JSON.stringify(value);
      counts.set(name, values.set(text, (values.get(text) ?? 0) + 1));
    }
  }
  const common: EndpointState = {};
  for (const [name, values] of counts) {
    for (const [text, count] of values) if (count > 1 && count * 2 > all.length) common[name] = JSON.parse(text);
  }
  return common;
}

function parseText(text: unknown): Text {
  if (text === undefined) return { v: VERSION, common: {}, members: {} };
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(text));
  } catch {
    throw new PgComputeError("refused", "the bookkeeping in the fleet's state is not JSON, so nothing can be planned");
  }
  const { v, common, members } = recordOf(parsed);
  if (v !== VERSION) {
    throw new PgComputeError(
      "refused",
      `the state of the fleet was written by a newer version of this provider (form ${String(v)}; this version reads ` +
        `form ${VERSION}). Use that version or a newer one`,
    );
  }
  return { v, common: recordOf(common), members: recordOf(members) as Record<string, Part> };
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The values come from JSON, or go there. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
