/** The form of a platform's profile: its differences as data, and the values that all platforms of the family share. */

/** A platform with known rules. */
export type ProfileName = "specification" | "neon";

/** The limits of one plan, or of several merged. An absent value is unlimited or unknown. */
export interface PlanLimits {
  /** Largest fixed size, in CU. */
  largestCu: number;
  /** Largest maximum of autoscaling, in CU. */
  autoscalingMaxCu: number;
  /** Allowed delays besides the default: "never", and numbers from `leastSeconds` up. */
  suspend: { never: boolean; leastSeconds?: number };
  /** Maximum number of read replicas in a project. */
  readReplicas?: number;
  /** Published price of a CU-hour, in US dollars; subject to change. */
  cuHourUsd?: number;
}

/** The known facts of a platform. An absent value is unknown, and no message mentions it. */
export interface Profile {
  name: ProfileName;
  /** The platform's name in a sentence, and the words before a plan's name. */
  platform: string;
  planOwner: string;
  /** True if the platform stores and shows the names that endpoints are created with. */
  keepsNames?: true;
  /** Maximum difference between an autoscaling maximum and minimum, in CU. */
  autoscalingSpreadCu: number;
  /** Postgres max_connections of a size in CU; undefined if unknown, or if it depends on an unknown bound. */
  maxConnections(minCu: number | undefined, maxCu: number | undefined): number | undefined;
  /** The bound that determines max_connections for an autoscaling endpoint, for sentences. */
  connectionsSetBy: string;
  /** Connections of max_connections that the platform reserves. */
  reservedConnections?: number;
  /** Share of the memory that the local file cache may use. */
  cacheShare: number;
  /** From this size on, in CU, the platform raises shared_buffers, up to this share of the memory; below it is 128 MB. */
  sharedBuffers?: { fromCu: number; share: number };
  /** Share of max_connections that a pool has; each user and database has a pool. */
  poolShare?: number;
  /** Endpoints above this size, in CU, never suspend, whatever their delay. */
  alwaysActiveAboveCu?: number;
  /** The plans, least generous first. All but `free` are paid. */
  plans: Readonly<Record<string, PlanLimits>>;
  /** The autosuspend delay, in seconds, if the account's plan fixes it: requests must not set one. */
  fixedDelaySeconds?: number;
  /** Maximum number of active computes in a project, without the default branch's, and the answer to one more start. */
  activeComputes?: number;
  activeLimitAnswer?: string;
  /** The platform's answer to a change after a quota is used up. */
  quotaAnswer?: string;
  /** Published rate limit of an account. */
  rate?: { perMinute: number; perSecond: number };
  /**
   * Whether an endpoint can move to another branch, and what that branch must not have: any endpoint, or a read-write
   * one.
   */
  moves: "inPlace" | "replace";
  movesTo: string;
  movesToEmpty: boolean;
  /** True if branches have a protection, restricted actions and an expiry, which hold. */
  restrictsBranches?: true;
  /** Properties that the platform accepts without effect, or has deprecated. */
  withoutEffect: readonly string[];
  deprecated: readonly string[];
  /** The source of each figure, by its row on the page of platforms, with the text's date. */
  sources: Readonly<Record<string, { text: string; date: string }>>;
}

/** Sizes begin at 0.25 CU; from each `fromCu` they rise in steps of `byCu` (specification, section 2.4, published). */
const sizeSteps = [
  { fromCu: 0.25, byCu: 0.25 },
  { fromCu: 0.5, byCu: 0.5 },
  { fromCu: 1, byCu: 1 },
  { fromCu: 16, byCu: 2 },
] as const;

/** The smallest size, in CU. */
export const SMALLEST_CU = sizeSteps[0].fromCu;

/** Largest autoscaling maximum on any platform, in CU (specification, section 2.4, published). */
export const AUTOSCALING_MAX_CU = 16;

/** Memory of one CU, in GB; a CU has one virtual CPU (specification, section 2.4). */
export const GB_PER_CU = 4;

/**
 * Maximum number of client connections to a pooled endpoint of any size (specification, section 2.4, sizing rule 3).
 */
export const POOLED_CONNECTIONS_LIMIT = 10_000;

/** Default seconds of inactivity before an endpoint suspends (specification, section 3.4). */
export const DEFAULT_SUSPEND_SECONDS = 300;

/** Longest delay in seconds: 7 days (specification, sections 3.4 and 8). */
export const MAX_SUSPEND_SECONDS = 604_800;

/** The largest size up to `cu`; -Infinity below the smallest. */
export function stepAtOrBelow(cu: number): number {
  const step = sizeSteps.findLast(({ fromCu }) => fromCu <= cu);
  return step ? step.fromCu + Math.floor((cu - step.fromCu) / step.byCu) * step.byCu : Number.NEGATIVE_INFINITY;
}

/** The smallest size from `cu` up. */
export function stepAtOrAbove(cu: number): number {
  const below = stepAtOrBelow(cu);
  if (below === cu) return cu;
  return below < SMALLEST_CU ? SMALLEST_CU : below + (sizeSteps.findLast(({ fromCu }) => fromCu <= below)?.byCu ?? 0);
}

/** All sizes up to `cu`. */
export function sizesUpTo(cu: number): number[] {
  const sizes: number[] = [];
  for (let size: number = SMALLEST_CU; size <= cu; size = stepAtOrAbove(size * (1 + Number.EPSILON))) sizes.push(size);
  return sizes;
}
