import type { Reporter } from "../endpoint/context";
import type { DiffResult } from "../endpoint/diff";
import type { Impact } from "../endpoint/impact/model";

/** Says what a planned change does to the endpoint: as a warning where people are cut off, else as information. */
export function reportDiff(reporter: Reporter, { impact, messages }: Pick<DiffResult, "impact" | "messages">): void {
  if (messages.length === 0) return;
  const text = messages.join("; ");
  if (cutsOff(impact)) reporter.warn(text);
  else reporter.info(text);
}

/** True where a change cuts people off, or keeps them out. */
export function cutsOff(impact: Impact | undefined): boolean {
  if (!impact) return false;
  return impact.restarts || impact.dropsConnections || impact.hostChanges || impact.downtime;
}
