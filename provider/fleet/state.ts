/** A fleet's state: of each member some outputs for people, and one JSON text with the rest. Together they are an `Endpoint`'s state. */
import { createHash } from "node:crypto";
import { BOOKKEEPING, bookkeepingOf, type EndpointState, otherFormError } from "../endpoint/state";
import { defined, isRecord, ownValue, type Values } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";

/** A member as the state has it. */
export interface StoredMember {
  /** Exactly what an `Endpoint` has as its state: inputs, outputs and bookkeeping. */
  state: EndpointState;
  protect?: true;
  retainOnDelete?: true;
  /** The `importId` of the last completed change. It is done, even if the endpoint was deleted since. */
  importId?: string;
}

/** The members by their keys, in the order of the program. */
export interface StoredMembers extends ReadonlyMap<string, StoredMember> {
  /** Marks of completed adoptions for members without an endpoint, by key (`importMark`). */
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
  /** By key, where there are any. */
  spent?: Record<string, string>;
}

/** The form of the text; another number is a form that this version would misread. */
const VERSION = 1;

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

/** The members of a stored fleet. Throws `refused` for bookkeeping of another form, or that cannot be read. */
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

/** A digest of the `importId` of a member whose endpoint is gone. It recognises the id without revealing the project. */
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
