import type { BeforeAfter, Range } from "../../provider/endpoint/impact/impact";
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { cleanText } from "../../provider/lib/text";
import { formatSize } from "../../provider/lib/wording";
import type { Action, EndpointReport, PlanValue, PropertyChange, Report } from "./report-model";
import { falls } from "./verdict-words";

/** The words of a report: every text that the renderers show of its data, without any markup. */

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

/** What happens to the endpoint, in a word or three. */
export function actionWords({ action }: EndpointReport): string {
  return actions[action];
}

/** A figure before and after, as text. */
export interface Figure {
  label: string;
  before: string;
  after: string;
  /** True where the change leaves clients with less: fewer connections than before. */
  falls?: boolean;
}

/** The figures that are known on some side; money only with a price. */
export function figures(endpoint: EndpointReport, pricePerCuHour?: number): Figure[] {
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
    ...figure("Memory", memoryGb, memoryWords),
    ...figure("Autosuspend", suspendTimeoutSeconds, suspendWords),
    ...figure("CU-hours a month", computeHours, rangeWords),
    ...(pricePerCuHour === undefined
      ? []
      : figure("Cost a month", computeHours, (hours) => moneyWords(hours, pricePerCuHour))),
  ];
}

/** A figure in one text: `901 → 225`, or the one value where both sides are the same. */
export function arrow({ before, after }: { before: string; after: string }): string {
  return before === after ? after : `${before} → ${after}`;
}

/** One side of a property, for people. */
export function valueWords(name: string, value: PlanValue): string {
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
      return shown(name, value.value);
  }
}

/** What a property's row says besides its values. */
export function propertyRemark({ mayStay }: PropertyChange): string {
  return mayStay ? " (may be the same: the plan does not tell)" : "";
}

/** The month's bounds over all changing endpoints. */
export function totalWords(report: Report): string {
  const { before, after, unknown } = report.computeHours;
  const hours = arrow({ before: rangeWords(before), after: rangeWords(after) });
  const price = report.pricePerCuHour;
  const money =
    price === undefined
      ? ""
      : `; at ${price} a CU-hour: ${arrow({ before: moneyWords(before, price), after: moneyWords(after, price) })}`;
  const missing = unknown === 0 ? "" : `; without ${countOf(unknown, "endpoint")} of which a side is not known`;
  return `${hours} CU-hours a month of ${report.hoursPerMonth} hours, at least and at most${money}${missing}`;
}

/** What the gate says, a line for each condition that is met; one line where none is. `show` writes an endpoint's name. */
export function gateWords({ gate, errors }: Report, show: (name: string) => string = asItIs): string[] {
  if (!gate) return [];
  if (gate.met.length === 0) {
    const asked = gate.asked.join(", ");
    // Of a preview that failed nobody knows what else it would have planned.
    return [
      errors.length > 0 ? `Gate not decided on ${asked}: the preview failed` : `Gate passed: nothing of ${asked}`,
    ];
  }
  return gate.met.map(
    ({ condition, endpoints }) =>
      `Gate failed on ${condition}: ${countOf(endpoints.length, "endpoint")} (${few(endpoints, show)})`,
  );
}

/** What the report leaves out. */
export function restWords({ unchanged, otherChanges }: Report): string[] {
  const words: string[] = [];
  if (unchanged > 0)
    words.push(
      `${countOf(unchanged, "endpoint")} ${unchanged === 1 ? "stays" : "stay"} as ${unchanged === 1 ? "it is" : "they are"}`,
    );
  if (otherChanges > 0)
    words.push(
      `${countOf(otherChanges, "change")} of other resources ${otherChanges === 1 ? "is" : "are"} not in this report`,
    );
  return words;
}

/** Where the report is from: `project shop, stack prod`. `show` writes the names. */
export function whereWords({ project, stack }: Report, show: (name: string) => string = asItIs): string {
  return [project && `project ${show(project)}`, stack && `stack ${show(stack)}`].filter(Boolean).join(", ");
}

/** `1 endpoint`, `2 endpoints`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function shown(name: string, value: unknown): string {
  if (name === "size") {
    const { min, max } = value as Range;
    return formatSize(min, max);
  }
  if (name === "suspendTimeoutSeconds" && typeof value === "number") return suspendWords(value);
  return cleanText(typeof value === "string" ? value : JSON.stringify(value), LONGEST_VALUE);
}

function suspendWords(seconds: number): string {
  const delay = effectiveSuspendSeconds(seconds);
  if (delay === "never") return "never";
  return seconds === 0 ? `after ${delay} s (default)` : `after ${delay} s`;
}

function memoryWords({ min, max }: Range): string {
  return min === max ? `${min} GB` : `${min} to ${max} GB`;
}

function rangeWords({ min, max }: Range): string {
  return min === max ? hoursFormat.format(min) : `${hoursFormat.format(min)}–${hoursFormat.format(max)}`;
}

function moneyWords({ min, max }: Range, price: number): string {
  const money = (hours: number) => moneyFormat.format(hours * price);
  return min === max ? money(min) : `${money(min)}–${money(max)}`;
}

function few(names: readonly string[], show: (name: string) => string): string {
  const most = 5;
  const shown = names.slice(0, most).map(show).join(", ");
  return names.length <= most ? shown : `${shown} and ${names.length - most} more`;
}

function asItIs(text: string): string {
  return text;
}
