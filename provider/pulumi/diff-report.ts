import type { Reporter } from "../endpoint/context";
import type { DiffResult } from "../endpoint/diff";

/** Says what a planned change does to the endpoint: as a warning where people are cut off, else as information. */
export function reportDiff(reporter: Reporter, diff: Pick<DiffResult, "impact" | "madeGoodBy" | "messages">): void {
  const { impact, madeGoodBy, messages } = diff;
  if (messages.length === 0) return;
  const harms = impact && (impact.restarts || impact.dropsConnections || impact.hostChanges || impact.downtime);
  const text = messages.join("; ");
  if (harms || madeGoodBy === "restarted") reporter.warn(text);
  else reporter.info(text);
}
