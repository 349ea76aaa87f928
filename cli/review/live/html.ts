import { html, type Markup } from "../html-page";
import type { EndpointReport, Report } from "../report-model";
import { liveFacts } from "./messages";

/** The endpoint as it is now: its facts, and the hours of the day in which it ran, as bars that have their words beside them. */
export function liveSection(endpoint: EndpointReport, report: Report): Markup {
  const facts = liveFacts(endpoint, report);
  if (facts.length === 0) return html``;
  return html`<dl class="facts">${facts.map(({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>
${hoursOfDay(endpoint)}`;
}

function hoursOfDay({ live }: EndpointReport): Markup {
  if (!live || live.state === "gone" || live.observedHours < live.hoursOfDay.length) return html``;
  const most = Math.max(...live.hoursOfDay);
  if (most === 0) return html``;
  const bars = live.hoursOfDay.map((ran) => html`<span style="height:${((ran / most) * 100).toFixed(0)}%"></span>`);
  return html`<div class="hours" role="img" aria-label="When it ran, by the hour of the day in UTC"><div class="day">${bars}</div><div class="times"><span>00:00</span><span>06:00</span><span>12:00</span><span>18:00</span><span>24:00 UTC</span></div></div>`;
}
