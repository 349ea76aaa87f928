/** A fleet's state: of each member some outputs for people, and one JSON text with the rest. Together they are an `Endpoint`'s state. */
import { createHash } from "node:crypto";
import { BOOKKEEPING, bookkeepingOf, type EndpointState, newerFormError } from "../endpoint/state";
import { defined, isRecord, ownValue, type Values } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";

/** A member as the state has it. */
export interface StoredMember {
  /** Exactly what an `Endpoint` has as its state: inputs, outputs and bookkeeping. */
  state: EndpointState;
  protect?: true;
  retainOnDelete?: true;
  /** What the program said when it was last changed: that has been done, whatever became of the endpoint. */
  importId?: string;
}

/** The members by their keys, in the order of the program. */
export interface StoredMembers extends ReadonlyMap<string, StoredMember> {
  /** Marks of what was taken over once for members that have no endpoint any more, by key (`importMark`). */
  readonly spent?: ReadonlyMap<string, string>;
}

/** A fleet's outputs as a host stores them; a type, so that it passes for a record of values. */
export type FleetState = {
  endpoints: Record<string, EndpointState>;
  /** The JSON text, under the same key as an endpoint's bookkeeping. */
  [BOOKKEEPING]: string;
};

/** Of a member what of the endpoint's state is neither among its outputs nor common, and the names of common values that it does not have. */
type Part = Partial<StoredMember> & { without?: string[] };

interface Text {
  /** Values that most members have: they hold wherever a member has no value of its own. */
  common: EndpointState;
  members: Record<string, Part>;
  /** By key, where there are any: versions before this one do not read it. */
  spent?: Record<string, string>;
}

/** The form of the text; it grows when an older version would misread it. */
const VERSION = 1;

/** The form of the version before, of two texts where the program kept secrets: one without them, and them by member. It is still read. */
const APART_VERSION = 2;

const MARK_DIGITS = 16;

/** The outputs that a member has whatever the program sets. */
const alwaysShown = ["endpointId", "host", "pooledHost"];

/**
 * The members as a host stores them. What has one of the `secrets` in it, places in a fleet's outputs, is not in the text but among the
 * member's outputs, where the engine can keep it secret.
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
    // What the outputs have goes before the common value anyway.
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

/** The members of a stored fleet. Throws `refused` for bookkeeping of a newer version, or that cannot be read. */
export function decodeMembers(stored: Values | undefined): Map<string, StoredMember> & StoredMembers {
  const endpoints = recordOf(stored?.endpoints);
  const { common, members, spent = {} } = parseText(stored?.[BOOKKEEPING]);
  const apart = apartIn(stored?.[BOOKKEEPING]);
  const decoded = new Map(
    Object.entries(endpoints).map(([key, shown]) => {
      const part: Part = recordOf(ownValue(members, key));
      const state: EndpointState = { ...common };
      for (const name of part.without ?? []) delete state[name];
      const open = { ...state, ...part.state, ...recordOf(shown) };
      const { importId = part.importId, ...whole } = merged(open, recordOf(ownValue(apart, key)));
      return [key, memberOf(whole, { ...part, importId })];
    }),
  );
  return withSpent(decoded, new Map(Object.entries(spent)));
}

/**
 * The places in a fleet's outputs that the version before kept secret in the bookkeeping: in a text of their own, or in one text that was
 * a secret as a whole, of which nobody can tell what was one.
 */
export function formerSecrets(stored: Values, secrets: readonly (readonly (string | number)[])[]): string[][] {
  const book = stored[BOOKKEEPING];
  if (!isRecord(book) && !secrets.some(([top]) => top === BOOKKEEPING)) return [];
  return [...decodeMembers(stored)].flatMap(([key, { state }]) => {
    const shown = recordOf(ownValue(recordOf(stored.endpoints), key));
    const unseen = Object.keys(state).filter((name) => name !== BOOKKEEPING && !Object.hasOwn(shown, name));
    const whole = [...unseen.map((name) => [name]), [BOOKKEEPING, "spelled"]];
    const places = isRecord(book) ? placesIn(recordOf(ownValue(apartIn(book), key))) : whole;
    return places.map((place) => ["endpoints", key, ...place]);
  });
}

/**
 * The outputs of a refresh as this state has them. Of dynamic resources the engine keeps secret what was secret there: a text in the place of
 * two would become a secret as a whole, and no review could read it.
 */
export function formedAs(stored: EndpointState, outputs: EndpointState): EndpointState {
  const text = outputs[BOOKKEEPING];
  if (!isRecord(stored[BOOKKEEPING]) || typeof text !== "string") return outputs;
  return { ...outputs, [BOOKKEEPING]: { v: APART_VERSION, text, secret: "{}" } };
}

/** A fleet's bookkeeping without one of its members. */
export function withoutMember(text: string, key: string): string {
  const parsed = recordOf(parseJson(text));
  const { [key]: _, ...members } = recordOf(parsed.members);
  return JSON.stringify({ ...parsed, members });
}

/** The same members, with these marks. */
export function withSpent<T extends ReadonlyMap<string, StoredMember>>(
  members: T,
  spent: ReadonlyMap<string, string> | undefined,
): T & StoredMembers {
  return spent && spent.size > 0 ? Object.assign(members, { spent }) : members;
}

/** What is kept of an `importId` of a member whose endpoint has gone: it tells the id again, and not which project it names. */
export function importMark(importId: string): string {
  return createHash("sha256").update(importId).digest("hex").slice(0, MARK_DIGITS);
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
  const entries = Object.entries(defined(state));
  return {
    shown: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    rest: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

/** Of each property the value that more than half of the members have. */
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
  if (isRecord(book) && book.v !== APART_VERSION) throw newerFormError("of the fleet ", book.v, APART_VERSION);
  const { v, common, members, spent } = recordOf(parseJson(isRecord(book) ? book.text : book));
  if (v !== VERSION) throw newerFormError("of the fleet ", v, VERSION);
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

/** What of the members a text of its own has, by key; whoever reads a plan is not shown it. */
function apartIn(book: unknown): Record<string, unknown> {
  return isRecord(book) && typeof book.secret === "string" ? recordOf(parseJson(book.secret)) : {};
}

function placesIn(part: EndpointState): string[][] {
  return Object.entries(part).flatMap(([name, value]) =>
    isRecord(value) ? placesIn(value).map((place) => [name, ...place]) : [[name]],
  );
}

function merged(open: EndpointState, apart: EndpointState): EndpointState {
  const parts = Object.entries(apart).map(([name, value]) => {
    return [name, isRecord(value) ? merged(recordOf(ownValue(open, name)), value) : value];
  });
  return { ...open, ...Object.fromEntries(parts) };
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
