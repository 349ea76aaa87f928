import type { Profile } from "./profile";

const CONNECTIONS_PER_CU = 419.66;
const FEWEST_CONNECTIONS = 100;
const MOST_CONNECTIONS = 4000;
/** From this size on there are as many as there ever are, more than the product gives. */
const MOST_FROM_CU = 9;
/** A range counts as its maximum, and as so many times its minimum at most. */
const RANGE_FACTOR = 8;

const docs = (page: string, date: string) => ({ text: `neon.com/docs/${page}`, date });
const plans = docs("introduction/plans", "2026-01");
const description = { text: "npm `@neondatabase/api-client` 2.7.3", date: "2026-01" };

/** Neon, whose address is the public one. Its rules have moved on since the specification. */
export const neon: Profile = {
  name: "neon",
  platform: "Neon",
  planOwner: "Neon's",
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
  poolShare: 0.9,
  alwaysActiveAboveCu: 16,
  plans: {
    free: { largestCu: 2, autoscalingMaxCu: 2, suspend: { never: false }, readReplicas: 3 },
    launch: { largestCu: 16, autoscalingMaxCu: 16, suspend: { never: true }, cuHourUsd: 0.106 },
    scale: { largestCu: 56, autoscalingMaxCu: 16, suspend: { never: true, leastSeconds: 60 } },
  },
  activeComputes: 20,
  rate: { perMinute: 700, perSecond: 40 },
  moves: "inPlace",
  movesTo: "a branch without a read-write endpoint; to be removed",
  withoutEffect: ["passwordlessAccess"],
  deprecated: ["poolerEnabled"],
  gone: ["poolerMode"],
  sources: {
    sizes: docs("manage/computes", "2026-01-06"),
    autoscaling: docs("guides/autoscaling-guide", "2025-12-17"),
    connections: docs("connect/connection-pooling, reference/compatibility", "2026-01-24"),
    reserved: docs("connect/connection-pooling", "2026-01-24"),
    cache: docs("manage/computes", "2026-01-06"),
    pooled: docs("connect/connection-pooling", "2026-01-24"),
    plans,
    autosuspend: docs("guides/scale-to-zero-guide", "2025-12-05"),
    active: plans,
    rate: docs("reference/api/key-concepts", "2026-01"),
    fields: description,
  },
};
