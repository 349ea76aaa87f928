/** Formats the report as Markdown for a pull request's comment. */
import { cleanLines } from "../../provider/lib/redact";
import { formatCount } from "../terminal/output";
import { entryOf, formatFigure, formatNames, formatPlace, groupEqual, placesOf, unbroken } from "./format";
import { formatOrigin, gateMessages, headMessages, propertyTitles, restMessages, totalMessages } from "./messages";
import type { EndpointReport, Report } from "./report-model";

/** GitHub's maximum length of a comment, in characters. */
export const MAX_COMMENT = 65_536;

/** The report's first line, by which a pipeline finds its comment. */
const MARKER = "<!-- pgcompute-review -->";

/** Characters reserved for the sentence on what was cut. */
const RESERVE = 200;

/** Names listed of a group with equal changes. */
const MOST_LISTED = 200;

/** Limits on errors and provider messages; HTML and JSON have all of them. */
const MOST_MESSAGES = 20;
const LONGEST_MESSAGE = 700;
const LONGEST_ERROR = 500;

/**
 * Formats the report as Markdown within GitHub's limit. Drops the least important rows and details first, never the
 * summary.
 */
export function toMarkdown(report: Report): string {
  const head = headOf(report);
  const foot = footOf(report);
  const groups = groupEqual(report.endpoints);
  const room = MAX_COMMENT - join([...head, ...foot]).length - RESERVE;
  const titles = tableHead(report);
  const rows = fitting(groups, (one) => tableRow(one, report), room - titles.join("\n").length);
  const table = rows.length === 0 ? "" : [...titles, ...rows].join("\n");
  const details = fitting(groups, (one) => detailsOf(one, report), room - table.length);

  const left = groups.reduce(
    (sum, { length }, at) => sum + (at < details.length ? Math.max(0, length - MOST_LISTED) : length),
    0,
  );

  const missing = [
    rows.length < groups.length ? `${formatCount(groups.length - rows.length, "row")} of the table` : "",
    left > 0 ? `the names or details of ${formatCount(left, "endpoint")}` : "",
  ].filter(Boolean);
  const cutNote = `_Left out, to fit a comment: ${missing.join(" and ")}. The HTML and JSON reports have all of them._`;
  return cut(join([...head, table, ...details, missing.length === 0 ? "" : cutNote, ...foot]));
}

function headOf(report: Report): string[] {
  const where = formatOrigin(report);
  const gate = [...headMessages(report), ...gateMessages(report)];
  return [
    MARKER,
    `**${text(report.summary)}**`,
    where && text(`Compute endpoints of ${where}`),
    gate.map((line) => `- ${text(line)}`).join("\n"),
    bullets(report.errors, "error", (one) => codeLines(cleanLines(one, LONGEST_ERROR))),
  ];
}

function footOf(report: Report): string[] {
  const lines = [...totalMessages(report), ...restMessages(report)].map((words) => text(`${words}.`));
  const said = bullets(
    report.messages,
    "message",
    ({ name, severity, message }) => `${severity} on ${code(name)}: ${codeLines(cleanLines(message, LONGEST_MESSAGE))}`,
  );
  return [said && "What the provider says:", said, lines.join("  \n")];
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
  const { action, now, answers, figures } = entryOf(group, report);
  const cells = answers.map(({ answer, tone }) => (tone === "bad" ? `**${answer}**` : answer));
  const figure = (label: string) => {
    const found = figures.find((one) => one.label === label);
    if (!found) return "";
    const words = text(unbroken(formatFigure(found)));
    return found.falls ? `**${words}**` : words;
  };

  const sizes = [figure("Size"), figure("max_connections"), figure("Memory")];
  return `| ${[formatNames(group, cell), action, ...(report.live ? [text(now)] : []), ...cells, ...sizes].join(" | ")} |`;
}

function detailsOf(group: readonly EndpointReport[], report: Report): string {
  const { endpoint, isOne, action, facts, figures, properties } = entryOf(group, report);
  const place = (one: EndpointReport) => `- ${[code(one.name), text(formatPlace(one))].filter(Boolean).join(": ")}`;
  const more = group.length - MOST_LISTED;

  const places = isOne
    ? placesOf(endpoint).map((one) => `- ${text(one)}`)
    : [
        ...group.slice(0, MOST_LISTED).map(place),
        ...(more > 0 ? [`- and ${more} more`] : []),
        ...["", "Each of them:", ""],
      ];

  const lines = [
    ...places,
    ...facts.map(({ label, text: words }) => `- **${label}**: ${text(words)}`),
    ...figures.map((one) => `- ${text(`${one.label}: ${formatFigure(one)}`)}${one.falls ? " **(fewer)**" : ""}`),
    ...endpoint.notes.map((note) => `- ${text(note)}`),
  ];

  const rows = properties.map(({ name, from, to, note }) => `| ${cell(name)} | ${cell(from)} | ${cell(to)}${note} |`);
  const table =
    rows.length === 0 ? [] : ["", `| ${propertyTitles(report).join(" | ")} |`, "| --- | --- | --- |", ...rows];
  const title = `<summary>${formatNames(group, codeElement)}: ${action}</summary>`;
  return [`<details>${title}`, "", ...lines, ...table, "", "</details>"].join("\n");
}

/** A bullet each for the first twenty, then the number of the rest. */
function bullets<T>(all: readonly T[], noun: string, write: (one: T) => string): string {
  const more = all.length - MOST_MESSAGES;
  const lines = all.slice(0, MOST_MESSAGES).map((one) => `- ${write(one)}`);
  return [...lines, ...(more > 0 ? [`- and ${formatCount(more, noun)} more`] : [])].join("\n");
}

/**
 * Escapes text for Markdown: markup, table bars, and what GitHub links by itself (people, issues, addresses, emoji,
 * formulas).
 */
function text(value: string): string {
  return value
    .replace(/[^\S\u00a0]+/g, " ")
    .replace(/[\\`*_~[\]<>|]/g, (character) => `\\${character}`)
    .replaceAll("&", "&amp;")
    .replace(/[@#]|\$(?!\d)|:\/\/|:(?=[\w+-]+:)|(?<=www)\.|(?<=GH)-/gi, (match) => `\`${match}\``);
}

/** Text as inline code, which GitHub leaves alone. */
function code(value: string): string {
  const clean = value.replace(/\s+/g, " ");
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = clean.startsWith("`") || clean.endsWith("`") || clean === "" ? " " : "";
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** Each line as code in a list item, so that a command can be copied. */
function codeLines(value: string): string {
  const lines = value.split("\n").map((line) => code(line.trimStart()));
  return lines.join("  \n  ");
}

/** Text as code in a table cell; with bars, which end a cell even in code, as an HTML element. */
function cell(value: string): string {
  return value.includes("|") ? codeElement(value) : code(value);
}

/** Text as an HTML code element, where backticks are no markup. */
function codeElement(value: string): string {
  const safe = value
    .replace(/\s+/g, " ")
    .replace(/[^\p{L}\p{N} /-]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${safe}</code>`;
}

/** Joins the nonempty parts with blank lines. */
function join(parts: readonly string[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

/** The texts that fit into `room`, from the first, with their separators. */
function fitting<T>(all: readonly T[], write: (one: T) => string, room: number): string[] {
  const kept: string[] = [];
  let left = room;

  for (const one of all) {
    const text = write(one);
    left -= text.length + 2;
    if (left < 0) break;
    kept.push(text);
  }
  return kept;
}

function cut(text: string): string {
  return text.length <= MAX_COMMENT ? text : `${text.slice(0, MAX_COMMENT - 4).trimEnd()}...`;
}
