/** The verdict of `--fail-on` on a report, and the exit code of a review. */
import { exitCodes } from "../exit-code";
import { type GateCondition, meets } from "./disruption";
import type { GateResult, Report } from "./report-model";

/** The conditions that a leftover endpoint's delete meets. */
const metByDeletes: readonly GateCondition[] = ["delete", "downtime"];

/**
 * The gate's conditions that the plan meets, with the endpoints. An unreadable fleet meets all, an incomparable
 * configuration counts as changed, and a form without leftover deletes as if it had some.
 */
export function applyGate(
  { endpoints, unread, configuration, errors, hidesLeftDeletes }: Report,
  asked: readonly GateCondition[],
  isUncompared: boolean,
): GateResult {
  const undecided = asked.includes("config") && configuration.length === 0 && isUncompared;
  const met = asked.map((condition): GateResult["met"][number] => {
    if (condition === "config") return { condition, endpoints: configuration.map(({ name }) => name) };
    const names = endpoints.filter((one) => meets(condition, one)).map(({ name }) => name);
    return { condition, endpoints: names, ...(unread.length > 0 && { unread: unread.map(({ name }) => name) }) };
  });

  const isNamed = ({ endpoints: named, unread: hidden = [] }: GateResult["met"][number]) =>
    named.length + hidden.length > 0;
  const certain = met.filter(isNamed).map(({ condition }) => condition);
  const hidden = hidesLeftDeletes && errors.length === 0 ? metByDeletes : [];
  const notShown = hidden.filter((condition) => asked.includes(condition) && !certain.includes(condition));

  return {
    asked: [...asked],
    met: met.filter(
      (one) => isNamed(one) || notShown.includes(one.condition) || (one.condition === "config" && undecided),
    ),
    ...(undecided && { undecided: true }),
    ...(notShown.length > 0 && { notShown }),
  };
}

/**
 * The exit code of a review: 1 for errors; with `--drift` 5 if there is any, 1 if it cannot be read; else 3 for a met
 * condition, a difference from the seal, or a seal that could not be written (`isUnsealed`).
 */
export function exitCodeOf(report: Report, { isUnsealed }: { isUnsealed: boolean }): number {
  const { errors, endpoints, unread, drift, gate, approval } = report;
  if (errors.length > 0) return exitCodes.failed;
  if (drift && endpoints.length > 0) return exitCodes.drift;
  if (drift) return unread.length > 0 ? exitCodes.failed : exitCodes.ok;

  const stops = (gate?.met.length ?? 0) + (approval?.differences.length ?? 0);
  return stops > 0 || isUnsealed ? exitCodes.gate : exitCodes.ok;
}
