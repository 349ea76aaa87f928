import type { Reporter } from "../endpoint/context";
import type { DiffResult } from "../endpoint/diff";

type Effects = Pick<DiffResult, "impact" | "madeGoodBy">;

/** Says what a planned change does to the endpoint: as a warning where people are cut off, else as information. */
export function reportDiff(reporter: Reporter, diff: Effects & Pick<DiffResult, "messages">): void {
  if (diff.messages.length === 0) return;
  const text = diff.messages.join("; ");
  if (cutsOff(diff)) reporter.warn(text);
  else reporter.info(text);
}

/** True where a change cuts people off, or keeps them out; also where what an earlier run left may need a restart. */
export function cutsOff({ impact, madeGoodBy }: Effects): boolean {
  if (madeGoodBy === "restarted") return true;
  return impact !== undefined && (impact.restarts || impact.dropsConnections || impact.hostChanges || impact.downtime);
}
