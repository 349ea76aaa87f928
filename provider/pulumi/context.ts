/** What the lifecycle works with: an endpoint's context, and what Pulumi's engine adds to it. */
import type { Context } from "../endpoint/context";
import type { RunRecords } from "./run/run";

/** One call of the engine. Both hosts make one for each call. */
export interface LifecycleContext extends Context {
  /** What this run has shown so far, across resources. */
  run: RunRecords;
  /** The host, for the ways on that a message may name. */
  host: "plugin" | "dynamic";
  /** The resource's URN, where the host knows it. */
  urn?: string | undefined;
  /** The resources that this one waits for, by URN, where the host tells. */
  after?: ReadonlySet<string> | undefined;
}
