/** Formats a report's entries and values as short texts, shared by all output formats. */
import type { BeforeAfter, Range } from "../../provider/endpoint/impact/figures";
import { formatMemory, formatSuspend } from "../../provider/endpoint/impact/sentences";
import { cleanText } from "../../provider/lib/redact";
import { formatSize } from "../../provider/lib/wording";
import { formatAway } from "../../provider/platform/project/outcome";
import type { PlanValue, PropertyChange } from "./change";
import { effectsOf, formatEffect, type Verdict } from "./disruption";
import type { Action } from "./fate";
import { formatMoney, formatNow, liveFacts } from "./live/messages";
import type { EndpointReport, Price, Report } from "./report-model";

/** The tone of an answer. `open`: the specification leaves it open. */
export type Tone = "bad" | "open" | "fine";

/** Maximum length of a value, in characters. */
const LONGEST_VALUE = 300;

/** Fewest endpoints with equal changes that are grouped. */
const LEAST_EQUAL = 3;
/** Names in a group's title. */
const MOST_NAMES = 3;

const actions: Readonly<Record<Action, string>> = {
  create: "created",
  adopt: "taken over",
  recreate: "created again",
  import: "imported",
  update: "changed in place",
  replace: "replaced",
  delete: "deleted",
  release: "released",
};

const unvalued: Readonly<Record<Exclude<PlanValue["is"], "value">, string>> = {
  unset: "not set",
  secret: "[secret]",
  unknown: "not known yet",
  kept: "no longer set; stays as it is",
};

const tones: Readonly<Record<Verdict, Tone>> = { yes: "bad", possible: "bad", no: "fine", not_stated: "open" };

const hoursFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** One entry of a report in words, for each output format to lay out. */
export type Entry = ReturnType<typeof entryOf>;

/** The entry of one endpoint, or of several with equal changes on different branches. */
export function entryOf(all: readonly EndpointReport[], report: Report) {
  const [endpoint] = all as [EndpointReport];
  const isOne = all.length === 1;
  const answers = answersOf(endpoint);

  return {
    all,
    endpoint,
    isOne,
    action: actions[endpoint.action],
    answers,
    tone: toneOf(endpoint, answers),
    effects: effectWords(endpoint),
    now: formatNow(endpoint, report),
    facts: liveFacts(endpoint, report),
    figures: figuresOf(endpoint, report),
    properties: endpoint.properties.filter(({ name }) => isOne || name !== "branchId").map(rowOf),
  };
}

/** One property's old and new value, as a table row. */
function rowOf({ name, from, to, mayStay }: PropertyChange) {
  const note = mayStay ? " (may be the same: the plan does not tell)" : "";
  return { name, from: formatValue(name, from), to: formatValue(name, to), note };
}

/** One side of a property, as text. */
function formatValue(name: string, side: PlanValue): string {
  if (side.is !== "value") return unvalued[side.is];
  const { value } = side;
  if (name === "size") return formatSize((value as Range).min, (value as Range).max);
  if (name === "suspendTimeoutSeconds" && typeof value === "number") return formatSuspend(value);
  return cleanText(typeof value === "string" ? value : JSON.stringify(value), LONGEST_VALUE);
}

/** The short answers to a reviewer's four questions. */
function answersOf(endpoint: EndpointReport): { question: string; answer: string; tone: Tone }[] {
  const { action, restarts, restartsIdle, dropsConnections, hostChanges, downtime, live } = endpoint;
  const words = (verdict: Verdict) => verdict.replace("_", " ");
  const waits = restarts === "no" && restartsIdle !== "no";
  const idle = restartsIdle === "yes" ? "when idle" : `${words(restartsIdle)}, when idle`;

  // A restart is no downtime, but connections drop for a moment.
  const isAway = downtime === "no" && dropsConnections !== "no";
  const span = live && live.state !== "gone" && live.away ? `about ${formatAway(live.away.aboutMs)}` : "briefly";
  const away = `no, ${dropsConnections === "yes" ? "away" : "may be away"} ${span}`;
  const dropped = { yes: "dropped", no: "stay", possible: "may drop", not_stated: "not stated" }[dropsConnections];
  const connections = { create: "none yet", recreate: "gone already" }[action as string] ?? dropped;
  const changed = { yes: "changes", no: "kept", possible: "may change", not_stated: "not stated" }[hostChanges];
  const host = { create: "new", delete: "gone" }[action as string] ?? changed;

  return [
    { question: "Restart", answer: waits ? idle : words(restarts), tone: waits ? "open" : tones[restarts] },
    { question: "Connections", answer: connections, tone: tones[dropsConnections] },
    { question: "Host", answer: host, tone: action === "delete" ? "bad" : tones[hostChanges] },
    { question: "Downtime", answer: isAway ? away : words(downtime), tone: isAway ? "open" : tones[downtime] },
  ];
}

/** An endpoint's disruptions in a few words each, beyond its action; empty without certain or possible ones. */
function effectWords(endpoint: EndpointReport): string[] {
  const { restarts, restartsIdle, maxConnections } = endpoint;
  const suffered = effectsOf(endpoint).flatMap(([effect, how]) => {
    if (effect === "moved" || effect === "replaced") return [];
    if (effect === "deleted") return ["host gone"];
    if (effect === "downtime") return [how === "yes" ? "downtime" : "downtime possible"];
    return [formatEffect(effect, how)];
  });
  return [
    ...suffered,
    ...(falls(maxConnections) ? [`max_connections ${maxConnections?.before} → ${maxConnections?.after}`] : []),
    // Last and once: an open restart leaves its connections open too.
    ...(restarts === "not_stated" || restartsIdle === "not_stated" ? ["restart not stated"] : []),
  ];
}

/** The worst tone of an endpoint's answers; fewer connections count as bad. */
function toneOf(endpoint: EndpointReport, answers: readonly { tone: Tone }[]): Tone {
  const has = (tone: Tone) => answers.some((one) => one.tone === tone);
  if (has("bad") || endpoint.accessOpens !== "no" || falls(endpoint.maxConnections)) return "bad";
  return has("open") ? "open" : "fine";
}

/**
 * Groups three or more endpoints with equal changes apart from the branch, in plan order. Live data stays per endpoint.
 */
export function groupEqual(endpoints: readonly EndpointReport[]): EndpointReport[][] {
  const groups = new Map<string, EndpointReport[]>();
  for (const one of endpoints) {
    const { urn, name, id, hostName, properties, move, live, ...rest } = one;
    const own = live
      ? urn
      : [properties.filter((each) => each.name !== "branchId"), move !== undefined, hostName !== undefined];
    const key = JSON.stringify([rest, own]);
    const known = groups.get(key);
    if (known) known.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].flatMap((all) => (all.length < LEAST_EQUAL ? all.map((one) => [one]) : [all]));
}

/** A group's title: its first few names. `show` formats a name. */
export function formatNames(all: readonly EndpointReport[], show?: (name: string) => string): string {
  return firstOf(
    all.map(({ name }) => name),
    MOST_NAMES,
    show,
  );
}

/** The first `most` texts and the number of others: `a, b and 3 more`. `show` formats each text. */
export function firstOf(all: readonly string[], most: number, show: (name: string) => string = String): string {
  const few = all.slice(0, most).map(show).join(", ");
  return all.length > most ? `${few} and ${all.length - most} more` : few;
}

/** An endpoint's id, its host, and the branches of a move. */
export function placesOf({ id, hostName, move }: EndpointReport): string[] {
  return [
    ...(id ? [`endpoint ${id}`] : []),
    ...(hostName ? [`host ${hostName}`] : []),
    ...(move ? [`moves from ${move.from} to ${move.to}`] : []),
  ];
}

/** An endpoint's place within a group, with its branch. */
export function formatPlace(endpoint: EndpointReport): string {
  const branch = endpoint.move ? undefined : endpoint.properties.find(({ name }) => name === "branchId");
  if (!branch) return placesOf(endpoint).join(", ");
  const from = branch.from.is === "unset" ? "" : `${formatValue("branchId", branch.from)} → `;
  const place = `branch ${from}${formatValue("branchId", branch.to)}${branch.mayStay ? " (may be the same)" : ""}`;
  return [...placesOf(endpoint), place].join(", ");
}

/** A figure before and after, as texts. */
interface Figure {
  label: string;
  before: string;
  after: string;
  /** True if a limit for clients falls, such as the number of connections. */
  falls?: boolean;
}

/** The known figures; money only with a price. */
function figuresOf(endpoint: EndpointReport, price: Price): Figure[] {
  const { sizeCu, maxConnections, memoryGb, suspendTimeoutSeconds, computeHours, action } = endpoint;
  const gone = action === "delete" ? "none" : undefined;

  // The plan does not contain the adopted endpoint.
  const born = { create: "none", recreate: "none", adopt: "not known" }[action as string];
  const figure = <T>(label: string, sides: BeforeAfter<T> | undefined, show: (side: T) => string) => {
    if (sides?.before === undefined && sides?.after === undefined) return [];
    const after = action === "release" ? (sides.after ?? sides.before) : sides.after;
    const side = (value: T | undefined, none: string | undefined) =>
      value === undefined ? (none ?? "not known yet") : show(value);
    return [{ label, before: side(sides.before, born), after: side(after, gone) }];
  };

  return [
    ...figure("Size", sizeCu, ({ min, max }) => formatSize(min, max)),
    ...figure("max_connections", maxConnections, String).map((one) => ({ ...one, falls: falls(maxConnections) })),
    ...figure("Memory", memoryGb, formatMemory),
    ...figure("Autosuspend", suspendTimeoutSeconds, formatSuspend),
    ...figure("CU-hours a month", computeHours, formatHours),
    ...(price.pricePerCuHour === undefined
      ? []
      : figure("Cost a month", computeHours, (hours) => formatMoney(hours, price))),
  ];
}

/** A figure as `901 → 225`, or one value if both sides are equal. */
export function formatFigure({ before, after }: { before: string; after: string }): string {
  return before === after ? after : `${before} → ${after}`;
}

/** True if both sides are known and the second is lower. */
function falls(sides: BeforeAfter<number> | undefined): boolean {
  return sides?.before !== undefined && sides.after !== undefined && sides.after < sides.before;
}

/** CU-hours, as one number or a range. */
export function formatHours({ min, max }: Range): string {
  return min === max ? hoursFormat.format(min) : `${hoursFormat.format(min)}–${hoursFormat.format(max)}`;
}

/** The text with no line break inside ranges or between a number and its unit. */
export function unbroken(text: string): string {
  return text.replace(/(?<=\d) (?=\p{L})|(?<=\d to) (?=[\d])/gu, "\u00a0").replace(/–/g, "\u2060–\u2060");
}
