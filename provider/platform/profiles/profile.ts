/** The differences between platforms as data: the form of a profile, and the values that all platforms of the family share. */

/** A platform that rules are known of. */
export type ProfileName = "specification" | "neon";

/** The limits of one plan, or of several taken together. Anything absent is not limited, or not known. */
export interface PlanLimits {
  /** Largest size, in CU. */
  largestCu: number;
  /** Largest maximum of autoscaling, in CU. */
  autoscalingMaxCu: number;
  /** Which delays may be set besides the default: "never", and numbers from so many seconds up. */
  suspend: { never: boolean; leastSeconds?: number };
  /** Read replicas that a project may have. */
  readReplicas?: number;
  /** Published price of a CU-hour, in US dollars; it may change. */
  cuHourUsd?: number;
}

/** The known facts of a platform. An absent value is unknown, and no message mentions it. */
export interface Profile {
  name: ProfileName;
  /** The platform in a sentence, and what stands before the name of one of its plans. */
  platform: string;
  planOwner: string;
  /** The platform keeps the names that endpoints are created with, and shows them. */
  keepsNames?: true;
  /** How far an autoscaling maximum may lie above its minimum, in CU. */
  autoscalingSpreadCu: number;
  /** Postgres max_connections of a size in CU; undefined where that is not known, or depends on an end that is not. */
  maxConnections(minCu: number | undefined, maxCu: number | undefined): number | undefined;
  /** The size that determines it if the endpoint autoscales. */
  connectionsSetBy: string;
  /** Of these the platform keeps so many for itself. */
  reservedConnections?: number;
  /** The part of the memory that the local file cache may use. */
  cacheShare: number;
  /** The part of max_connections that a pool has, which is one for each user and database. */
  poolShare?: number;
  /** Endpoints above this size, in CU, never suspend, whatever their delay says. */
  alwaysActiveAboveCu?: number;
  /** The plans, the least generous first. All but `free` are paid ones. */
  plans: Readonly<Record<string, PlanLimits>>;
  /** The autosuspend delay, in seconds, where the account's plan fixes it: no request may carry one. */
  fixedDelaySeconds?: number;
  /** Computes of a project that may be active at once, that of the default branch not counted, and what the start of one more is answered. */
  activeComputes?: number;
  activeLimitAnswer?: string;
  /** The platform's answer to a change once a quota is used up. */
  quotaAnswer?: string;
  /** Published limit on the calls of an account. */
  rate?: { perMinute: number; perSecond: number };
  /** Whether an endpoint can move to another branch, and to which: to one without any endpoint, or only without a read-write endpoint. */
  moves: "inPlace" | "replace";
  movesTo: string;
  movesToEmpty: boolean;
  /** Properties that the platform takes without effect, or has deprecated. */
  withoutEffect: readonly string[];
  deprecated: readonly string[];
  /** The source of each figure, by its row on the page of platforms, with the date of that text. */
  sources: Readonly<Record<string, { text: string; date: string }>>;
}

/** Sizes begin at 0.25 CU; from each of these on they go up by so much (specification, section 2.4, published). */
const sizeSteps = [
  { fromCu: 0.25, byCu: 0.25 },
  { fromCu: 0.5, byCu: 0.5 },
  { fromCu: 1, byCu: 1 },
  { fromCu: 16, byCu: 2 },
] as const;

/** The smallest size, in CU. */
export const SMALLEST_CU = sizeSteps[0].fromCu;

/** The largest maximum of autoscaling that any platform has, in CU (specification, section 2.4, published). */
export const AUTOSCALING_MAX_CU = 16;

/** Memory of a virtual CPU, in GB; a CU has one of those (specification, section 2.4). */
export const GB_PER_CU = 4;

/** Client connections that a pooled endpoint serves at most, whatever its size (specification, section 2.4, sizing rule 3). */
export const POOLED_CONNECTIONS_LIMIT = 10_000;

/** Seconds without activity after which an endpoint suspends by default (specification, section 3.4). */
export const DEFAULT_SUSPEND_SECONDS = 300;

/** Longest delay in seconds: 7 days (specification, sections 3.4 and 8). */
export const MAX_SUSPEND_SECONDS = 604_800;

/** The largest size at or below so many CU; -Infinity below the smallest. */
export function stepAtOrBelow(cu: number): number {
  const step = sizeSteps.findLast(({ fromCu }) => fromCu <= cu);
  return step ? step.fromCu + Math.floor((cu - step.fromCu) / step.byCu) * step.byCu : Number.NEGATIVE_INFINITY;
}

/** The smallest size at or above so many CU. */
export function stepAtOrAbove(cu: number): number {
  const below = stepAtOrBelow(cu);
  if (below === cu) return cu;
  return below < SMALLEST_CU ? SMALLEST_CU : below + (sizeSteps.findLast(({ fromCu }) => fromCu <= below)?.byCu ?? 0);
}

/** Every size up to so many CU. */
export function sizesUpTo(cu: number): number[] {
  const sizes: number[] = [];
  for (let size: number = SMALLEST_CU; size <= cu; size = stepAtOrAbove(size * (1 + Number.EPSILON))) sizes.push(size);
  return sizes;
}
