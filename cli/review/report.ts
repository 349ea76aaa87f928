import { isDeepStrictEqual } from "node:util";
import { idOfState } from "../../provider/endpoint/identity";
import type { BeforeAfter, Range } from "../../provider/endpoint/impact/figures";
import { nameOfUrn, typeOfUrn } from "../../provider/lib/owner";
import { cleanLines, cleanText } from "../../provider/lib/redact";
import { plain } from "../../provider/lib/wording";
import { type Profile, type ProfileName, SMALLEST_CU } from "../../provider/platform/profiles/profile";
import { limitsOf, platformIn, profiles } from "../../provider/platform/profiles/profiles";
import { hostOf, isEndpoint } from "../hosts";
import { configurationChanges, movesOf, plainSettings, platformOf, uncomparedSettings } from "./configuration";
import { type GateCondition, rankOf, undoesRestore } from "./disruption";
import { HOURS_PER_MONTH, PERMANENT, reportEndpoint } from "./endpoint-report";
import type { PlannedEndpoint } from "./fate";
import { applyGate } from "./gate";
import { groupSteps } from "./group";
import { type LiveView, liveOf } from "./live/look";
import { HIDDEN_DELETES, summaryMessage, unreadMessage } from "./messages";
import { isCut, ownerOf, type Plan, type PlanMessage, type PlanStep, type Unread } from "./plan-model";
import type { Approval, EndpointReport, ProviderMessage, Report, UnreadFleet } from "./report-model";
import { differencesFrom, type Seal, sealOf } from "./seal";

const LONGEST_ERROR = 2_000;

/** The note on a delete that PGCOMPUTE_FORGET suppresses. */
const LEFT =
  "left where it is (PGCOMPUTE_FORGET), where the deployment has that variable too; else deletion is permanent";

/** The user's options for a report. */
export interface ReportOptions {
  /** The price of a CU-hour; without it the report has no money. */
  pricePerCuHour?: number | undefined;
  /** The price's three-letter currency. */
  currency?: string | undefined;
  /** Conditions that fail the gate. */
  failOn?: readonly GateCondition[] | undefined;
  /** The approved changes. */
  expected?: Seal | undefined;
  /** True for the plan of a refresh: the report shows drift. */
  drift?: boolean | undefined;
  /** Live data from the platform. */
  live?: LiveView | undefined;
  /** The endpoints and projects in PGCOMPUTE_FORGET, which the deployment leaves alone. */
  forget?: readonly string[] | undefined;
  /** The platform, if given separately from the plan. */
  platform?: ProfileName | undefined;
  /** The platform of a plan that names none. */
  elsePlatform?: ProfileName | undefined;
}

/** Builds the report on a plan: pure data, the most disrupted endpoints first. */
export function toReport(plan: Plan, options: ReportOptions = {}): Report {
  const { live, drift = false } = options;
  const { platform, elsePlatform } = options;
  const other = elsePlatform && profiles[elsePlatform];
  const profile = platform ? profiles[platform] : (platformOf(plan) ?? other);
  const {
    changing,
    unread: steps,
    unchanged,
    otherChanges,
  } = groupSteps(plan.steps, { drift, live, moves: movesOf(plan) });

  const reported = changing.map((planned): { planned: PlannedEndpoint; report: EndpointReport } => {
    const now = live && liveOf(planned, live);
    const told = leftWhereItIs(reportEndpoint(planned, profile), planned, options.forget);
    const report = { ...told, ...(now && { live: now }) };
    if (!undoesRestore(report, planned, plan)) return { planned, report };
    const notes = ["undoes a restore: it comes back to the data of before", ...report.notes];
    return { planned, report: { ...report, undoesRestore: true, notes } };
  });

  const endpoints = reported
    .map(({ report }) => report)
    .sort((a, b) => rankOf(a) - rankOf(b) || byText(a.name, b.name) || byText(a.urn, b.urn));
  const errors = plan.errors.map((error) => cleanLines(error, LONGEST_ERROR));
  if (!plan.complete)
    errors.push("the engine's events stop before their end: it was interrupted, or its output was cut");

  const hours = endpoints.map(({ computeHours }) => computeHours);
  const unread = steps.map(unreadFleet);
  const configuration = drift ? [] : configurationChanges(plan);
  const hidesLeftDeletes = plan.hidesLeftDeletes && !drift;
  const uncompared = drift ? undefined : uncomparedSettings(plan);
  const isTold = Object.values(uncompared ?? {}).every((value) => !isCut(value));
  const isUncompared = uncompared !== undefined && !(isTold && isDeepStrictEqual(options.expected?.config, uncompared));

  const report: Report = {
    version: 1,
    ...stackOf(plan),
    ...(profile && { platform: profile.name }),
    summary: summaryMessage(
      { endpoints, unread, configuration, hidesLeftDeletes },
      { failed: errors.length > 0, drift },
    ),
    ...(drift && { drift }),
    endpoints,
    unread,
    configuration,
    ...(configuration.some(({ name }) => name.startsWith("default")) && { settings: plainSettings(plan) }),
    ...crowdedIn(reported, profile),
    ...(uncompared && { uncompared }),
    ...(hidesLeftDeletes && { hidesLeftDeletes }),
    unchanged,
    otherChanges,
    errors,
    messages: messagesOf(plan.messages),
    scale: { min: SMALLEST_CU, max: largest(plan, endpoints, profile) },
    hoursPerMonth: HOURS_PER_MONTH,
    computeHours: {
      before: totalOf(hours, "before"),
      after: totalOf(hours, "after"),
      unknown: hours.filter(({ before, after }) => before === undefined || after === undefined).length,
    },
    ...(live && { live: { at: new Date(live.nowMs).toISOString(), reach: live.reach } }),
    ...(options.pricePerCuHour !== undefined && { pricePerCuHour: options.pricePerCuHour }),
    ...(options.currency !== undefined && { currency: options.currency }),
  };
  if (options.expected) report.approval = approvalOf(report, options.expected, plan, live);
  if (options.failOn && options.failOn.length > 0) report.gate = applyGate(report, options.failOn, isUncompared);
  return report;
}

/**
 * Adds a note to a delete that PGCOMPUTE_FORGET suppresses. It still counts: without the variable the endpoint is
 * deleted.
 */
function leftWhereItIs(
  report: EndpointReport,
  { action, before }: PlannedEndpoint,
  forget: readonly string[] = [],
): EndpointReport {
  const id = idOfState(before?.outputs ?? {});
  const [projectId = ""] = id.split("/");
  if (action !== "delete" || !forget.some((one) => one === id || one === projectId)) return report;
  return { ...report, notes: report.notes.map((note) => (note === PERMANENT ? LEFT : note)) };
}

function approvalOf(
  { unread, errors, hidesLeftDeletes }: Report,
  expected: Seal,
  plan: Plan,
  live: LiveView | undefined,
): Approval {
  const seal = expected.digest;
  // A failed preview may have stopped early.
  if (errors.length > 0) return { seal, differences: [] };
  const differences = differencesFrom(expected, sealOf(plan, live));

  return {
    seal,
    differences: [
      ...(hidesLeftDeletes ? [HIDDEN_DELETES] : []),
      ...unread.map((one) => `${unreadMessage(one)}, so that no seal holds them`),
      ...differences,
    ],
  };
}

/** The projects where more computes start than may be active, as far as the plan shows. */
function crowdedIn(
  reported: readonly { planned: PlannedEndpoint; report: EndpointReport }[],
  profile: Profile | undefined,
): Pick<Report, "crowded"> {
  const limit = profile?.activeComputes ?? Number.POSITIVE_INFINITY;
  // Not counted: a suspended endpoint, which a change may start briefly, and a deleted one.
  const startedBy = ({ action, restarts, disabled, live }: EndpointReport) =>
    disabled.after !== true &&
    live?.state !== "idle" &&
    live?.state !== "gone" &&
    (action === "create" || action === "recreate" || action === "replace" || restarts === "yes");

  const counts = new Map<string, number>();
  for (const { planned, report } of reported) {
    const { projectId } = (planned.after ?? planned.before)?.inputs ?? {};
    if (!startedBy(report) || typeof projectId !== "string") continue;
    counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
  }

  const crowded = [...counts].flatMap(([projectId, starts]) => (starts > limit ? [{ projectId, starts, limit }] : []));
  return crowded.length > 0 ? { crowded } : {};
}

function unreadFleet({ urn, type, unread }: PlanStep): UnreadFleet {
  return {
    urn: cleanText(urn),
    name: plain(nameOfUrn(urn)),
    ...(isEndpoint(type) && { isSingle: true }),
    ...(unread as Unread),
  };
}

/** The provider's messages on endpoints and fleets, verbatim; those on a provider are in its configuration. */
function messagesOf(said: readonly PlanMessage[]): ProviderMessage[] {
  const found = new Map<string, ProviderMessage>();
  for (const { urn, severity, message } of said) {
    const type = typeOfUrn(urn);
    if (!hostOf(type) || platformIn(message)) continue;
    const text = cleanLines(message, LONGEST_ERROR);
    found.set(`${urn} ${text}`, { urn: cleanText(urn), name: plain(nameOfUrn(urn)), severity, message: text });
  }
  // Warnings sort first, although they are last in the alphabet.
  return [...found.values()].sort((a, b) => byText(b.severity, a.severity) || byText(a.urn, b.urn));
}

/** The plan's project and stack, from any URN. */
function stackOf({ steps }: Plan): Pick<Report, "project" | "stack"> {
  const { stack, project } = ownerOf(steps[0]?.urn ?? "");
  return { ...(project && { project: plain(project) }), ...(stack && { stack: plain(stack) }) };
}

/** The scale's maximum: the configured limit, or the largest size of any endpoint. */
function largest({ config }: Plan, endpoints: readonly EndpointReport[], profile = profiles.specification): number {
  const configured = Number(config["pgcompute:maxSizeCu"]);
  const limit = configured > 0 ? configured : limitsOf(profile, undefined).autoscalingMaxCu;
  return endpoints.reduce(
    (most, { sizeCu: { before, after } = {} }) => Math.max(most, before?.max ?? 0, after?.max ?? 0),
    limit,
  );
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The sum of the known sides. */
function totalOf(all: readonly BeforeAfter<Range>[], side: "before" | "after"): Range {
  const sum = (end: "min" | "max") => all.reduce((total, hours) => total + (hours[side]?.[end] ?? 0), 0);
  return { min: sum("min"), max: sum("max") };
}
