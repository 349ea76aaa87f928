/** Sentences about the platform's current state, as plain text. */
import type { Range } from "../../../provider/endpoint/impact/figures";
import { listedFew, plain, shellWord } from "../../../provider/lib/wording";
import { parseBaseUrl } from "../../../provider/platform/http/base-url";
import { formatAway } from "../../../provider/platform/project/outcome";
import { formatCount } from "../../terminal/output";
import { happens } from "../disruption";
import type { EndpointReport, GoneEndpoint, LiveChange, LiveEndpoint, Price, Report } from "../report-model";

/** Maximum number of endpoints on a terminal. */
const MOST_LINES = 20;
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;
const HOURS_PER_DAY = 24;

const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const smallNumbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** An endpoint's facts, each a label and a sentence; empty without `--live`. */
export function liveFacts(endpoint: EndpointReport, report: Report): { label: string; text: string }[] {
  const { live } = endpoint;
  if (!live || !report.live) return [];
  if (live.state === "gone") return [{ label: "Now", text: goneMessage(live) }];

  const { at } = report.live;
  const drift = report.drift === true;

  const facts = [
    { label: "Kept", text: keptMessage(live) },
    { label: "Changed", text: drift ? changedMessage(live) : "" },
    { label: "Now", text: nowMessage(endpoint, live, { at, drift }) },
    { label: "How long", text: awayMessage(endpoint, live) },
    { label: "Use", text: live.observedHours > 0 ? useMessage(endpoint, live, report) : "" },
    { label: "Quiet", text: quietMessage(live) },
  ];
  return facts.filter(({ text }) => text !== "");
}

/** A line of facts per disrupted or changed endpoint, for terminals. */
export function terminalMessages(report: Report): string[] {
  const isKept = ({ live }: EndpointReport) => live !== undefined && live.state !== "gone" && live.kept !== undefined;
  const isTold = (one: EndpointReport) => report.drift || happens(one.dropsConnections) || isKept(one);
  const disturbed = report.endpoints.filter(isTold);
  const lines = disturbed.flatMap((endpoint) => {
    const facts = liveFacts(endpoint, report).map(({ text }) => text);
    return facts.length === 0 ? [] : [`${endpoint.name}: ${facts.join("; ")}`];
  });
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `and ${formatCount(more, "endpoint")} more`] : lines;
}

/** The endpoint's current state in two or three words, for a table. */
export function formatNow({ live }: EndpointReport, { live: asked }: Report): string {
  if (!live || !asked) return "";
  if (live.state === "gone") return "gone";
  const since = live.since === undefined ? "" : ` ${formatAge(live.since, asked.at)}`;
  return { runs: "runs", idle: `idle${since}`, disabled: `disabled${since}`, unknown: "not told" }[live.state];
}

function keptMessage({ kept }: LiveEndpoint): string {
  if (kept === undefined) return "";
  return (
    `the platform keeps it on its branch, so its delete will be refused: ${plain(kept)}; take that off the branch on the platform, or ` +
    "have the run let go of it (PGCOMPUTE_FORGET)"
  );
}

/** The expected interruption of a restart, move or replacement; empty for other changes. */
function awayMessage({ dropsConnections, restartsIdle, action }: EndpointReport, live: LiveEndpoint): string {
  const isCut = [dropsConnections, restartsIdle].some(happens);
  if (!live.away || !isCut || action === "delete") return "";
  const { aboutMs, slowestMs, restarts, of } = live.away;
  const seen = `${formatCount(restarts, "restart")} ${of === "endpoint" ? "here" : "in this project"} in ${formatSpan(live.observedHours)}`;
  return `away for about ${formatAway(aboutMs)} (${seen}, the slowest ${formatAway(slowestMs)})`;
}

function changedMessage({ changedBy }: LiveEndpoint): string {
  if (!changedBy) return "the operations that were read have none that changed it";
  return `since ${formatInstant(changedBy.at)}: operation ${plain(changedBy.operation)} (${plain(changedBy.action)}) is the last that changed it`;
}

function changeMessage({ operation, action, at }: LiveChange): string {
  return `operation ${plain(operation)} (${plain(action)}) at ${formatInstant(at)}`;
}

/** The total use of the endpoints with known use; empty without any. */
export function useTotalMessage({ endpoints, ...price }: Report): string {
  const used = endpoints.flatMap((endpoint) => useOf(endpoint) ?? []);
  if (used.length === 0) return "";
  const sum = (of: (one: { before: number; after?: number }) => number) =>
    used.reduce((total, one) => total + of(one), 0);
  const total = { before: sum(({ before }) => before), after: sum(({ after = 0 }) => after) };
  return `By what ${used.length === 1 ? "the endpoint" : `${used.length} endpoints`} ran lately: ${atSizes(total, price)}`;
}

/** A sentence for each project that was not read, or not far enough back. */
export function reachMessages({ live }: Report): string[] {
  return (live?.reach ?? []).flatMap(({ projectId, from, pages, failure }) => {
    const project = `project ${plain(projectId)}`;
    if (failure !== undefined) return [`No live data for ${project}: ${failure.replace(/\.$/, "")}`];
    if (pages === undefined || from === undefined) return [];
    return [`Operations of ${project} were read back to ${formatInstant(from)} only: ${pages} pages reach no further`];
  });
}

/** Why no live data is read: the plan names other addresses than the command. */
export function elsewhereMessage(addresses: readonly string[]): string {
  const why = "a plan does not decide where the key goes, so nobody was asked";
  const [only = "", ...others] = addresses;
  if (others.length > 0) return `the plan names several addresses (${listedFew(addresses)}), and ${why}`;
  if (!parseBaseUrl(only).url) return `the plan names an address that cannot be one, and ${why}`;
  return `the plan names another address, and ${why}; if the key is for it, add --base-url ${shellWord(only)}`;
}

/** The CU-hours of the endpoint's recorded running time, at its current and its new maximum size. */
function useOf({ live, sizeCu }: EndpointReport): { before: number; after?: number } | undefined {
  if (!live || live.state === "gone" || live.observedHours === 0 || !sizeCu?.before) return undefined;
  const { runningHours } = live;
  const after = sizeCu.after && sizeCu.after.max * runningHours;
  return { before: sizeCu.before.max * runningHours, ...(after !== undefined && { after }) };
}

/** The cost of a range of CU-hours, with the currency if one is configured. */
export function formatMoney({ min, max }: Range, { pricePerCuHour = 0, currency }: Price): string {
  const format = new Intl.NumberFormat("en-US", {
    ...(currency && { style: "currency", currency }),
    ...{ minimumFractionDigits: 2, maximumFractionDigits: 2 },
  });
  const money = (hours: number) => format.format(hours * pricePerCuHour);
  return min === max ? money(min) : `${money(min)}–${money(max)}`;
}

/** The time between two moments: `12 min`, `3 h`, `5 days`. */
function formatAge(from: string, to: string): string {
  const minutes = Math.max(0, (Date.parse(to) - Date.parse(from)) / MS_PER_MINUTE);
  if (minutes < 1) return "less than a minute";
  if (minutes < MINUTES_PER_HOUR) return `${Math.floor(minutes)} min`;
  if (minutes < 2 * MINUTES_PER_DAY) return `${Math.floor(minutes / MINUTES_PER_HOUR)} h`;
  return `${Math.floor(minutes / MINUTES_PER_DAY)} days`;
}

/** Hours of the day as periods: `22:00 to 05:00, 12:00 to 13:00`. */
function formatHoursOfDay(hours: readonly number[]): string {
  const quiet = new Set(hours);
  const starts = hours.filter((hour) => !quiet.has((hour + HOURS_PER_DAY - 1) % HOURS_PER_DAY));
  const clock = (hour: number) => `${String(hour % HOURS_PER_DAY).padStart(2, "0")}:00`;

  const ranges = starts.map((start) => {
    let end = start;
    while (quiet.has(end % HOURS_PER_DAY)) end += 1;
    return `${clock(start)} to ${clock(end)}`;
  });
  return ranges.join(", ");
}

function goneMessage({ changedBy }: GoneEndpoint): string {
  const last = changedBy ? `; the last of it is ${changeMessage(changedBy)}` : "";
  return `the platform does not have this endpoint any more${last}`;
}

function nowMessage(
  endpoint: EndpointReport,
  live: LiveEndpoint,
  { at, drift }: { at: string; drift: boolean },
): string {
  const disturbs = happens(endpoint.dropsConnections);
  const what = drift ? "putting it back" : happens(endpoint.restarts) ? "a restart" : "the change";
  const used =
    live.lastActive === undefined ? "" : `, last active ${formatAge(live.lastActive, at)} before this report`;

  switch (live.state) {
    case "runs": {
      const since = live.since === undefined ? "" : ` since ${formatInstant(live.since)}`;
      return `runs${since}${used}${disturbs ? `: ${what} now drops whoever is connected` : ""}`;
    }
    case "unknown":
      return `the platform does not tell its state${used}`;
    default: {
      const since = live.since === undefined ? "" : ` for ${formatAge(live.since, at)}`;
      return `${live.state}${since}${disturbs ? `: ${what} now drops nobody` : ""}`;
    }
  }
}

function useMessage(endpoint: EndpointReport, live: LiveEndpoint, price: Price): string {
  const { runningHours, starts, observedHours } = live;
  if (runningHours === 0) return `did not run in ${formatSpan(observedHours)}`;
  const ran = `ran ${formatNumber(runningHours)} h in ${formatSpan(observedHours)}, started ${starts} ${starts === 1 ? "time" : "times"}`;
  const use = useOf(endpoint);
  return use ? `${ran}: ${atSizes(use, price)}` : ran;
}

function atSizes({ before, after }: { before: number; after?: number }, price: Price): string {
  const money = (hours: number) =>
    price.pricePerCuHour === undefined ? "" : ` (${formatMoney({ min: hours, max: hours }, price)})`;
  const hours = formatNumber(before);
  const today = `about ${hours} ${hours === "1" ? "CU-hour" : "CU-hours"}${money(before)} at today's maximum`;
  if (after === undefined || after === before) return today;
  return `${today}, ${formatNumber(after)}${money(after)} at the new one`;
}

/** The hours with the least activity; empty if unknown, or if the endpoint never ran. */
function quietMessage({ observedHours, quietHours, hoursOfDay }: LiveEndpoint): string {
  if (observedHours < HOURS_PER_DAY || quietHours.length === HOURS_PER_DAY) return "";
  const over = formatSpan(observedHours);
  if (quietHours.length > 0) return `never ran from ${formatHoursOfDay(quietHours)} UTC in ${over}`;
  const least = Math.min(...hoursOfDay);
  if (Math.max(...hoursOfDay) - least < 1) return `ran at every hour of the day alike in ${over}`;
  const hours = hoursOfDay.flatMap((ran, hour) => (ran - least < 1e-9 ? [hour] : []));
  return `ran least from ${formatHoursOfDay(hours)} UTC (${formatNumber(least)} h in ${over}); no hour of the day is free`;
}

function formatSpan(hours: number): string {
  const days = hours / HOURS_PER_DAY;
  return days >= 2 ? `${Math.round(days)} days` : `${formatNumber(hours)} h`;
}

function formatNumber(value: number): string {
  return (value < 10 ? smallNumbers : numbers).format(value);
}

function formatInstant(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? plain(iso) : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
