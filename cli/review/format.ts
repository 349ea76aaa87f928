import type { BeforeAfter, Range } from "../../provider/endpoint/impact/impact";
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { cleanText } from "../../provider/lib/text";
import { formatSize } from "../../provider/lib/wording";
import type { Action, Effect, EndpointReport, PlanValue, Verdict } from "./report-model";

/** The values of a report as text, without any markup: answers to a reviewer's questions, figures, properties. */

/** How an answer is to be taken: `open` where the specification does not say. */
export type Tone = "bad" | "open" | "fine";

/** A figure before and after, as text. */
export interface Figure {
  label: string;
  before: string;
  after: string;
  /** True where the change leaves clients with less: fewer connections than before. */
  falls?: boolean;
}

const hoursFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const moneyFormat = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A value is shown up to here, in characters. */
const LONGEST_VALUE = 300;

const actions: Readonly<Record<Action, string>> = {
  create: "created",
  adopt: "taken over",
  import: "imported",
  update: "changed in place",
  replace: "replaced",
  delete: "deleted",
  release: "released",
};

const sealedEffects: Readonly<Record<Effect, readonly [certain: string, possible: string]>> = {
  restarts: ["restarts", "may restart"],
  dropsConnections: ["connections drop", "connections may drop"],
  moved: ["moves", "may move"],
  hostChanges: ["host changes", "host may change"],
  replaced: ["is replaced", "may be replaced"],
  deleted: ["is deleted", "may be deleted"],
  downtime: ["has downtime", "may have downtime"],
};

/** What happens to the endpoint, in a word or three. */
export function formatAction({ action }: EndpointReport): string {
  return actions[action];
}

/** The figures that are known on some side; money only with a price. */
export function formatFigures(endpoint: EndpointReport, pricePerCuHour?: number): Figure[] {
  const { sizeCu, maxConnections, memoryGb, suspendTimeoutSeconds, computeHours, action } = endpoint;
  const gone = action === "delete" ? "none" : undefined;
  // The plan does not have the endpoint that is taken over.
  const born = { create: "none", adopt: "not known" }[action as string];
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
    ...(pricePerCuHour === undefined
      ? []
      : figure("Cost a month", computeHours, (hours) => formatMoney(hours, pricePerCuHour))),
  ];
}

/** A figure in one text: `901 → 225`, or the one value where both sides are the same. */
export function formatFigure({ before, after }: { before: string; after: string }): string {
  return before === after ? after : `${before} → ${after}`;
}

/** One side of a property, for people. */
export function formatValue(name: string, value: PlanValue): string {
  switch (value.is) {
    case "unset":
      return "not set";
    case "secret":
      return "[secret]";
    case "unknown":
      return "not known yet";
    case "kept":
      return "no longer set; stays as it is";
    case "value":
      return formatProperty(name, value.value);
  }
}

/** The four questions of a reviewer, with short answers. */
export function formatAnswers(endpoint: EndpointReport): { question: string; answer: string; tone: Tone }[] {
  const { restarts, dropsConnections, downtime } = endpoint;
  return [
    { question: "Restart", answer: formatVerdict(restarts), tone: toneOf(restarts) },
    { question: "Connections", answer: formatConnections(endpoint), tone: toneOf(dropsConnections) },
    {
      question: "Host",
      answer: formatHost(endpoint),
      tone: endpoint.action === "delete" ? "bad" : toneOf(endpoint.hostChanges),
    },
    { question: "Downtime", answer: formatVerdict(downtime), tone: toneOf(downtime) },
  ];
}

/** What an endpoint suffers, in a few words each; empty where nothing of it is disrupted or in doubt. */
export function formatEffects(endpoint: EndpointReport): string[] {
  const { restarts, dropsConnections, hostChanges, downtime, action, maxConnections } = endpoint;
  return [
    { yes: "restarts", no: "", possible: "may restart", not_stated: "" }[restarts],
    { yes: "connections drop", no: "", possible: "connections may drop", not_stated: "" }[dropsConnections],
    action === "delete" ? "host gone" : "",
    { yes: "host changes", no: "", possible: "host may change", not_stated: "" }[hostChanges],
    { yes: "downtime", no: "", possible: "downtime possible", not_stated: "" }[downtime],
    falls(maxConnections) ? `max_connections ${maxConnections?.before} → ${maxConnections?.after}` : "",
    // Last, and once: what nobody states of the restart is not stated of its connections either.
    restarts === "not_stated" ? "restart not stated" : "",
  ].filter(Boolean);
}

/** The worst of an endpoint's answers; fewer connections than before count as bad. */
export function toneOfEndpoint(endpoint: EndpointReport): Tone {
  const tones = formatAnswers(endpoint).map(({ tone }) => tone);
  if (tones.includes("bad") || falls(endpoint.maxConnections)) return "bad";
  return tones.includes("open") ? "open" : "fine";
}

/** True where both sides are known and the second is less. */
export function falls(sides: BeforeAfter<number> | undefined): boolean {
  return sides?.before !== undefined && sides.after !== undefined && sides.after < sides.before;
}

/** One effect of a seal, such as `restarts` or `may restart`. */
export function formatEffect(effect: Effect, how: "yes" | "possible"): string {
  return sealedEffects[effect][how === "yes" ? 0 : 1];
}

/** `1 endpoint`, `2 endpoints`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function formatProperty(name: string, value: unknown): string {
  if (name === "size") {
    const { min, max } = value as Range;
    return formatSize(min, max);
  }
  if (name === "suspendTimeoutSeconds" && typeof value === "number") return formatSuspend(value);
  return cleanText(typeof value === "string" ? value : JSON.stringify(value), LONGEST_VALUE);
}

function formatSuspend(seconds: number): string {
  const delay = effectiveSuspendSeconds(seconds);
  if (delay === "never") return "never";
  return seconds === 0 ? `after ${delay} s (default)` : `after ${delay} s`;
}

function formatMemory({ min, max }: Range): string {
  return min === max ? `${min} GB` : `${min} to ${max} GB`;
}

/** CU-hours, or from what to what. */
export function formatHours({ min, max }: Range): string {
  return min === max ? hoursFormat.format(min) : `${hoursFormat.format(min)}–${hoursFormat.format(max)}`;
}

/** What so many CU-hours cost. */
export function formatMoney({ min, max }: Range, price: number): string {
  const money = (hours: number) => moneyFormat.format(hours * price);
  return min === max ? money(min) : `${money(min)}–${money(max)}`;
}

function formatVerdict(verdict: Verdict): string {
  return { yes: "yes", no: "no", possible: "possible", not_stated: "not stated" }[verdict];
}

function formatConnections({ action, dropsConnections }: EndpointReport): string {
  if (action === "create") return "none yet";
  return { yes: "dropped", no: "stay", possible: "may drop", not_stated: "not stated" }[dropsConnections];
}

function formatHost({ action, hostChanges }: EndpointReport): string {
  if (action === "create") return "new";
  if (action === "delete") return "gone";
  return { yes: "changes", no: "kept", possible: "may change", not_stated: "not stated" }[hostChanges];
}

function toneOf(verdict: Verdict): Tone {
  return ({ yes: "bad", possible: "bad", no: "fine", not_stated: "open" } as const)[verdict];
}
