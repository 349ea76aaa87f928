/** Formats the report as plain text for a terminal, fitted to its width. */
import { Help } from "commander";
import stringWidth from "string-width";
import { cleanText } from "../../provider/lib/redact";
import { isCommandLine } from "../../provider/lib/wording";
import type { Shell } from "../shell";
import { formatCount } from "../terminal/output";
import { type Cell, type Column, colours, layOut, USUAL_COLUMNS } from "../terminal/table";
import { type Entry, entryOf, formatFigure, formatNames, formatPlace, groupEqual, placesOf, type Tone } from "./format";
import { reachMessages } from "./live/messages";
import { formatOrigin, gateMessages, headMessages, restMessages, totalMessages } from "./messages";
import type { Report } from "./report-model";

/** Names listed of a group with equal changes. */
const MOST_LISTED = 20;

const LONGEST_LINE = 2_000;

const INDENT = "  ";

const toneColours = { bad: "red", open: "yellow", fine: undefined } as const satisfies Record<Tone, string | undefined>;

/** Columns that a narrow table drops, lowest number first. */
const leaveOut: Readonly<Record<string, number>> = { Memory: 1, max_connections: 2, Size: 3, Downtime: 4, Host: 5 };

/** Wraps text by terminal columns: a character may take two or none. */
class Wrapper extends Help {
  override displayWidth(text: string): number {
    return stringWidth(text);
  }
}

const wrapper = new Wrapper();

/** The report as terminal lines, coloured if possible. The caller prints errors and unread parts. */
export function toTerminal(report: Report, shell: Pick<Shell, "out" | "env">): string {
  const entries = groupEqual(report.endpoints).map((group) => entryOf(group, report));
  const paint = colours(shell);
  const origin = formatOrigin(report);
  const unread = new Set(reachMessages(report));

  const parts = [
    paint.bold(wrapped(report.summary, shell)),
    origin && wrapped(`Compute endpoints of ${origin}`, shell),
    lines([...headMessages(report), ...gateMessages(report)], shell),
    entries.length > 0 ? overview(entries, shell) : "",
    ...entries.map((entry) => detailsOf(entry, shell)),
    report.messages.length > 0
      ? `What the provider says:\n${report.messages.flatMap((one) => messageLines(one, shell)).join("\n")}`
      : "",
    lines([...totalMessages(report), ...restMessages(report).filter((one) => !unread.has(one))], shell),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

/** A row per endpoint, or per group with equal changes. */
function overview(entries: readonly Entry[], shell: Pick<Shell, "out" | "env">): string {
  const [first] = entries;
  const isLive = entries.some(({ now }) => now !== "");

  const columns: Column<Entry>[] = [
    { title: "Endpoint", of: ({ all }) => formatNames(all) },
    { title: "Change", of: ({ action }) => action },
    ...(isLive ? [{ title: "Now", of: ({ now }: Entry) => now }] : []),
    ...(first?.answers ?? []).map(({ question }, at) => ({
      title: question,
      of: answerCell(at),
      ...leftOut(question),
    })),
    ...["Size", "max_connections", "Memory"].map((label) => ({
      title: label,
      of: figureCell(label),
      ...leftOut(label),
    })),
  ];

  const { titles, rowOf } = layOut(withKnownWidth(shell), columns, entries);
  return [titles, ...entries.map(rowOf)].join("").trimEnd();
}

function leftOut(title: string): { leaveOut?: number } {
  const order = leaveOut[title];
  return order === undefined ? {} : { leaveOut: order };
}

const answerCell =
  (at: number) =>
  ({ answers }: Entry): Cell => {
    const { answer = "", tone = "fine" } = answers[at] ?? {};
    return { text: answer, colour: toneColours[tone] };
  };

const figureCell =
  (wanted: string) =>
  ({ figures }: Entry): Cell => {
    const found = figures.find(({ label }) => label === wanted);
    return found ? { text: formatFigure(found), colour: found.falls ? "red" : undefined } : "";
  };

/** The details of an endpoint or a group, one per line. */
function detailsOf(
  { all, endpoint, isOne, action, facts, figures, properties, tone }: Entry,
  shell: Pick<Shell, "out" | "env">,
): string {
  const colour = toneColours[tone];
  const paint = colours(shell);
  const title = wrapped(`${formatNames(all)}: ${action}`, shell);
  const more = all.length - MOST_LISTED;

  const places = isOne
    ? placesOf(endpoint)
    : [
        ...all.slice(0, MOST_LISTED).map((one) => [one.name, formatPlace(one)].filter(Boolean).join(": ")),
        ...(more > 0 ? [`and ${formatCount(more, "endpoint")} more`] : []),
      ];

  const told = [
    ...places,
    ...facts.map(({ label, text }) => `${label}: ${text}`),
    ...figures.map((one) => `${one.label}: ${formatFigure(one)}${one.falls ? " (fewer)" : ""}`),
    ...endpoint.notes,
    ...properties.map(({ name, from, to, note }) => `${name}: ${from} → ${to}${note}`),
  ];
  return `${colour ? paint[colour](title) : title}\n${lines(told, shell, INDENT)}`;
}

/** A message's lines; those with a command are not wrapped, for pasting. */
function messageLines({ name, severity, message }: Report["messages"][number], shell: Pick<Shell, "out" | "env">) {
  return `${severity} on ${name}: ${message}`.split("\n").map((line) => {
    const text = line.trimStart();
    const indent = `${INDENT}${line.slice(0, line.length - text.length)}`;
    return isCommandLine(line) ? `${indent}${INDENT}${clean(text, shell)}` : wrapped(text, shell, indent);
  });
}

function lines(all: readonly string[], shell: Pick<Shell, "out" | "env">, indent = ""): string {
  return all.map((line) => wrapped(line, shell, indent)).join("\n");
}

/** A text wrapped to the terminal, with all but the first line indented. */
function wrapped(text: string, { out, env }: Pick<Shell, "out" | "env">, indent = ""): string {
  const width = widthOf(out) - indent.length - INDENT.length;
  return `${indent}${wrapper.boxWrap(clean(text, { env }), width).replaceAll("\n", `\n${indent}${INDENT}`)}`;
}

function clean(text: string, { env }: Pick<Shell, "env">): string {
  return cleanText(text, LONGEST_LINE, env.PGCOMPUTE_API_KEY);
}

function widthOf(out: Shell["out"]): number {
  return out.columns?.() || USUAL_COLUMNS;
}

/** The shell with a known width: the usual one if its terminal reports none. */
function withKnownWidth<T extends Pick<Shell, "out" | "env">>({ out, env }: T): Pick<Shell, "out" | "env"> {
  return { env, out: { ...out, columns: () => widthOf(out) } };
}
