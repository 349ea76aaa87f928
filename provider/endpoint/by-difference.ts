/**
 * Tells the endpoint of a create whose answer was lost by difference, where the platform keeps no names: it was not there before the
 * request, was created since by the platform's own clock, is as it was sent, and nobody else can have asked for it
 * (docs/decisions/0014-by-difference.md).
 */

import { wholeSecond } from "../lib/clock";
import type { LostAttempt, OpenCreate } from "../platform/project/open-creates";
import type { EndpointRecord } from "../platform/records";

/** What a create gets of the endpoints that were seen: one of them, none, or nobody can tell. */
export type Told =
  | { kind: "it"; record: EndpointRecord }
  | { kind: "none" }
  | { kind: "unclear"; candidates: EndpointRecord[] };

/** What a create is told by. */
export interface Evidence {
  /** The create whose endpoint is looked for. */
  create: OpenCreate;
  /** All creates of this run at the same place that wait for theirs, the one that is looked for among them. */
  waiting: readonly OpenCreate[];
  /** What was seen there and nobody of this run has. */
  records: readonly EndpointRecord[];
  known: Known;
}

/** What this run knows of the project. */
export interface Known {
  wasSeenBefore(mark: number, endpointId: string): boolean;
  /** True for what a message has named already, because nobody could tell whose it is. */
  isDisputed(endpointId: string): boolean;
  /** Undefined while nobody knows whether the platform keeps names. */
  keepsNames?: boolean | undefined;
}

type Match = "yes" | "maybe" | "no";

/** Timestamps have whole seconds, and the clocks of one platform may differ by another. */
const GRACE_MS = 1_000;
/** A request that the platform has is done by then, though nobody waits for its answer any more. */
const LATE_MS = 5_000;

/**
 * Every endpoint that may be the create's has to be explained by a create of this run that waits for one, each by another: then
 * they are given out, the most particular create first. One that is left over, or that cannot be told for certain, makes it unclear.
 */
export function tellByDifference({ create, waiting, records, known }: Evidence): Told {
  const match = (one: OpenCreate, record: EndpointRecord) => matchOf(one, record, known);
  const candidates = records.filter((record) => match(create, record) !== "no");
  if (candidates.length === 0) return { kind: "none" };
  const particularFirst = [...waiting].sort((a, b) => b.values - a.values);
  const takers = new Map(
    records.map((record) => [record, particularFirst.filter((one) => match(one, record) === "yes")]),
  );
  const given = giveOut(takers);
  const explained = new Set(given.values());
  if (candidates.some((record) => !explained.has(record))) return { kind: "unclear", candidates };
  const record = given.get(create);
  return record ? { kind: "it", record } : { kind: "none" };
}

/** Whether an endpoint can be what a create has made. */
export function matchOf(
  { branchId, type, name, lost, isShownBy }: OpenCreate,
  record: EndpointRecord,
  { wasSeenBefore, isDisputed, keepsNames }: Known,
): Match {
  if (record.branchId !== branchId || record.type !== type) return "no";
  const attempts = lost.filter(({ mark }) => mark === undefined || !wasSeenBefore(mark, record.id));
  const createdMs = Date.parse(record.createdAt ?? "");
  const times = attempts.map((attempt) => isOfItsTime(attempt, createdMs));
  const shown = times.some((time) => time !== "no") ? isShownBy(record) : "no";
  if (shown === "no") return "no";
  // Unless the platform is known to keep no names, another name may be one that somebody else gave.
  const isNamed = keepsNames !== false && (record.name ?? "") !== "" && record.name !== name;
  return times.includes("yes") && !isNamed && !isDisputed(record.id) ? shown : "maybe";
}

/** Whether what was created then can be of this attempt; `maybe` where it came too late for it, or nobody can know. */
function isOfItsTime({ mark, sentAtMs, lostAtMs }: LostAttempt, createdMs: number): Match {
  if (sentAtMs === undefined || lostAtMs === undefined) return "maybe";
  if (createdMs < wholeSecond(sentAtMs) - GRACE_MS) return "no";
  return mark !== undefined && createdMs <= lostAtMs + GRACE_MS + LATE_MS ? "yes" : "maybe";
}

/** Gives as many endpoints as there are takers for, each to one create: an earlier gift moves on where that makes room. */
function giveOut(takers: ReadonlyMap<EndpointRecord, readonly OpenCreate[]>): Map<OpenCreate, EndpointRecord> {
  const given = new Map<OpenCreate, EndpointRecord>();
  const give = (record: EndpointRecord, asked: Set<OpenCreate>): boolean => {
    const able = (takers.get(record) ?? []).filter((one) => !asked.has(one));
    const free = able.find((one) => !given.has(one));
    const taker = free ?? able.find((one) => makesRoom(one, asked));
    if (taker) given.set(taker, record);
    return taker !== undefined;
  };
  const makesRoom = (one: OpenCreate, asked: Set<OpenCreate>): boolean => {
    const present = given.get(one);
    return present !== undefined && !asked.has(one) && give(present, asked.add(one));
  };
  for (const record of takers.keys()) give(record, new Set());
  return given;
}
