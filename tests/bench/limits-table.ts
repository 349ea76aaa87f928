import type { LimitRun } from "./limits";
import { seconds, type Table } from "./section";

/** How much longer than the limit dictates, first. */
export function limitsTable(runs: readonly LimitRun[]): Table {
  return {
    heads: ["platform", "N", "ratio", "refused %", "calls / N", "seconds", "dictated", "without a limit", "refused"],
    rows: runs.map(({ name, count, calls, refused, ms, dictatedMs, freeMs }) => [
      name,
      count,
      dictatedMs === 0 ? "" : (ms / dictatedMs).toFixed(2),
      ((100 * refused) / calls).toFixed(1),
      (calls / count).toFixed(2),
      seconds(ms),
      seconds(dictatedMs),
      freeMs === undefined ? "" : seconds(freeMs),
      refused,
    ]),
  };
}
