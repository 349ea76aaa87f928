/** The sizes of endpoints as bars on one scale. */
import type { Range } from "../../provider/endpoint/impact/impact";
import { formatSize } from "../../provider/lib/wording";
import { html, Markup } from "./html-page";
import type { EndpointReport } from "./report-model";

/** A fixed size is a point on the scale; it still has to be seen, so no bar is narrower than this. */
const NARROWEST_PERCENT = 2.5;

/** Sizes that have a tick below the bars, where the scale reaches them, in CU. */
const tickSizes = [0.25, 0.5, 1, 2, 4, 7, 16, 32, 56];
/** Marks nearer than this to the last one are left out, for the room of their figures. */
const NEAREST_PERCENT = 9;

/** One bar: `none` is said where there is no size. */
interface Bar {
  label: string;
  kind: "before" | "after";
  size: Range | undefined;
  none: string;
  scale: Range;
}

/**
 * The size range before and after as two bars over one scale, the same for every endpoint of a report. The scale is
 * logarithmic: each doubling is as wide as the next. Bars differ in pattern and have their size beside them as text.
 */
export function sizeBars({ sizeCu, action }: EndpointReport, scale: Range): Markup {
  if (!sizeCu) return html``;
  const before = action === "create" ? "none" : "not known";
  const after = action === "delete" ? "none" : action === "release" ? "unchanged" : "not known yet";
  return html`<div class="bars">
${bar({ label: "Before", kind: "before", size: sizeCu.before, none: before, scale })}
${bar({ label: "After", kind: "after", size: sizeCu.after, none: after, scale })}
<div class="row axis" aria-hidden="true"><span></span><div class="ticks">${ticks(scale)}</div><span></span></div>
</div>`;
}

/** The lines behind every bar, at the ticks: one style for the whole page, since its bars have one scale. */
export function scaleStyle(scale: Range): Markup {
  const lines = ticksOf(scale).map(
    (cu) => `linear-gradient(var(--tick) 0 0) ${percent(positionOf(cu, scale))} 0 / 1px 100% no-repeat`,
  );
  return new Markup(`.track { background: ${[...lines, "var(--track)"].join(", ")}; }\n`);
}

/** Where a size is on the scale, in percent of its width. */
export function positionOf(cu: number, { min, max }: Range): number {
  if (max <= min) return 0;
  const share = Math.log(cu / min) / Math.log(max / min);
  return Math.min(100, Math.max(0, share * 100));
}

function bar({ label, kind, size, none, scale }: Bar): Markup {
  if (!size) {
    return html`<div class="row"><span class="side">${label}</span><div class="track empty"></div><span class="size">${none}</span></div>`;
  }
  const [from, to] = [positionOf(size.min, scale), positionOf(size.max, scale)];
  const width = Math.max(NARROWEST_PERCENT, to - from);
  // Around its place on the scale, as far as the ends leave room.
  const left = Math.min(Math.max((from + to - width) / 2, 0), 100 - width);
  const style = `left:${percent(left)};width:${percent(width)}`;
  const words = formatSize(size.min, size.max);
  return html`<div class="row"><span class="side">${label}</span><div class="track" role="img" aria-label="${label}: ${words}"><div class="bar ${kind}" style="${style}"></div></div><span class="size">${words}</span></div>`;
}

function ticks(scale: Range): Markup[] {
  return [scale.min, ...ticksOf(scale), scale.max].map((cu) => {
    const at = positionOf(cu, scale);
    return html`<span class="${at === 0 ? "first" : at === 100 ? "last" : "tick"}" style="left:${percent(at)}">${cu}</span>`;
  });
}

/** The ticks between the ends of the scale. */
function ticksOf(scale: Range): number[] {
  return tickSizes.filter((cu) => cu > scale.min && 100 - positionOf(cu, scale) >= NEAREST_PERCENT);
}

function percent(value: number): string {
  return `${value.toFixed(2)}%`;
}
