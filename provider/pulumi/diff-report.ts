import type { Reporter } from "../endpoint/context";
import type { DiffResult } from "../endpoint/diff";

/** Says what a planned change does to the endpoint: as a warning where people are cut off, else as information. */
export function reportDiff(reporter: Reporter, diff: Pick<DiffResult, "impact" | "madeGoodBy" | "messages">): void {
  const { messages } = diff;
  if (messages.length === 0) return;
  const text = messages.join("; ");
  if (cutsOff(diff)) reporter.warn(text);
  else reporter.info(text);
}

/** True where a change cuts people off, or keeps them out. */
export function cutsOff({ impact, madeGoodBy }: Pick<DiffResult, "impact" | "madeGoodBy">): boolean {
  if (madeGoodBy === "restarted") return true;
  return impact !== undefined && (impact.restarts || impact.dropsConnections || impact.hostChanges || impact.downtime);
}
