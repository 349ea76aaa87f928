/** Sizes, connections, memory, CU-hours and money, before and after, as texts. */
import { type BeforeAfter, formatMemory, formatSuspend, type Range } from "../../provider/endpoint/impact/impact";
import { formatSize } from "../../provider/lib/wording";
import type { EndpointReport, Price } from "./report-model";

/** The figures of a report before and after a change, as text without any markup. */

/** A figure before and after, as text. */
export interface Figure {
  label: string;
  before: string;
  after: string;
  /** True where the change leaves clients with less: fewer connections than before. */
  falls?: boolean;
}

const hoursFormat = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

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

/** The CU-hours of the time that was looked at, had the endpoint run at its maximum size, the present one and the new one. */
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
export function falls(sides: BeforeAfter<number> | undefined): boolean {
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
