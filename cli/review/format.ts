/** A report's values as short texts, the same in every form. */
import { type BeforeAfter, formatMemory, formatSuspend, type Range } from "../../provider/endpoint/impact/impact";
import { cleanText } from "../../provider/lib/redact";
import { formatSize } from "../../provider/lib/wording";
import { formatAway } from "../../provider/platform/project/outcome";
import type { PlanValue } from "./change";
import { effectsOf, formatEffect, type Verdict } from "./disruption";
import type { Action } from "./fate";
import type { EndpointReport, Price } from "./report-model";

/** How an answer is to be taken: `open` where the specification does not say. */
export type Tone = "bad" | "open" | "fine";

/** A value is shown up to here, in characters. */
const LONGEST_VALUE = 300;

/** Fewer endpoints with equal changes are told one by one. */
const LEAST_EQUAL = 3;
/** A group is called by so many of its names. */
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

const verdicts: Readonly<Record<Verdict, string>> = {
  yes: "yes",
  no: "no",
  possible: "possible",
  not_stated: "not stated",
};

const tones: Readonly<Record<Verdict, Tone>> = { yes: "bad", possible: "bad", no: "fine", not_stated: "open" };

const hoursFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** What happens to the endpoint, in a word or three. */
export function formatAction({ action }: EndpointReport): string {
  return actions[action];
}

/** One side of a property, for people. */
export function formatValue(name: string, side: PlanValue): string {
  if (side.is !== "value") return unvalued[side.is];
  const { value } = side;
  if (name === "size") return formatSize((value as Range).min, (value as Range).max);
  if (name === "suspendTimeoutSeconds" && typeof value === "number") return formatSuspend(value);
  return cleanText(typeof value === "string" ? value : JSON.stringify(value), LONGEST_VALUE);
}

/** The four questions of a reviewer, with short answers. */
export function formatAnswers(endpoint: EndpointReport): { question: string; answer: string; tone: Tone }[] {
  const { action, restarts, restartsIdle, dropsConnections, hostChanges, downtime, live } = endpoint;
  const waits = restarts === "no" && restartsIdle !== "no";
  const idle = restartsIdle === "yes" ? "when idle" : `${verdicts[restartsIdle]}, when idle`;
  // A restart is no downtime, but the endpoint is away for a moment.
  const isAway = downtime === "no" && dropsConnections !== "no";
  const span = live && live.state !== "gone" && live.away ? `about ${formatAway(live.away.aboutMs)}` : "briefly";
  const away = `no, ${dropsConnections === "yes" ? "away" : "may be away"} ${span}`;
  const connections = { create: "none yet", recreate: "gone already" }[action as string];
  const host = { create: "new", delete: "gone" }[action as string];
  return [
    { question: "Restart", answer: waits ? idle : verdicts[restarts], tone: waits ? "open" : tones[restarts] },
    {
      question: "Connections",
      answer: connections ?? { ...verdicts, yes: "dropped", no: "stay", possible: "may drop" }[dropsConnections],
      tone: tones[dropsConnections],
    },
    {
      question: "Host",
      answer: host ?? { ...verdicts, yes: "changes", no: "kept", possible: "may change" }[hostChanges],
      tone: action === "delete" ? "bad" : tones[hostChanges],
    },
    { question: "Downtime", answer: isAway ? away : verdicts[downtime], tone: isAway ? "open" : tones[downtime] },
  ];
}

/** An endpoint's disruptions in a few words each, besides what its action says; empty if there are none, not even possible ones. */
export function formatEffects(endpoint: EndpointReport): string[] {
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
    // Last, and once: if the restart is not stated, neither are the connections.
    ...(restarts === "not_stated" || restartsIdle === "not_stated" ? ["restart not stated"] : []),
  ];
}

/** The worst of an endpoint's answers; fewer connections than before count as bad. */
export function toneOfEndpoint(endpoint: EndpointReport): Tone {
  const tones = formatAnswers(endpoint).map(({ tone }) => tone);
  if (tones.includes("bad") || endpoint.accessOpens !== "no" || falls(endpoint.maxConnections)) return "bad";
  return tones.includes("open") ? "open" : "fine";
}

/**
 * The endpoints in their order, those together whose changes are equal but for the branches: of three and more one account is given. Of
 * what the platform tells, each has its own.
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

/** What a group is called: the first few of its names. `show` writes a name. */
export function formatNames(all: readonly EndpointReport[], show?: (name: string) => string): string {
  return firstOf(
    all.map(({ name }) => name),
    MOST_NAMES,
    show,
  );
}

/** The first few of them, and how many more there are: `a, b and 3 more`. `show` writes each. */
export function firstOf(all: readonly string[], most: number, show: (name: string) => string = String): string {
  const few = all.slice(0, most).map(show).join(", ");
  return all.length > most ? `${few} and ${all.length - most} more` : few;
}

/** What an endpoint has for itself: id, host, and between which branches it moves. */
export function placesOf({ id, hostName, move }: EndpointReport): string[] {
  return [
    ...(id ? [`endpoint ${id}`] : []),
    ...(hostName ? [`host ${hostName}`] : []),
    ...(move ? [`moves from ${move.from} to ${move.to}`] : []),
  ];
}

/** The same for one of a group, with its branch. */
export function formatPlace(endpoint: EndpointReport): string {
  const branch = endpoint.move ? undefined : endpoint.properties.find(({ name }) => name === "branchId");
  if (!branch) return placesOf(endpoint).join(", ");
  const from = branch.from.is === "unset" ? "" : `${formatValue("branchId", branch.from)} → `;
  const place = `branch ${from}${formatValue("branchId", branch.to)}${branch.mayStay ? " (may be the same)" : ""}`;
  return [...placesOf(endpoint), place].join(", ");
}

/** A figure before and after, as text. */
interface Figure {
  label: string;
  before: string;
  after: string;
  /** True where the change leaves clients with less: fewer connections than before. */
  falls?: boolean;
}

/** The figures that are known on some side; money only with a price. */
export function formatFigures(endpoint: EndpointReport, price: Price = {}): Figure[] {
  const { sizeCu, maxConnections, memoryGb, suspendTimeoutSeconds, computeHours, action } = endpoint;
  const gone = action === "delete" ? "none" : undefined;
  // The plan does not have the endpoint that is taken over.
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
    // What it really used says more than what it could.
    ...(useOf(endpoint) ? [] : figure("CU-hours a month", computeHours, formatHours)),
    ...(price.pricePerCuHour === undefined || useOf(endpoint)
      ? []
      : figure("Cost a month", computeHours, (hours) => formatMoney(hours, price))),
  ];
}

/** The CU-hours of that time if the endpoint had run at its present or its new maximum size. */
export function useOf({ live, sizeCu }: EndpointReport): { before: number; after?: number } | undefined {
  if (!live || live.state === "gone" || live.observedHours === 0 || !sizeCu?.before) return undefined;
  const { runningHours } = live;
  const after = sizeCu.after && sizeCu.after.max * runningHours;
  return { before: sizeCu.before.max * runningHours, ...(after !== undefined && { after }) };
}

/** A figure in one text: `901 → 225`, or the one value where both sides are the same. */
export function formatFigure({ before, after }: { before: string; after: string }): string {
  return before === after ? after : `${before} → ${after}`;
}

/** True where both sides are known and the second is less. */
function falls(sides: BeforeAfter<number> | undefined): boolean {
  return sides?.before !== undefined && sides.after !== undefined && sides.after < sides.before;
}

/** CU-hours, or from what to what. */
export function formatHours({ min, max }: Range): string {
  return min === max ? hoursFormat.format(min) : `${hoursFormat.format(min)}–${hoursFormat.format(max)}`;
}

/** What so many CU-hours cost, in the currency where one was given. */
export function formatMoney({ min, max }: Range, { pricePerCuHour = 0, currency }: Price): string {
  const format = new Intl.NumberFormat("en-US", {
    ...(currency && { style: "currency", currency }),
    ...{ minimumFractionDigits: 2, maximumFractionDigits: 2 },
  });
  const money = (hours: number) => format.format(hours * pricePerCuHour);
  return min === max ? money(min) : `${money(min)}–${money(max)}`;
}

/** The text with its ranges, and figures with their units, each on one line. */
export function unbroken(text: string): string {
  return text.replace(/(?<=\d) (?=\p{L})|(?<=\d to) (?=[\d])/gu, "\u00a0").replace(/–/g, "\u2060–\u2060");
}
