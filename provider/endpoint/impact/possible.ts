/** What a change does at most, as long as some of its values are not known. */
import { type EndpointProperty, type PropertyEffect, propertyOf } from "../properties";
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

/** What a value that is not known yet can still bring: specification, sections 3.2 and 3.3, and the rules of replacement. */
const brings: Readonly<Record<PropertyEffect, readonly Effect[]>> = {
  replacement: ["replaces", "dropsConnections", "hostChanges", "downtime"],
  // A move in place, or for a read-only endpoint a replacement that is created first.
  move: ["replaces", "dropsConnections", "hostChanges"],
  restart: ["restarts", "dropsConnections"],
  suspend: ["dropsConnections", "downtime"],
  "not stated": [],
  none: [],
};

/**
 * The certain effects of an impact together with those that its undecided properties could still bring; `undecided`
 * stands in for the impact's own list where a caller knows of more.
 */
export function possibleEffects(
  impact: Impact,
  undecided: readonly EndpointProperty[] = impact.undecided ?? [],
): PossibleEffects {
  const possible = new Set(undecided.flatMap((name) => brings[propertyOf(name).effect]));
  // In place, what is not known yet waits as well; a replacement does not.
  if (impact.waitsForIdle && !possible.has("replaces")) possible.delete("dropsConnections");
  return {
    restarts: impact.restarts || possible.has("restarts"),
    dropsConnections: impact.dropsConnections || possible.has("dropsConnections"),
    hostChanges: impact.hostChanges || possible.has("hostChanges"),
    downtime: impact.downtime || possible.has("downtime"),
    replaces: impact.kind === "replace" || possible.has("replaces"),
  };
}
