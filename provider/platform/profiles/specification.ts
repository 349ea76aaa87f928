import type { Profile } from "./profile";

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

const section = (number: string) => ({ text: `specification, section ${number}`, date: "until about 2025" });

/** The platform of the specification, on which every address stands but the public one. */
export const specification: Profile = {
  name: "specification",
  platform: "the platform",
  planOwner: "the",
  // A larger platform's; no two of its own sizes lie as far apart.
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
  withoutEffect: ["passwordlessAccess"],
  deprecated: ["poolerEnabled", "poolerMode"],
  gone: [],
  sources: {
    sizes: section("2.4"),
    autoscaling: section("2.4"),
    connections: section("2.4"),
    cache: section("2.4"),
    pooled: section("2.4"),
    plans: section("1, 2.4"),
    autosuspend: section("3.4"),
    fields: section("2.3, published"),
  },
};
