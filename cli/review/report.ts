import { cleanText } from "../../provider/api/text";
import type { BeforeAfter } from "../../provider/rules/impact";
import { defaultSizeLimits } from "../../provider/rules/size";
import { plain } from "../../provider/rules/wording";
import { HOURS_PER_MONTH, reportEndpoint } from "./endpoint-report";
import { groupSteps } from "./group";
import { rankOf, summaryMessage } from "./messages";
import { ownerOf, type Plan } from "./plan-model";
import type { ComputeHours, EndpointReport, GateCondition, GateResult, Report, Verdict } from "./report-model";

const LONGEST_ERROR = 2_000;

/** What the user asks of a report. */
export interface ReportOptions {
  /** Money for one CU-hour; without it there are only units. */
  pricePerCuHour?: number | undefined;
  /** What the gate is to fail on. */
  failOn?: readonly GateCondition[] | undefined;
}

const tests: Readonly<Record<GateCondition, (endpoint: EndpointReport) => boolean>> = {
  restart: ({ restarts }) => happens(restarts),
  replace: ({ replaced }) => happens(replaced),
  delete: ({ action }) => action === "delete",
  downtime: ({ downtime }) => happens(downtime),
};

/** Reports on a plan: pure data, the endpoints that hurt most first. */
export function toReport(plan: Plan, options: ReportOptions = {}): Report {
  const { changing, unchanged, otherChanges } = groupSteps(plan.steps);
  const endpoints = changing
    .map(reportEndpoint)
    .sort((a, b) => rankOf(a) - rankOf(b) || compareText(a.name, b.name) || compareText(a.urn, b.urn));
  const errors = plan.errors.map((error) => cleanText(error, LONGEST_ERROR));
  if (!plan.complete)
    errors.push("the engine's events stop before their end: it was interrupted, or its output was cut");
  const hours = endpoints.map(({ computeHours }) => computeHours);
  return {
    version: 1,
    ...whose(plan),
    summary: summaryMessage(endpoints, errors.length > 0),
    endpoints,
    unchanged,
    otherChanges,
    errors,
    scale: { min: defaultSizeLimits.minCu, max: largest(plan, endpoints) },
    hoursPerMonth: HOURS_PER_MONTH,
    computeHours: {
      ...totalHours(hours),
      unknown: hours.filter(({ before, after }) => before === undefined || after === undefined).length,
    },
    ...(options.pricePerCuHour !== undefined && { pricePerCuHour: options.pricePerCuHour }),
    ...(options.failOn && options.failOn.length > 0 && { gate: applyGate(endpoints, options.failOn) }),
  };
}

/**
 * Which of the conditions the plan meets, and by which endpoints. A value that is not known yet counts as what it could
 * bring; a restart that the specification leaves open (`not_stated`) does not count.
 */
function applyGate(endpoints: readonly EndpointReport[], asked: readonly GateCondition[]): GateResult {
  const met = asked.map((condition) => ({
    condition,
    endpoints: endpoints.filter(tests[condition]).map(({ name }) => name),
  }));
  return { asked: [...asked], met: met.filter(({ endpoints }) => endpoints.length > 0) };
}

/** Project and stack, which every URN has. */
function whose({ steps }: Plan): Pick<Report, "project" | "stack"> {
  const { stack, project } = ownerOf(steps[0]?.urn ?? "");
  return { ...(project && { project: plain(project) }), ...(stack && { stack: plain(stack) }) };
}

/** The top of the scale: the configured limit, or a larger size that some endpoint has. */
function largest({ config }: Plan, endpoints: readonly EndpointReport[]): number {
  const configured = Number(config["pgcompute:maxSizeCu"]);
  return endpoints.reduce(
    (most, { sizeCu }) => Math.max(most, sizeCu?.before?.max ?? 0, sizeCu?.after?.max ?? 0),
    configured > 0 ? configured : defaultSizeLimits.maxCu,
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The sum of the sides that are known. */
function totalHours(all: readonly BeforeAfter<ComputeHours>[]): { before: ComputeHours; after: ComputeHours } {
  const sum = (side: "before" | "after", end: "min" | "max") =>
    all.reduce((total, hours) => total + (hours[side]?.[end] ?? 0), 0);
  return {
    before: { min: sum("before", "min"), max: sum("before", "max") },
    after: { min: sum("after", "min"), max: sum("after", "max") },
  };
}

function happens(verdict: Verdict): boolean {
  return verdict === "yes" || verdict === "possible";
}
