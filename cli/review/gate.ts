import { CommandError, exitCodes } from "../exit-code";
import { type EndpointReport, type GateCondition, type GateResult, gateConditions, type Verdict } from "./report-model";

const tests: Readonly<Record<GateCondition, (endpoint: EndpointReport) => boolean>> = {
  restart: ({ restarts }) => happens(restarts),
  replace: ({ replaced }) => happens(replaced),
  delete: ({ action }) => action === "delete",
  downtime: ({ downtime }) => happens(downtime),
};

/** The conditions of `--fail-on A,B`. Throws a usage error for a word that is none. */
export function parseConditions(text: string): GateCondition[] {
  const words = text.split(",").map((word) => word.trim());
  const wrong = words.find((word) => !(gateConditions as readonly string[]).includes(word));
  if (wrong === undefined) return gateConditions.filter((condition) => words.includes(condition));
  throw new CommandError(`--fail-on: "${wrong}" is not one of ${gateConditions.join(", ")}`, exitCodes.usage);
}

/**
 * Which of the conditions the plan meets, and by which endpoints. A value that is not known yet counts as what it could
 * bring; a restart that the specification leaves open (`not_stated`) does not count.
 */
export function applyGate(endpoints: readonly EndpointReport[], asked: readonly GateCondition[]): GateResult {
  const met = asked.map((condition) => ({
    condition,
    endpoints: endpoints.filter(tests[condition]).map(({ name }) => name),
  }));
  return { asked: [...asked], met: met.filter(({ endpoints }) => endpoints.length > 0) };
}

function happens(verdict: Verdict): boolean {
  return verdict === "yes" || verdict === "possible";
}
