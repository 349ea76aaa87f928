import type { BeforeAfter } from "../../provider/endpoint/impact/impact";
import { defaultSizeLimits } from "../../provider/endpoint/rules/size";
import { cleanText } from "../../provider/lib/text";
import { fleetUrnOf } from "../../provider/lib/urn";
import { plain } from "../../provider/lib/wording";
import { groupDrift } from "./drift";
import { HOURS_PER_MONTH, ownMessages, reportEndpoint, withoutImpact } from "./endpoint-report";
import { isFleet } from "./fleet";
import { type Grouped, groupSteps, isProviders, type PlannedEndpoint } from "./group";
import { liveOf, withOccupant } from "./live/look";
import type { LiveView } from "./live/read-live";
import { rankOf, summaryMessage } from "./messages";
import { nameOf, ownerOf, type Plan, type PlanMessage, typeOf } from "./plan-model";
import type {
  Approval,
  ComputeHours,
  EndpointReport,
  GateCondition,
  GateResult,
  PropertyChange,
  ProviderMessage,
  Report,
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

const tests: Readonly<Record<GateCondition, (endpoint: EndpointReport) => boolean>> = {
  restart: ({ restarts }) => happens(restarts),
  replace: ({ replaced }) => happens(replaced),
  move: ({ move, action, properties }) => move !== undefined || (action === "update" && properties.some(mayMove)),
  delete: ({ action }) => action === "delete",
  downtime: ({ downtime }) => happens(downtime),
};

/** Reports on a plan: pure data, the endpoints that hurt most first. */
export function toReport(plan: Plan, options: ReportOptions = {}): Report {
  const { live, drift = false } = options;
  const { changing, unchanged, otherChanges } = endpointsIn(plan, drift);
  const endpoints = changing
    .map((planned) => (live ? reportLive(planned, live) : reportEndpoint(planned)))
    .sort((a, b) => rankOf(a) - rankOf(b) || byText(a.name, b.name) || byText(a.urn, b.urn));
  const errors = plan.errors.map((error) => cleanText(error, LONGEST_ERROR));
  if (!plan.complete)
    errors.push("the engine's events stop before their end: it was interrupted, or its output was cut");
  const hours = endpoints.map(({ computeHours }) => computeHours);
  return {
    version: 1,
    ...whose(plan),
    summary: summaryMessage(endpoints, { failed: errors.length > 0, drift }),
    ...(drift && { drift }),
    endpoints,
    unchanged,
    otherChanges,
    errors,
    messages: messagesOf(plan.messages, changing),
    scale: { min: defaultSizeLimits.minCu, max: largest(plan, endpoints) },
    hoursPerMonth: HOURS_PER_MONTH,
    computeHours: {
      ...totalHours(hours),
      unknown: hours.filter(({ before, after }) => before === undefined || after === undefined).length,
    },
    ...(live && { live: { at: new Date(live.nowMs).toISOString(), reach: live.reach } }),
    ...(options.pricePerCuHour !== undefined && { pricePerCuHour: options.pricePerCuHour }),
    ...(options.expected && { approval: approvalOf(options.expected, sealOf(plan, live), errors) }),
    ...(options.failOn && options.failOn.length > 0 && { gate: applyGate(endpoints, options.failOn) }),
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
 * bring; a restart that the specification leaves open (`not_stated`) does not count.
 */
function applyGate(endpoints: readonly EndpointReport[], asked: readonly GateCondition[]): GateResult {
  const met = asked.map((condition) => ({
    condition,
    endpoints: endpoints.filter(tests[condition]).map(({ name }) => name),
  }));
  return { asked: [...asked], met: met.filter(({ endpoints }) => endpoints.length > 0) };
}

function approvalOf(expected: Seal, planned: Seal, errors: readonly string[]): Approval {
  // Of a preview that failed nobody knows what else it would have planned.
  const differences = errors.length > 0 ? [] : differencesFrom(expected, planned);
  return { seal: expected.digest, differences };
}

/** What was said of endpoints and of the provider itself, less what the report has in its own words. */
function messagesOf(said: readonly PlanMessage[], changing: readonly PlannedEndpoint[]): ProviderMessage[] {
  // Beside what an earlier replacement left, which has the same URN, a message is about the one that stays.
  const ordered = [...changing].sort((a, b) => Number(b.leftover) - Number(a.leftover));
  const planned = new Map(ordered.map((one) => [one.step.urn, one]));
  const ofMembers = memberMessages(said, changing);
  const found = new Map<string, ProviderMessage>();
  for (const { urn, severity, message } of said) {
    if (!isProviders(urn)) continue;
    const endpoint = planned.get(urn);
    // A fleet says once, after a colon, what several of its members have in common.
    if ([...(ofMembers.get(urn) ?? [])].some((own) => message.endsWith(`: ${own}`))) continue;
    const rest = cleanText(endpoint ? withoutImpact(message, endpoint) : message, LONGEST_ERROR);
    const name = plain(nameOf(urn));
    if (rest !== "") found.set(`${urn} ${rest}`, { urn: cleanText(urn), name, severity, message: rest });
  }
  return [...found.values()].sort((a, b) => byText(a.urn, b.urn));
}

/** For each fleet that says something, what the report says of its members in its own words. */
function memberMessages(
  said: readonly PlanMessage[],
  changing: readonly PlannedEndpoint[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const fleets = new Map(said.filter(({ urn }) => isFleet(typeOf(urn))).map(({ urn }) => [urn, new Set<string>()]));
  for (const planned of fleets.size === 0 ? [] : changing) {
    const own = fleets.get(fleetUrnOf(planned.step.urn) ?? "");
    for (const message of own ? ownMessages(planned) : []) own?.add(message);
  }
  return fleets;
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

/** A branch that nobody can tell yet. */
function mayMove({ name, to }: PropertyChange): boolean {
  return name === "branchId" && (to.is === "unknown" || to.is === "secret");
}

function happens(verdict: Verdict): boolean {
  return verdict === "yes" || verdict === "possible";
}
