/** A fleet's state: of each member some outputs for people, and one JSON text with the rest. Together they are an `Endpoint`'s state. */
import { createHash } from "node:crypto";
import { BOOKKEEPING, bookkeepingOf, type EndpointState } from "../endpoint/state";
import { isRecord } from "../lib/unknown";
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
  /** The JSON text, under the same key as an endpoint's bookkeeping; where the program keeps secrets, in two parts. */
  [BOOKKEEPING]: string | Apart;
};

/** A place inside a member's state. */
export type Place = readonly (string | number)[];

/** The text without what is secret, and that as a text of its own: what a plan shows of a state stays readable. */
type Apart = { v: number; text: string; secret: string };

/** Of a member what of the endpoint's state is neither among its outputs nor common, and the names of common values that it does not have. */
type Part = Partial<StoredMember> & { without?: string[] };

interface Text {
  /** The form; it grows when an older version would misread the text. */
  v: number;
  /** Values that most members have: they hold wherever a member has no value of its own. */
  common: EndpointState;
  members: Record<string, Part>;
  /** By key, where there are any: versions before this one do not read it. */
  spent?: Record<string, string>;
}

const VERSION = 1;

/** The form of a text in two parts. */
const APART_VERSION = 2;

const MARK_DIGITS = 16;

/** The outputs that a member has whatever the program sets. */
const alwaysShown = ["endpointId", "host", "pooledHost"];

/** The members as a host stores them. `secretIn` gives the places of a member's state that are to be apart from the rest of the text. */
export function encodeMembers(members: StoredMembers, secretIn?: (key: string) => readonly Place[]): FleetState {
  const sides = [...members].map(([key, member]) => {
    const { shown, rest } = split(member.state);
    const places = secretIn?.(key) ?? [];
    // An id has the project in it.
    const hides = places.some(([first]) => first === "importId" || first === "projectId");
    const { importId, ...open } = member;
    const { kept, cut } = cutOut(rest, places);
    return hides && importId !== undefined
      ? { key, member: open, shown, kept, cut: { ...cut, importId } }
      : { key, member, shown, kept, cut };
  });
  const common = commonOf(sides.map(({ kept }) => kept));
  const spent = [...(members.spent ?? [])].filter(([key]) => !members.has(key));
  const text: Text = { v: VERSION, common, members: {}, ...(spent.length > 0 && { spent: Object.fromEntries(spent) }) };
  const endpoints: FleetState["endpoints"] = {};
  for (const { key, member, shown, kept } of sides) {
    endpoints[key] = shown;
    text.members[key] = partOf(member, { ...shown, ...kept }, kept, common);
  }
  if (!secretIn) return { endpoints, [BOOKKEEPING]: JSON.stringify(text) };
  const hidden = sides.filter(({ cut }) => Object.keys(cut).length > 0).map(({ key, cut }) => [key, cut]);
  const secret = JSON.stringify(Object.fromEntries(hidden));
  return { endpoints, [BOOKKEEPING]: { v: APART_VERSION, text: JSON.stringify(text), secret } };
}

/** What of the members a stored text keeps apart as secret, by key; undefined where the text is in one. */
export function secretParts(book: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(book)) return undefined;
  // Who reads a plan is not shown it.
  return typeof book.secret === "string" ? recordOf(parseJson(book.secret)) : {};
}

/** The members of a stored fleet. Throws `refused` for bookkeeping of a newer version, or that cannot be read. */
export function decodeMembers(
  stored: Readonly<Record<string, unknown>> | undefined,
): Map<string, StoredMember> & StoredMembers {
  const endpoints = recordOf(stored?.endpoints);
  const book = stored?.[BOOKKEEPING];
  const { common, members, spent = {} } = isRecord(book) ? parseApart(book) : parseText(book);
  const secret = secretParts(book) ?? {};
  const decoded = new Map(
    Object.entries(endpoints).map(([key, shown]) => {
      const part = Object.hasOwn(members, key) ? (members[key] ?? {}) : {};
      const state: EndpointState = { ...common };
      for (const name of part.without ?? []) delete state[name];
      const open = { ...state, ...part.state, ...recordOf(shown) };
      const { importId = part.importId, ...hidden } = recordOf(Object.hasOwn(secret, key) ? secret[key] : undefined);
      return [key, memberOf(merged(open, hidden), { ...part, importId })];
    }),
  );
  return withSpent(decoded, new Map(Object.entries(spent)));
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
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  return {
    shown: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    rest: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

function partOf(member: StoredMember, open: EndpointState, rest: EndpointState, common: EndpointState): Part {
  const own = Object.entries(rest).filter(
    ([name, value]) => !(Object.hasOwn(common, name) && isSame(common[name], value)),
  );
  // What the outputs have goes before the common value anyway.
  const without = Object.keys(common).filter((name) => !Object.hasOwn(open, name));
  const { state: _, ...flags } = member;
  return {
    ...(own.length > 0 && { state: Object.fromEntries(own) }),
    ...(without.length > 0 && { without }),
    ...flags,
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

/** The values without what stands at these places, and that alone. */
function cutOut(values: EndpointState, places: readonly Place[]): { kept: EndpointState; cut: EndpointState } {
  if (places.length === 0) return { kept: values, cut: {} };
  const [kept, cut]: [[string, unknown][], [string, unknown][]] = [[], []];
  for (const [name, value] of Object.entries(values)) {
    const within = places.filter(([first]) => String(first) === name).map(([, ...rest]) => rest);
    const isWhole = within.length > 0 && (!isRecord(value) || within.some((place) => place.length === 0));
    const inner = isWhole ? undefined : isRecord(value) ? cutOut(value, within) : { kept: value, cut: {} };
    if (inner) kept.push([name, inner.kept]);
    if (!inner || Object.keys(inner.cut).length > 0) cut.push([name, inner ? inner.cut : value]);
  }
  return { kept: Object.fromEntries(kept), cut: Object.fromEntries(cut) };
}

function merged(open: EndpointState, secret: EndpointState): EndpointState {
  const parts = Object.entries(secret).map(([name, value]) => {
    const beside = Object.hasOwn(open, name) ? open[name] : undefined;
    return [name, isRecord(value) && isRecord(beside) ? merged(beside, value) : value];
  });
  return Object.fromEntries([...Object.entries(open), ...parts]);
}

function parseApart({ v, text }: Readonly<Record<string, unknown>>): Text {
  if (v !== APART_VERSION) throw tooNew(v, APART_VERSION);
  return parseText(text);
}

function parseText(text: unknown): Text {
  if (text === undefined) return { v: VERSION, common: {}, members: {} };
  const { v, common, members, spent } = recordOf(parseJson(text));
  if (v !== VERSION) throw tooNew(v, VERSION);
  return {
    v,
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

function tooNew(v: unknown, known: number): PgComputeError {
  return new PgComputeError(
    "refused",
    `the state of the fleet was written by a newer version of this provider (form ${String(v)}; this version reads up to ` +
      `form ${known}). Use that version or a newer one`,
  );
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
