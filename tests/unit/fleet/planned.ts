/** Plans of fleets whose members and places are written in short. */
import { IMPORTED } from "../../../provider/endpoint/input-notes";
import { withBookkeeping } from "../../../provider/endpoint/state";
import { type Member, parseFleet } from "../../../provider/fleet/parse-fleet";
import { keysOf, planFleet, type Takeover } from "../../../provider/fleet/plan";
import type { StoredMember } from "../../../provider/fleet/state";
import { memberOwner, resourceOwner } from "../../../provider/lib/owner";
import type { Maybe } from "../../../provider/lib/unknown";
import { Ground } from "../../../provider/places/ground";
import { Owners } from "../../../provider/places/owners";
import { EndpointSnapshot } from "../../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../../provider/platform/records";

type Changes = Record<string, unknown>;

/** A place in short: `1` is the read-write endpoint of branch 1, `1r` a replica there. */
function inputsAt(place: string): Changes {
  return { projectId: "p", branchId: `br-${place[0]}`, type: place.endsWith("r") ? "read_only" : "read_write" };
}

function storedAt(key: string, place: string, options: Changes = {}): StoredMember {
  const { adopted, ...rest } = options;
  const values = { ...inputsAt(place), endpointId: `ep-${key}`, host: `ep-${key}.example.com` };
  const set = ["projectId", "branchId", "type"] as const;
  return { state: withBookkeeping(values, { set: [...set], ...(adopted === true && { adopted }) }), ...rest };
}

/** An endpoint on the platform. */
export function recordAt(id: string, place: string): EndpointRecord {
  return { id, ...inputsAt(place) } as EndpointRecord;
}

/** A fleet: what its members were and are to be, each as `key: place`. */
export interface Case {
  stored?: Record<string, string | [string, Changes]>;
  wanted: Record<string, string | [string, Changes]>;
  others?: Record<string, string>;
  /** Members whose endpoints stand on another branch than the state has. */
  moved?: Record<string, string>;
  found?: Record<string, Takeover>;
  maxDeletions?: Maybe<number>;
  moves?: "replace";
  /** True where the last thing that happened to its members is an import. */
  imported?: boolean;
}

/** The plan of a case. */
export function plan(one: Case) {
  const { stored = {}, wanted, others = {}, moved = {}, found = {}, maxDeletions = 99, moves, imported } = one;
  const members = Object.entries(stored).map(([key, one]) => {
    const [place, options = {}] = typeof one === "string" ? [one] : one;
    return [key, storedAt(key, place, options)] as const;
  });
  const endpoints = Object.fromEntries(
    Object.entries(wanted).map(([key, one]) => {
      const [place, more = {}] = typeof one === "string" ? [one] : one;
      return [key, { ...inputsAt(place), ...more }];
    }),
  );
  const own = members.map(([key, { state }]) => ({
    ...recordAt(`ep-${key}`, "0"),
    ...state,
    id: `ep-${key}`,
    branchId: moved[key] ?? String(state.branchId),
  }));
  const records = Object.entries(others).map(([id, place]) => recordAt(id, place));
  return planFleet({
    replaces: "set",
    stored: new Map(members),
    wanted: parseFleet({ endpoints }).members as ReadonlyMap<string, Member>,
    found: new Map(Object.entries(found)),
    maxDeletions,
    oldInputs: () => (imported ? { [IMPORTED]: true } : undefined),
    ownerOf,
    ground: groundWith([...own, ...records]),
    moves,
  });
}

/** A member of the fleet as an owner. */
export const ownerOf = (key: string) => memberOwner("fleet", key);

/** A platform with these endpoints, and nobody else in the run. */
function groundWith(records: readonly EndpointRecord[]): Ground {
  const lists = new Map([["p", new EndpointSnapshot(records)]]);
  return new Ground(resourceOwner("fleet"), new Owners(), { takesUp: false, needsEmptyBranch: true }, lists);
}

/** What is refused, each with the keys that it is about. */
export function refusalsOf(one: Case) {
  return plan(one).refusals.map((refused) => ({ about: keysOf(refused), ...refused.refusal }));
}
