/** The report in Markdown, for a pull request's comment. */
import { cleanText } from "../../provider/lib/redact";
import { formatCount } from "../terminal/output";
import {
  formatAction,
  formatAnswers,
  formatFigure,
  formatFigures,
  formatNames,
  formatPlace,
  formatValue,
  groupEqual,
  unbroken,
} from "./format";
import { formatNow, liveFacts } from "./live/messages";
import {
  approvalMessages,
  formatOrigin,
  gateMessages,
  headMessages,
  propertyMessage,
  propertyTitles,
  restMessages,
  totalMessages,
} from "./messages";
import type { EndpointReport, ProviderMessage, Report } from "./report-model";

/** The longest comment that GitHub takes, in characters. */
export const MAX_COMMENT = 65_536;

/** The first line of every report, by which a pipeline finds its own comment again. */
export const MARKER = "<!-- pgcompute-review -->";

/** Left for the sentence on what was cut. */
const RESERVE = 200;

/** Errors and the provider's messages are shown up to here; the HTML and JSON reports have all of them. */
const MOST_MESSAGES = 20;
const LONGEST_MESSAGE = 700;

/**
 * The report as GitHub-flavoured Markdown, never longer than `maxLength` characters: table rows and details are left out
 * from the harmless end and counted; the summary is always there.
 */
export function toMarkdown(report: Report, maxLength = MAX_COMMENT): string {
  const head = headOf(report);
  const foot = footOf(report);
  const groups = groupEqual(report.endpoints);
  if (groups.length === 0) return cut(join([...head, ...foot]), maxLength);
  const room = maxLength - join([...head, ...foot]).length - RESERVE;
  const titles = tableHead(report);
  const rows = fitting(groups, (one) => tableRow(one, report), room - titles.join("\n").length);
  const table = [...titles, ...rows].join("\n");
  const { details, left } = detailsWithin(groups, report, room - table.length);
  const missing = [
    rows.length < groups.length ? `${formatCount(groups.length - rows.length, "row")} of the table` : "",
    left > 0 ? `the names or details of ${formatCount(left, "endpoint")}` : "",
  ].filter(Boolean);
  const cutNote =
    missing.length === 0
      ? []
      : [`_Left out, to fit a comment: ${missing.join(" and ")}. The HTML and JSON reports have all of them._`];
  const body = rows.length === 0 ? [] : [table];
  return cut(join([...head, ...body, ...details, ...cutNote, ...foot]), maxLength);
}

function headOf(report: Report): string[] {
  const where = formatOrigin(report, code);
  const gate = [...headMessages(report, code), ...gateMessages(report, code), ...approvalMessages(report, code)];
  return [
    MARKER,
    `**${text(report.summary)}**`,
    ...(where === "" ? [] : [`Compute endpoints of ${where}`]),
    ...(gate.length === 0 ? [] : [gate.map((line) => `- ${line}`).join("\n")]),
    ...(report.errors.length === 0 ? [] : [errorsOf(report.errors)]),
  ];
}

function footOf(report: Report): string[] {
  const rest = restMessages(report).map((words) => `${words}.`);
  const total = totalMessages(report).map((words) => `${words}.`);
  const lines = [...total, ...rest].map(text);
  return [
    ...(report.messages.length === 0 ? [] : ["What the provider says:", messagesOf(report.messages)]),
    ...(lines.length === 0 ? [] : [lines.join("  \n")]),
  ];
}

function tableHead({ live, drift }: Report): string[] {
  const titles = [
    "Endpoint",
    drift ? "To put it back" : "Change",
    ...(live ? ["Now"] : []),
    "Restart",
    "Connections",
    "Host",
    "Downtime",
    "Size",
    "max_connections",
    "Memory",
  ];
  return [`| ${titles.map(text).join(" | ")} |`, `|${titles.map(() => " --- |").join("")}`];
}

function tableRow(group: readonly EndpointReport[], report: Report): string {
  const [endpoint] = group as [EndpointReport];
  const cells = formatAnswers(endpoint).map(({ answer, tone }) => (tone === "bad" ? `**${answer}**` : answer));
  const shown = formatFigures(endpoint);
  const figure = (label: string) => {
    const found = shown.find((one) => one.label === label);
    if (!found) return "";
    const words = text(unbroken(formatFigure(found)));
    return found.falls ? `**${words}**` : words;
  };
  const sizes = [figure("Size"), figure("max_connections"), figure("Memory")];
  const now = report.live ? [text(formatNow(endpoint, report))] : [];
  return `| ${[formatNames(group, cell), formatAction(endpoint), ...now, ...cells, ...sizes].join(" | ")} |`;
}

/** The details of the first groups, as many as fit, each with as many names as fit; and how many endpoints are left out. */
function detailsWithin(groups: readonly EndpointReport[][], report: Report, room: number) {
  const details: string[] = [];
  let [space, left] = [room, 0];
  for (const group of groups) {
    // Nothing follows a group that does not fit, since the worst come first.
    const bare = space < 0 ? "" : detailsOf(group, report, []);
    space -= bare.length + 2;
    if (space < 0) {
      left += group.length;
      continue;
    }
    const whole = group.map((one) => `- ${[code(one.name), formatPlace(one, code)].filter(Boolean).join(": ")}`);
    const names = group.map((one) => `- ${code(one.name)}`);
    const listed = group.length === 1 ? [] : fitting(lengthOf(whole) > space ? names : whole, String, space);
    space -= lengthOf(listed);
    details.push(listed.length === 0 ? bare : detailsOf(group, report, listed));
    left += group.length === 1 ? 0 : group.length - listed.length;
  }
  return { details, left };
}

function detailsOf(group: readonly EndpointReport[], report: Report, listed: readonly string[]): string {
  const [endpoint] = group as [EndpointReport];
  const { id, hostName, move, properties, notes } = endpoint;
  const isOne = group.length === 1;
  const own = [
    ...(id ? [`- endpoint ${code(id)}`] : []),
    ...(hostName ? [`- host ${code(hostName)}`] : []),
    ...(move ? [`- moves from ${code(move.from)} to ${code(move.to)}`] : []),
  ];
  const more = group.length - listed.length;
  const facts = [
    ...(isOne ? own : [...listed, ...(more > 0 ? [`- and ${more} more`] : []), "", "Each of them:", ""]),
    ...liveFacts(endpoint, report).map(({ label, text: words }) => `- **${label}**: ${text(words)}`),
    ...formatFigures(endpoint, report).map(
      ({ label, before, after, falls }) =>
        `- ${text(`${label}: ${formatFigure({ before, after })}`)}${falls ? " **(fewer)**" : ""}`,
    ),
    ...notes.map((note) => `- ${text(note)}`),
  ];
  const rows = properties
    .filter(({ name }) => isOne || name !== "branchId")
    .map(
      (one) =>
        `| ${cell(one.name)} | ${cell(formatValue(one.name, one.from))} | ${cell(formatValue(one.name, one.to))}${propertyMessage(one)} |`,
    );
  const table =
    rows.length === 0 ? [] : ["", `| ${propertyTitles(report).join(" | ")} |`, "| --- | --- | --- |", ...rows];
  const title = `<summary>${formatNames(group, codeElement)}: ${formatAction(endpoint)}</summary>`;
  return [`<details>${title}`, "", ...facts, ...table, "", "</details>"].join("\n");
}

function errorsOf(errors: readonly string[]): string {
  return bullets(errors, "error", (error) => code(error.length > 500 ? `${error.slice(0, 500)}...` : error));
}

function messagesOf(messages: readonly ProviderMessage[]): string {
  return bullets(
    messages,
    "message",
    ({ name, severity, message }) => `${severity} on ${code(name)}: ${code(cleanText(message, LONGEST_MESSAGE))}`,
  );
}

/** A line for each, up to twenty, and how many more there are. */
function bullets<T>(all: readonly T[], noun: string, write: (one: T) => string): string {
  const more = all.length - MOST_MESSAGES;
  const lines = all.slice(0, MOST_MESSAGES).map((one) => `- ${write(one)}`);
  return [...lines, ...(more > 0 ? [`- and ${formatCount(more, noun)} more`] : [])].join("\n");
}

/**
 * Text in which nothing is markup, a cell's end, or what GitHub makes a link by itself: people, issues, addresses. A
 * backslash does not stop those, since GitHub looks for them in what Markdown has become; code does.
 */
function text(value: string): string {
  return value
    .replace(/[\\`*_~[\]<>|]/g, (character) => `\\${character}`)
    .replaceAll("&", "&amp;")
    .replace(/[@#]|:\/\/|(?<=www)\.|(?<=GH)-/gi, (match) => `\`${match}\``);
}

/** Text as code, in which GitHub looks for nothing. */
function code(value: string): string {
  const clean = value.replace(/\s+/g, " ");
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = clean.startsWith("`") || clean.endsWith("`") || clean === "" ? " " : "";
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** The same in a table, whose cells end at a bar even within code: a text with bars becomes an HTML element. */
function cell(value: string): string {
  return value.includes("|") ? codeElement(value) : code(value);
}

/** The same as an HTML element, for places where backticks are no markup. */
function codeElement(value: string): string {
  const safe = value
    .replace(/\s+/g, " ")
    .replace(/[^\p{L}\p{N} /-]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${safe}</code>`;
}

function join(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}

/** The texts of as many, from the front, as fit, a line each. */
function fitting<T>(all: readonly T[], write: (one: T) => string, room: number): string[] {
  const kept: string[] = [];
  let left = room;
  for (const one of all) {
    const text = write(one);
    left -= text.length + 1;
    if (left < 0) break;
    kept.push(text);
  }
  return kept;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 4).trimEnd()}...`;
}
