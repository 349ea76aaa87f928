/** States as the engine prints them: an endpoint's, and of a fleet its members'. */

type Values = Record<string, unknown>;

/** The key of what the provider keeps for itself. */
export const BOOKKEEPING = "__pgcompute";

const FORM = { endpoint: 2, fleet: 1 };

/** What every member shows, whatever the program sets. */
const SHOWN = ["endpointId", "host", "pooledHost"];

/** What a state keeps of an endpoint beside its properties. */
export interface Kept {
  set?: string[];
  adopted?: true;
  operations?: { id: string }[];
}

/** A member in a fleet's state. */
export interface StoredMember {
  /** As the state of an endpoint. */
  state: Values;
  protect?: boolean;
  retainOnDelete?: boolean;
}

/** What the provider keeps in an endpoint's state. */
export function keptIn(state: Values): Kept {
  return (state[BOOKKEEPING] ?? {}) as Kept;
}

/** The state of an endpoint, by its properties and what is kept. */
export function stateWith(properties: Values, kept: Kept): Values {
  return { ...properties, [BOOKKEEPING]: { v: FORM.endpoint, ...kept } };
}

/** The members that a fleet's state has, by key. */
export function membersIn(state: Values): Map<string, StoredMember> {
  const text = state[BOOKKEEPING] === undefined ? "{}" : String(state[BOOKKEEPING]);
  const { common = {}, members = {} } = JSON.parse(text) as { common?: Values; members?: Record<string, Values> };
  return new Map(
    Object.entries(recordOf(state.endpoints)).map(([key, shown]) => {
      const { state: own, without = [], protect, retainOnDelete } = members[key] ?? {};
      const left = Object.entries(common).filter(([name]) => !(without as string[]).includes(name));
      const whole = { ...Object.fromEntries(left), ...recordOf(own), ...recordOf(shown) };
      return [
        key,
        { state: whole, ...(protect === true && { protect }), ...(retainOnDelete === true && { retainOnDelete }) },
      ];
    }),
  );
}

/** The state of a fleet with these members; `also`: what is shown besides, by key. */
export function stateOfFleet(
  members: ReadonlyMap<string, StoredMember>,
  also: ReadonlyMap<string, readonly string[]> = new Map(),
): Values {
  const endpoints: Record<string, Values> = {};
  const parts: Record<string, Values> = {};
  for (const [key, { state, ...options }] of members) {
    const names = new Set([...SHOWN, ...(keptIn(state).set ?? []), ...(also.get(key) ?? [])]);
    const pick = (isShown: boolean) => Object.entries(state).filter(([name]) => names.has(name) === isShown);
    endpoints[key] = Object.fromEntries(pick(true));
    parts[key] = { state: Object.fromEntries(pick(false)), ...options };
  }
  return { endpoints, [BOOKKEEPING]: JSON.stringify({ v: FORM.fleet, common: {}, members: parts }) };
}

function recordOf(value: unknown): Values {
  return typeof value === "object" && value !== null ? (value as Values) : {};
}
