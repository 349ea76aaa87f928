import type { Impact } from "./model";

/** What a change does at most, once every value is known. */
export interface PossibleEffects {
  restarts: boolean;
  dropsConnections: boolean;
  hostChanges: boolean;
  downtime: boolean;
  /** The endpoint is replaced. */
  replaces: boolean;
}

type Effect = keyof PossibleEffects;

/** What each property can bring: sections 3.2 and 3.3, and the rules of replacement. */
const brings: Readonly<Record<string, readonly Effect[]>> = {
  projectId: ["replaces", "dropsConnections", "hostChanges", "downtime"],
  type: ["replaces", "dropsConnections", "hostChanges", "downtime"],
  // A move in place, or for a read-only endpoint a replacement that is created first.
  branchId: ["replaces", "dropsConnections", "hostChanges"],
  sizeCu: ["restarts", "dropsConnections"],
  autoscalingLimitMinCu: ["restarts", "dropsConnections"],
  autoscalingLimitMaxCu: ["restarts", "dropsConnections"],
  disabled: ["dropsConnections", "downtime"],
  restartTrigger: ["restarts", "dropsConnections"],
};

/**
 * The certain effects of an impact together with those that its undecided properties could still bring; `undecided`
 * stands in for the impact's own list where a caller knows of more.
 */
export function possibleEffects(impact: Impact, undecided = impact.undecided ?? []): PossibleEffects {
  const possible = new Set(undecided.flatMap((name) => brings[name] ?? []));
  return {
    restarts: impact.restarts || possible.has("restarts"),
    dropsConnections: impact.dropsConnections || possible.has("dropsConnections"),
    hostChanges: impact.hostChanges || possible.has("hostChanges"),
    downtime: impact.downtime || possible.has("downtime"),
    replaces: impact.kind === "replace" || possible.has("replaces"),
  };
}
