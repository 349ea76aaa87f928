/** What the lifecycle works with: an endpoint's context, and what Pulumi's engine adds to it. */
import type { Context } from "../endpoint/context";
import { type Owner, resourceOwner } from "../lib/owner";
import type { RunRecords } from "./run/run";

/** Stands for a resource whose URN the host does not know. */
export const UNKNOWN_OWNER = resourceOwner("");

/** One call of the engine. Both hosts make one for each call. */
export interface LifecycleContext extends Context {
  /** What this run has shown so far, across resources. */
  run: RunRecords;
  /** The host, for the ways on that a message may name. */
  host: "plugin" | "dynamic";
  /** Whose endpoint it is about, where the host knows it: the resource, which is its URN, or a member of a fleet. */
  urn?: Owner | undefined;
  /** The resources that this one waits for, by URN, where the host tells. */
  after?: ReadonlySet<string> | undefined;
}
