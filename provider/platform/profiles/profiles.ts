/** The known platforms, the platform of an address, and the limits of a plan. */
import { DEFAULT_BASE_URL } from "../http/base-url";
import {
  AUTOSCALING_MAX_CU,
  DEFAULT_SUSPEND_SECONDS,
  type PlanLimits,
  type Profile,
  type ProfileName,
} from "./profile";

const section = (number: string) => ({ text: `specification, section ${number}`, date: "until about 2025" });

const LARGEST_CU = 7;

const maxConnections = new Map([
  [0.25, 112],
  [0.5, 225],
  [1, 450],
  [2, 901],
  [3, 1351],
  [4, 1802],
  [5, 2253],
  [6, 2703],
  [7, 3154],
]);

/** The platform of the specification: every address but the public one. */
export const specification: Profile = {
  name: "specification",
  platform: "the platform",
  planOwner: "the",
  // A larger platform's spread, which counts where `maxSizeCu` is raised: no two sizes here are as far apart.
  autoscalingSpreadCu: 8,
  maxConnections: (minCu) => (minCu === undefined ? undefined : maxConnections.get(minCu)),
  connectionsSetBy: "the minimum size",
  cacheShare: 0.5,
  plans: {
    free: { largestCu: 0.25, autoscalingMaxCu: 0.25, suspend: { never: true, leastSeconds: 1 }, readReplicas: 0 },
    paid: { largestCu: LARGEST_CU, autoscalingMaxCu: LARGEST_CU, suspend: { never: true, leastSeconds: 1 } },
  },
  moves: "inPlace",
  movesTo: "a branch without endpoints",
  movesToEmpty: true,
  withoutEffect: ["passwordlessAccess"],
  deprecated: ["poolerEnabled", "poolerMode"],
  sources: {
    sizes: section("2.4"),
    autoscaling: section("2.4"),
    spread: { text: "neon.com/docs/guides/autoscaling-guide", date: "2026-08-26" },
    connections: section("2.4"),
    cache: section("2.4"),
    sharedBuffers: section("2.4"),
    pooled: section("2.4"),
    plans: section("1, 2.4"),
    autosuspend: section("3.4"),
    fields: section("2.3, published"),
  },
};

const CONNECTIONS_PER_CU = 419.66;

const FEWEST_CONNECTIONS = 100;

const MOST_CONNECTIONS = 4000;

/** From this size on, in CU, max_connections has its maximum, which the product would exceed. */
const MOST_FROM_CU = 9;

/** A range's max_connections follows from its maximum, or from this many times its minimum if that is less. */
const RANGE_FACTOR = 8;

const docs = (page: string, date: string) => ({ text: `neon.com/docs/${page}`, date });

const plans = docs("introduction/plans", "2026-01");

const description = { text: "npm `@neon/sdk` 6.1.2", date: "2026-09-26" };

const recorded = { text: "recorded answers", date: "2024 to 2026-09" };

/** Neon, at the public address. Its rules have changed since the specification. */
export const neon: Profile = {
  name: "neon",
  platform: "Neon",
  planOwner: "Neon's",
  keepsNames: true,
  autoscalingSpreadCu: 8,
  maxConnections: (minCu, maxCu) => {
    if (minCu === undefined || maxCu === undefined) return undefined;
    const cu = Math.min(maxCu, RANGE_FACTOR * minCu);
    if (cu >= MOST_FROM_CU) return MOST_CONNECTIONS;
    return Math.max(FEWEST_CONNECTIONS, Math.floor(cu * CONNECTIONS_PER_CU));
  },
  connectionsSetBy: "the minimum and the maximum size",
  reservedConnections: 7,
  cacheShare: 0.75,
  sharedBuffers: { fromCu: 18, share: 0.75 },
  poolShare: 0.9,
  alwaysActiveAboveCu: 16,
  plans: {
    free: { largestCu: 2, autoscalingMaxCu: 2, suspend: { never: false }, readReplicas: 3 },
    launch: { largestCu: 16, autoscalingMaxCu: 16, suspend: { never: true }, cuHourUsd: 0.106 },
    scale: { largestCu: 56, autoscalingMaxCu: 16, suspend: { never: true, leastSeconds: 60 }, cuHourUsd: 0.222 },
  },
  activeComputes: 20,
  activeLimitAnswer:
    "`ACTIVE_ENDPOINTS_LIMIT_EXCEEDED`, with 402 where a connection starts it; support raises the limit",
  quotaAnswer:
    "422 or 423 with `COMPUTE_TIME_QUOTA_EXCEEDED` or `NON_PRIMARY_BRANCH_COMPUTE_TIME_EXCEEDED`; every compute is suspended, and nothing starts one",
  rate: { perMinute: 700, perSecond: 40 },
  restrictsBranches: true,
  moves: "inPlace",
  movesTo: "a branch without a read-write endpoint; deprecated",
  movesToEmpty: false,
  withoutEffect: ["passwordlessAccess"],
  deprecated: ["poolerEnabled", "poolerMode"],
  sources: {
    sizes: docs("manage/computes", "2026-08-26"),
    autoscaling: docs("guides/autoscaling-guide", "2026-08-26"),
    spread: docs("guides/autoscaling-guide", "2026-08-26"),
    connections: docs("connect/connection-pooling, reference/compatibility", "2026-01-24"),
    reserved: docs("connect/connection-pooling", "2026-01-24"),
    cache: docs("manage/computes", "2026-01-06"),
    sharedBuffers: docs("changelog", "2026-09-11"),
    pooled: docs("connect/connection-pooling", "2026-01-24"),
    plans,
    autosuspend: docs("guides/scale-to-zero-guide", "2026-08-26"),
    prices: docs("introduction/plans", "2026-11-12"),
    active: plans,
    answers: recorded,
    rate: docs("reference/api/key-concepts", "2026-01"),
    fields: description,
  },
};

/** Every known platform. */
export const profiles: Readonly<Record<ProfileName, Profile>> = { specification, neon };

/** The plan names in the configuration: the profiles' own, and `paid` for any paid plan. */
export const planNames = ["free", "launch", "scale", "paid"] as const;

/** The account's plan. */
export type Plan = (typeof planNames)[number];

/** An endpoint's limits on one plan, or merged over the plans that the account may have. */
export interface Limits extends PlanLimits {
  /** The platform's name in a sentence. */
  platform: string;
  /** Maximum difference between an autoscaling maximum and minimum, in CU. */
  autoscalingSpreadCu: number;
  /** The owner of the limits: `Neon's free plan`, or `Neon` for no single plan. */
  owner: string;
  /** A plan that allows more; absent if there is none or no plan is configured. */
  morePlan?: Plan;
}

/** The configured platform, else that of the address: Neon for the public one, else the specification's. */
export function profileOf(platform: ProfileName | undefined, baseUrl: URL | undefined): Profile {
  if (platform !== undefined) return profiles[platform];
  return baseUrl === undefined || baseUrl.host === new URL(DEFAULT_BASE_URL).host ? neon : specification;
}

/** The profile with the values that the account's plan fixes, if known. */
export function profileOnPlan(profile: Profile, plan: Plan | undefined): Profile {
  const { suspend } = (plan && profile.plans[plan]) || {};
  const isFixed = suspend !== undefined && !suspend.never && suspend.leastSeconds === undefined;
  return isFixed ? { ...profile, fixedDelaySeconds: DEFAULT_SUSPEND_SECONDS } : profile;
}

/** The limits with sizes unlimited. */
export function withoutLimits(limits: Limits): Limits {
  const all = Number.POSITIVE_INFINITY;
  return { ...limits, largestCu: all, autoscalingMaxCu: all, autoscalingSpreadCu: all };
}

/** The preview's message that names its platform; `platformIn` parses it. */
export function platformMessage({ name }: Profile): string {
  return `limits and figures are those of platform ${name}`;
}

/** The platform in a message of `platformMessage`; undefined for any other text. */
export function platformIn(message: string): Profile | undefined {
  return Object.values(profiles).find((profile) => platformMessage(profile) === message.trim());
}

/** True for a plan of the platform, or for `paid`. */
export function hasPlan({ plans }: Profile, plan: Plan): boolean {
  return plan === "paid" || plan in plans;
}

/** The limits of a plan; for `paid` or none, the most that any such plan allows. A configured size takes precedence. */
export function limitsOf(profile: Profile, plan: Plan | undefined, maxSizeCu?: number): Limits {
  const { plans, platform, planOwner, autoscalingSpreadCu } = profile;
  const own = plan === undefined ? undefined : plans[plan];
  const meant = own
    ? [own]
    : Object.keys(plans).flatMap((name) => (plan && name === "free" ? [] : (plans[name] ?? [])));

  const most = (of: (limits: PlanLimits) => number) => Math.max(...meant.map(of));
  const least = meant.flatMap(({ suspend }) => suspend.leastSeconds ?? []);
  const replicas = meant.flatMap(({ readReplicas }) => readReplicas ?? []);
  const others = Object.keys(plans);
  const more = plan === "free" ? "paid" : others[others.indexOf(plan ?? "") + 1];

  return {
    owner: own ? `${planOwner} ${plan} plan` : platform,
    ...(own && more !== undefined && { morePlan: more as Plan }),
    platform,
    autoscalingSpreadCu,
    largestCu: maxSizeCu ?? most(({ largestCu }) => largestCu),
    autoscalingMaxCu:
      maxSizeCu === undefined
        ? most(({ autoscalingMaxCu }) => autoscalingMaxCu)
        : Math.min(maxSizeCu, AUTOSCALING_MAX_CU),
    suspend: {
      never: meant.some(({ suspend }) => suspend.never),
      ...(least.length > 0 && { leastSeconds: Math.min(...least) }),
    },
    // One plan without the limit lifts it for all.
    ...(replicas.length === meant.length && { readReplicas: Math.max(...replicas) }),
  };
}
