/**
 * A fleet's state: visible outputs per member, and one JSON text with the rest. Together they are an `Endpoint`'s
 * state.
 */
import { createHash } from "node:crypto";
import { BOOKKEEPING, bookkeepingOf, type EndpointState, otherFormError } from "../endpoint/state";
import { defined, isRecord, ownValue, type Values } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";

/** A member in the state. */
export interface StoredMember {
  /** The state of an `Endpoint`: inputs, outputs and bookkeeping. */
  state: EndpointState;
  protect?: true;
  retainOnDelete?: true;
  /** The `importId` that the last change has done, even if the endpoint was deleted since. */
  importId?: string;
}

/** The members by key, in the program's order. */
export interface StoredMembers extends ReadonlyMap<string, StoredMember> {
  /** By key, the mark (`importMark`) of a done `importId` for members without an endpoint. */
  readonly spent?: ReadonlyMap<string, string>;
}

/** A fleet's outputs in a host's state; a type alias, so that it is assignable to a record. */
export type FleetState = {
  endpoints: Record<string, EndpointState>;
  /** The JSON text, under the key of an endpoint's bookkeeping. */
  [BOOKKEEPING]: string;
};

/**
 * A member's part of the text: state values that are neither visible nor common, and the names of common values that it
 * lacks.
 */
type Part = Partial<StoredMember> & { without?: string[] };

interface Text {
  /** Values that most members share; a member's own value takes precedence. */
  common: EndpointState;
  members: Record<string, Part>;
  /** Marks of done `importId`s, by key. */
  spent?: Record<string, string>;
}

/** The version of the text's form. Other versions are refused. */
const VERSION = 1;

const MARK_DIGITS = 16;

/** Outputs that every member shows, whatever the program sets. */
const alwaysShown = ["endpointId", "host", "pooledHost"];

/**
 * Encodes the members for a host. Values at `secrets` (paths of outputs) stay out of the text, so that the engine
 * encrypts them.
 */
export function encodeMembers(
  members: StoredMembers,
  secrets: readonly (readonly (string | number)[])[] = [],
): FleetState {
  const secretIn = new Map<unknown, string[]>();
  for (const [, key, name] of secrets) secretIn.set(key, [...(secretIn.get(key) ?? []), String(name)]);

  const sides = [...members].map(([key, member]) => {
    const also = secretIn.get(key) ?? [];
    const { importId, ...open } = member;
    const { shown, rest } = split(member.state, [...(bookkeepingOf(member.state).set ?? []), ...also]);
    return importId !== undefined && also.includes("importId")
      ? { key, member: open, shown: { ...shown, importId }, rest }
      : { key, member, shown, rest };
  });

  const common = commonOf(sides.map(({ rest }) => rest));
  const spent = [...(members.spent ?? [])].filter(([key]) => !members.has(key));

  const parts = sides.map(({ key, member: { state: _, ...flags }, shown, rest }) => {
    const own = Object.entries(rest).filter(([name, value]) => JSON.stringify(common[name]) !== JSON.stringify(value));
    // A visible output takes precedence over the common value.
    const without = Object.keys(common).filter((name) => !Object.hasOwn(shown, name) && !Object.hasOwn(rest, name));
    const state = own.length > 0 && { state: Object.fromEntries(own) };
    return [key, { ...state, ...(without.length > 0 && { without }), ...flags }] as const;
  });

  const text = {
    v: VERSION,
    common,
    members: Object.fromEntries(parts),
    ...(spent.length > 0 && { spent: Object.fromEntries(spent) }),
  };
  const endpoints = Object.fromEntries(sides.map(({ key, shown }) => [key, shown]));
  return { endpoints, [BOOKKEEPING]: JSON.stringify(text) };
}

/** Decodes a stored fleet's members. Throws `refused` for bookkeeping of another version, or unreadable bookkeeping. */
export function decodeMembers(stored: Values | undefined): Map<string, StoredMember> & StoredMembers {
  const endpoints = recordOf(stored?.endpoints);
  const { common, members, spent = {} } = parseText(stored?.[BOOKKEEPING]);

  const decoded = new Map(
    Object.entries(endpoints).map(([key, shown]) => {
      const part: Part = recordOf(ownValue(members, key));
      const state: EndpointState = { ...common };
      for (const name of part.without ?? []) delete state[name];
      const { importId = part.importId, ...whole } = { ...state, ...part.state, ...recordOf(shown) };
      return [key, memberOf(whole, { ...part, importId })];
    }),
  );
  return withSpent(decoded, new Map(Object.entries(spent)));
}

/** The members with these marks. */
export function withSpent<T extends ReadonlyMap<string, StoredMember>>(
  members: T,
  spent: ReadonlyMap<string, string> | undefined,
): T & StoredMembers {
  return spent && spent.size > 0 ? Object.assign(members, { spent }) : members;
}

/** A digest of the `importId` of a member whose endpoint is gone: recognizes the id without revealing the project. */
export function importMark(importId: string): string {
  return createHash("sha256").update(importId).digest("hex").slice(0, MARK_DIGITS);
}

/** Builds a member from its state and options; leaves out options that are off. */
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

/** A member's visible outputs: `endpointId`, `host`, `pooledHost` and the properties that the program set. */
export function shownOf(state: EndpointState, set?: readonly string[]): EndpointState {
  return split(state, set).shown;
}

function split(
  state: EndpointState,
  set: readonly string[] = bookkeepingOf(state).set ?? [],
): { shown: EndpointState; rest: EndpointState } {
  const names = new Set<string>([...alwaysShown, ...set]);
  const entries = Object.entries(defined(state));
  return {
    shown: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    rest: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

/** The values that more than half of the members share, by property. */
function commonOf(all: readonly EndpointState[]): EndpointState {
  const counts = new Map<string, number>();
  for (const pair of all.flatMap((state) => Object.entries(state))) {
    const text = JSON.stringify(pair);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const usual = [...counts].filter(([, count]) => count > 1 && count * 2 > all.length);
  return Object.fromEntries(usual.map(([text]) => JSON.parse(text) as [string, unknown]));
}

function parseText(book: unknown): Text {
  if (book === undefined) return { common: {}, members: {} };
  const { v, common, members, spent } = isRecord(book) ? book : recordOf(parseJson(book));
  if (v !== VERSION) throw otherFormError("of the fleet", v, VERSION);
  return {
    common: recordOf(common),
    members: recordOf(members) as Record<string, Part>,
    spent: recordOf(spent) as Record<string, string>,
  };
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    throw new PgComputeError("refused", "the bookkeeping in the fleet's state is not JSON, so nothing can be planned");
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
