import type { BeforeAfter } from "../../provider/endpoint/impact/impact";
import { defaultSizeLimits } from "../../provider/endpoint/rules/size";
import { cleanText } from "../../provider/lib/text";
import { plain } from "../../provider/lib/wording";
import { configurationChanges, uncomparedSettings } from "./configuration";
import { groupDrift } from "./drift";
import { HOURS_PER_MONTH, movesOf, reportEndpoint } from "./endpoint-report";
import { isFleet } from "./fleet";
import { type Grouped, groupSteps, isEndpoint, type PlannedEndpoint } from "./group";
import { liveOf, withOccupant } from "./live/look";
import type { LiveView } from "./live/read-live";
import { rankOf, summaryMessage, unreadMessage } from "./messages";
import { nameOf, ownerOf, type Plan, type PlanMessage, type PlanStep, typeOf } from "./plan-model";
import type {
  Approval,
  ComputeHours,
  EndpointReport,
  GateCondition,
  GateResult,
  ProviderMessage,
  Report,
  UnreadFleet,
  Verdict,
} from "./report-model";
import { differencesFrom, type Seal, sealOf } from "./seal";

const LONGEST_ERROR = 2_000;

/** What the user asks of a report. */
export interface ReportOptions {
  /** Money for one CU-hour; without it there are only units. */
  pricePerCuHour?: number | undefined;
  /** What the gate is to fail on. */
  failOn?: readonly GateCondition[] | undefined;
  /** What was approved. */
  expected?: Seal | undefined;
  /** The plan is a refresh, and the report is of what it found. */
  drift?: boolean | undefined;
  /** What the platform tells of the endpoints. */
  live?: LiveView | undefined;
}

const tests: Readonly<Record<Exclude<GateCondition, "config">, (endpoint: EndpointReport) => boolean>> = {
  restart: ({ restarts }) => happens(restarts),
  replace: ({ replaced }) => happens(replaced),
  move: (endpoint) => happens(movesOf(endpoint)),
  delete: ({ action }) => action === "delete",
  downtime: ({ downtime }) => happens(downtime),
  access: ({ accessOpens }) => happens(accessOpens),
};

/** Reports on a plan: pure data, the endpoints that hurt most first. */
export function toReport(plan: Plan, options: ReportOptions = {}): Report {
  const { live, drift = false } = options;
  const { changing, unread: steps, unchanged, otherChanges } = endpointsIn(plan, drift);
  const endpoints = changing
    .map((planned) => (live ? reportLive(planned, live) : reportEndpoint(planned)))
    .sort((a, b) => rankOf(a) - rankOf(b) || byText(a.name, b.name) || byText(a.urn, b.urn));
  const errors = plan.errors.map((error) => cleanText(error, LONGEST_ERROR));
  if (!plan.complete)
    errors.push("the engine's events stop before their end: it was interrupted, or its output was cut");
  const hours = endpoints.map(({ computeHours }) => computeHours);
  const unread = steps.map(unreadFleet);
  const configuration = drift ? [] : configurationChanges(plan);
  const uncompared = drift ? undefined : uncomparedSettings(plan);
  return {
    version: 1,
    ...whose(plan),
    summary: summaryMessage({ endpoints, unread, configuration }, { failed: errors.length > 0, drift }),
    ...(drift && { drift }),
    endpoints,
    unread,
    configuration,
    ...(uncompared && { uncompared }),
    unchanged,
    otherChanges,
    errors,
    messages: messagesOf(plan.messages),
    scale: { min: defaultSizeLimits.minCu, max: largest(plan, endpoints) },
    hoursPerMonth: HOURS_PER_MONTH,
    computeHours: {
      ...totalHours(hours),
      unknown: hours.filter(({ before, after }) => before === undefined || after === undefined).length,
    },
    ...(live && { live: { at: new Date(live.nowMs).toISOString(), reach: live.reach } }),
    ...(options.pricePerCuHour !== undefined && { pricePerCuHour: options.pricePerCuHour }),
    ...(options.expected && { approval: approvalOf(options.expected, plan, { live, unread, errors }) }),
    ...(options.failOn &&
      options.failOn.length > 0 && {
        gate: applyGate({ endpoints, unread, configuration, isUncompared: uncompared !== undefined }, options.failOn),
      }),
  };
}

/** The endpoints that a plan changes; of a refresh those that are not as the last deployment left them. */
export function endpointsIn({ steps }: Plan, drift: boolean): Grouped {
  return drift ? groupDrift(steps) : groupSteps(steps);
}

function reportLive(planned: PlannedEndpoint, view: LiveView): EndpointReport {
  const live = liveOf(planned, view);
  return { ...reportEndpoint(withOccupant(planned, view)), ...(live && { live }) };
}

/**
 * Which of the conditions the plan meets, and by which endpoints. A value that is not known yet counts as what it could
 * bring, and a fleet that nobody can read as everything; a restart that the specification leaves open (`not_stated`) does not count.
 */
function applyGate(
  {
    endpoints,
    unread,
    configuration,
    isUncompared,
  }: Pick<Report, "endpoints" | "unread" | "configuration"> & { isUncompared: boolean },
  asked: readonly GateCondition[],
): GateResult {
  const met = asked.map((condition): GateResult["met"][number] => {
    if (condition === "config") return { condition, endpoints: configuration.map(({ name }) => name) };
    const names = endpoints.filter(tests[condition]).map(({ name }) => name);
    return { condition, endpoints: names, ...(unread.length > 0 && { unread: unread.map(({ name }) => name) }) };
  });
  return {
    asked: [...asked],
    met: met.filter((one) => one.endpoints.length + (one.unread?.length ?? 0) > 0),
    ...(asked.includes("config") && configuration.length === 0 && isUncompared && { undecided: true }),
  };
}

function approvalOf(
  expected: Seal,
  plan: Plan,
  { live, unread, errors }: { live: LiveView | undefined; unread: readonly UnreadFleet[]; errors: readonly string[] },
): Approval {
  const seal = expected.digest;
  // Of a preview that failed nobody knows what else it would have planned.
  if (errors.length > 0) return { seal, differences: [] };
  const differences = differencesFrom(expected, sealOf(plan, live));
  return {
    seal,
    differences: [...unread.map((one) => `${unreadMessage(one)}, so that no seal holds them`), ...differences],
  };
}

function unreadFleet({ urn, unread }: PlanStep): UnreadFleet {
  return { urn: cleanText(urn), name: plain(nameOf(urn)), ...(unread as NonNullable<PlanStep["unread"]>) };
}

/** What was said of endpoints and fleets, as it was said; what is said of a provider is its configuration. */
function messagesOf(said: readonly PlanMessage[]): ProviderMessage[] {
  const found = new Map<string, ProviderMessage>();
  for (const { urn, severity, message } of said) {
    const type = typeOf(urn);
    if (!isEndpoint(type) && !isFleet(type)) continue;
    const text = cleanText(message, LONGEST_ERROR);
    found.set(`${urn} ${text}`, { urn: cleanText(urn), name: plain(nameOf(urn)), severity, message: text });
  }
  return [...found.values()].sort((a, b) => bySeverity(a, b) || byText(a.urn, b.urn));
}

function bySeverity(a: ProviderMessage, b: ProviderMessage): number {
  return Number(b.severity === "warning") - Number(a.severity === "warning");
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

function byText(a: string, b: string): number {
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
