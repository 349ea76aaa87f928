import { defaultSizeLimits } from "../../provider/endpoint/rules/size";
import { cleanText } from "../../provider/lib/text";
import { plain } from "../../provider/lib/wording";
import { reportEndpoint } from "./endpoint-report";
import { applyGate } from "./gate";
import { groupSteps } from "./group";
import { HOURS_PER_MONTH, totalHours } from "./hours";
import type { Plan } from "./plan";
import type { EndpointReport, GateCondition, Report } from "./report-model";
import { rankOf, summarize } from "./summary";
import { ownerOf } from "./urn";

const LONGEST_ERROR = 2_000;

/** What the user asks of a report. */
export interface ReportOptions {
  /** Money for one CU-hour; without it there are only units. */
  pricePerCuHour?: number | undefined;
  /** What the gate is to fail on. */
  failOn?: readonly GateCondition[] | undefined;
}

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
    summary: summarize(endpoints, errors.length > 0),
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

/** Project and stack, which every URN has. */
function whose({ steps }: Plan): Pick<Report, "project" | "stack"> {
  const { stack, project } = ownerOf(steps[0]?.urn ?? "");
  return { ...(project && { project: plain(project) }), ...(stack && { stack: plain(stack) }) };
}

/** The top of the scale: the configured limit, or a larger size that some endpoint has. */
function largest({ config }: Plan, endpoints: readonly EndpointReport[]): number {
  const configured = Number(config["pgcompute:maxSizeCu"]);
  const sizes = endpoints.flatMap(({ sizeCu }) => [sizeCu?.before?.max ?? 0, sizeCu?.after?.max ?? 0]);
  return Math.max(configured > 0 ? configured : defaultSizeLimits.maxCu, ...sizes);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
