/** The sentences of a report, shared by all output formats. */
import { cleanText } from "../../provider/lib/redact";
import { plain } from "../../provider/lib/wording";
import { formatCount } from "../terminal/output";
import { disruptionClasses, rankOf } from "./disruption";
import { firstOf, formatFigure, formatHours } from "./format";
import { formatMoney, reachMessages, useTotalMessage } from "./live/messages";
import type { Report, UnreadFleet } from "./report-model";

const NO_BEFORE = "a plan does not show what dynamic resources had before";
/** For a plan without this provider. */
const NOTHING_SHOWN =
  "the plan shows nothing of this provider, as `pulumi preview --json` does where no endpoint changes; give it --show-sames";

/** Warns that a plan hides deletes pending from earlier runs, and gives the command that shows them. */
export const HIDDEN_DELETES =
  "this form of the plan does not show deletes left from earlier runs; give --show-replacement-steps to `pulumi preview --json`, and to " +
  "this command";

/** Endpoints named for a met condition. */
const MOST_NAMED = 5;

/** Maximum number of differences from a seal that are listed. */
const MOST_LINES = 20;

const reasons: Readonly<Record<UnreadFleet["why"], string>> = {
  secret:
    "the map `endpoints`, one of its members or `defaults` is a secret as a whole; keep single values secret instead",
  unknown: "the map `endpoints` is not known yet, so that any member may change, come or go",
  cut: "the plan shows only a part of what it is, and of what it will be",
  form: "the state is of another form than this version reads; review with the version of the provider that wrote it",
};

/**
 * Summarizes the changes in up to three sentences, such as `3 endpoints change: 1 restart (connections drop), 2
 * unaffected`.
 */
export function summaryMessage(
  {
    endpoints,
    unread,
    configuration,
    hidesLeftDeletes,
  }: Pick<Report, "endpoints" | "unread" | "configuration"> & {
    hidesLeftDeletes: boolean;
  },
  { failed, drift }: { failed: boolean; drift: boolean },
): string {
  const parts = disruptionClasses.flatMap(({ say }, index) => {
    const members = endpoints.filter((one) => rankOf(one) === index);
    return members.length > 0 ? [say(members)] : [];
  });

  const text = drift ? driftMessage(endpoints.length, parts) : changeMessage(endpoints.length, parts, hidesLeftDeletes);
  const isCertain = configuration.length + unread.length === 0;
  const refused = endpoints.filter(({ refused }) => refused).map(({ name }) => name);

  return [
    ...(failed ? [`The ${drift ? "refresh" : "preview"} failed, so this is not all`] : []),
    ...(configuration.length > 0 ? ["The provider's configuration changes"] : []),
    ...(unread.length > 0 ? [unreadSummary(unread)] : []),
    // "No changes" needs certainty.
    ...(endpoints.length > 0 || isCertain ? [text] : []),
    ...(refused.length > 0 ? [refusedMessage(refused)] : []),
  ].join(". ");
}

function refusedMessage(names: readonly string[]): string {
  return `Up will refuse this: ${firstOf(names, MOST_NAMED)} ${names.length === 1 ? "is" : "are"} protected`;
}

/** The reason why a fleet or an endpoint is unreadable. */
export function unreadMessage({ name, isSingle, members, why }: UnreadFleet): string {
  const which = members === undefined ? "the members" : formatCount(members, "member");
  return `${isSingle ? "endpoint" : `${which} of`} ${name} cannot be read: ${reasons[why]}`;
}

function unreadSummary(unread: readonly UnreadFleet[]): string {
  const singles = unread.filter(({ isSingle }) => isSingle).length;
  const fleets = unread.length - singles;
  const who = [
    ...(fleets > 0 ? [`The members of ${formatCount(fleets, "fleet")}`] : []),
    ...(singles > 0 ? [formatCount(singles, "endpoint")] : []),
  ];
  return `${who.join(" and ")} cannot be read`;
}

/** A line for each project over its limit, each change of the provider's configuration, and each unreadable item. */
export function headMessages({ unread, configuration, settings, crowded = [], live, platform }: Report): string[] {
  return [
    ...(live?.reach ?? []).flatMap(({ projectId, spent }) =>
      spent
        ? [`The quota of project ${plain(projectId)} is met (${spent.join(", ")}): none of its computes starts`]
        : [],
    ),
    ...crowded.map(
      ({ projectId, starts, limit }) =>
        `Starts up to ${starts} computes of project ${plain(projectId)}, of which ${platform} has at most ${limit} active at a time, besides ` +
        `that of the default branch: up to ${starts - limit} may fail to start, or start at their first connection`,
    ),
    ...configuration.flatMap(({ name, says }) => says.map((text) => `Configuration of ${name}: ${text}`)),
    ...(settings ? [`The stack's settings now: ${formatSettings(settings)}`] : []),
    ...unread.map(unreadMessage),
  ];
}

function changeMessage(count: number, parts: readonly string[], hidesLeftDeletes: boolean): string {
  if (count === 0) return hidesLeftDeletes ? "No endpoint changes in this plan" : "No endpoint changes";
  return `${count} ${count === 1 ? "endpoint changes" : "endpoints change"}: ${parts.join(", ")}`;
}

function driftMessage(count: number, parts: readonly string[]): string {
  if (count === 0) return "No endpoint was changed outside the stack";
  const what = `${formatCount(count, "endpoint")} ${count === 1 ? "was" : "were"} changed outside the stack`;
  return `${what}; when the next deployment puts that back: ${parts.join(", ")}`;
}

/** The total recent use of changing endpoints, as far as known, and the bounds of their month. */
export function totalMessages(report: Report): string[] {
  if (report.endpoints.length === 0) return [];
  const used = useTotalMessage(report);
  return [...(used === "" ? [] : [used]), boundsMessage(report)];
}

/** The month's bounds over all changing endpoints. */
function boundsMessage(report: Report): string {
  const { before, after, unknown } = report.computeHours;
  const hours = formatFigure({ before: formatHours(before), after: formatHours(after) });
  const { pricePerCuHour: price, currency } = report;
  const money =
    price === undefined
      ? ""
      : `; at ${price}${currency ? ` ${currency}` : ""} a CU-hour: ${formatFigure({ before: formatMoney(before, report), after: formatMoney(after, report) })}`;

  const missing =
    unknown === 0 ? "" : `; not counted: ${formatCount(unknown, "endpoint")} whose size before or after is not known`;
  return `${hours} CU-hours in a month of ${report.hoursPerMonth} hours, from the least to the most that they can use${money}${missing}`;
}

/** The verdicts of the gate and of the seal, as far as requested. */
export function gateMessages(report: Report): string[] {
  return [...conditionMessages(report), ...approvalMessages(report)];
}

/** A line per met condition, or one if none is met, and one for undecided conditions. */
function conditionMessages(report: Report): string[] {
  const { gate, errors } = report;
  if (!gate) return [];
  const { asked, met } = gate;
  // A failed preview may show only part of its plan.
  if (met.length === 0 && errors.length > 0) return [`Gate not decided on ${asked.join(", ")}: the preview failed`];

  return [
    ...met.map(({ condition, endpoints, unread = [] }) => {
      if (condition === "config" && gate.undecided) return undecidedMessage(report);
      if (gate.notShown?.includes(condition)) return `Gate failed on ${condition}: ${HIDDEN_DELETES}`;
      const noun = condition === "config" ? "provider" : "endpoint";
      const named = `${formatCount(endpoints.length, noun)} (${firstOf(endpoints, MOST_NAMED)})`;
      const hidden = `what cannot be read (${firstOf(unread, MOST_NAMED)})`;
      const who = [...(endpoints.length > 0 ? [named] : []), ...(unread.length > 0 ? [hidden] : [])];
      return `Gate failed on ${condition}: ${who.join(", and ")}`;
    }),
    ...(met.length === 0 ? [`Gate passed: nothing of ${asked.join(", ")}`] : []),
  ];
}

/** A line for each difference from the seal; none without a seal. */
function approvalMessages({ approval, errors }: Report): string[] {
  if (!approval) return [];
  if (errors.length > 0) return ["Not compared with the seal: the preview failed"];
  const { differences } = approval;
  if (differences.length === 0) return ["As approved: the plan disrupts nothing but what the seal has"];
  const lines = differences.slice(0, MOST_LINES).map((difference) => `Not as approved: ${difference}`);
  const more = differences.length - MOST_LINES;
  return more > 0 ? [...lines, `Not as approved: ${formatCount(more, "difference")} more`] : lines;
}

/** Describes the parts that the report leaves out. */
export function restMessages(report: Report): string[] {
  const { unchanged, otherChanges } = report;
  const messages = reachMessages(report);
  if (report.endpoints.some(({ dropsConnections, downtime }) => dropsConnections !== "no" || downtime !== "no"))
    messages.push(
      "Downtime is an endpoint that is gone, or switched off until somebody acts; a restart ends by itself",
    );

  if (showsNothing(report)) messages.push(...hiddenMessages(report));
  else {
    if (report.hidesLeftDeletes) messages.push("Deletes left from earlier runs are not shown in this form of the plan");
    if (report.uncompared) messages.push(uncomparedMessage(report.uncompared));
  }
  if (unchanged > 0)
    messages.push(
      `${formatCount(unchanged, "endpoint")} ${unchanged === 1 ? "stays" : "stay"} as ${unchanged === 1 ? "it is" : "they are"}`,
    );

  if (otherChanges > 0)
    messages.push(
      `${formatCount(otherChanges, "change")} of other resources ${otherChanges === 1 ? "is" : "are"} not in this report`,
    );
  return messages;
}

function undecidedMessage(report: Report): string {
  const reason = showsNothing(report) ? NOTHING_SHOWN : `${NO_BEFORE}; a seal keeps it, and --expect compares the two`;
  return `Gate failed on config: whether it changed is not known, since ${reason}`;
}

function uncomparedMessage(settings: Readonly<Record<string, string>>): string {
  return `In the configuration, ${formatSettings(settings)}. The plan does not tell whether that is a change: ${NO_BEFORE}`;
}

/** What a plan without any endpoint leaves out, in one line. */
function hiddenMessages({ hidesLeftDeletes, uncompared }: Report): string[] {
  const hidden = [
    ...(hidesLeftDeletes ? ["deletes left from earlier runs (give --show-replacement-steps)"] : []),
    ...(uncompared ? ["the provider's configuration (give --show-sames)"] : []),
  ];
  return hidden.length === 0 ? [] : [`Not in this form of a plan: ${hidden.join(", and ")}`];
}

/** True for a plan without any endpoint. */
function showsNothing({ endpoints, unread, unchanged }: Report): boolean {
  return endpoints.length + unread.length + unchanged === 0;
}

function formatSettings(settings: Readonly<Record<string, string>>): string {
  const now = Object.entries(settings).map(([key, value]) => `${plain(key)} is ${cleanText(value)}`);
  return now.length > 0 ? now.join(", ") : "no plain setting";
}

/** The origin of a report: `project shop, stack prod, platform neon`. */
export function formatOrigin({ project, stack, platform }: Report): string {
  return Object.entries({ project, stack, platform })
    .flatMap(([what, name]) => (name === undefined ? [] : [`${what} ${name}`]))
    .join(", ");
}

/** Column titles for an endpoint's properties. */
export function propertyTitles({ drift }: Report): [string, string, string] {
  return drift ? ["Property", "Now", "Put back to"] : ["Property", "From", "To"];
}
