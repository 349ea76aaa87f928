import type { Range } from "../../provider/endpoint/impact/impact";
import { formatSize } from "../../provider/lib/wording";
import type { PlanValue } from "./change";
import {
  formatAction,
  formatAnswers,
  formatEffects,
  formatFigure,
  formatFigures,
  formatNames,
  formatPlace,
  formatValue,
  groupEqual,
  toneOfEndpoint,
  unbroken,
} from "./format";
import { html, Markup, style } from "./html-page";
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
import type { EndpointReport, Report } from "./report-model";

/** With more endpoints than this, the browser is told to draw only those that are looked at. */
const MANY = 100;

/** No bar is narrower than this, so that a fixed size can be seen. */
const NARROWEST_PERCENT = 2.5;
/** Sizes that have a tick below the bars, where the scale reaches them, in CU. */
const tickSizes = [0.25, 0.5, 1, 2, 4, 7, 16, 32, 56];
/** Marks nearer than this to the last one are left out, for the room of their figures. */
const NEAREST_PERCENT = 9;

/** The report as one HTML file, with a policy that forbids every script and request. */
export function toHtml(report: Report): string {
  const groups = groupEqual(report.endpoints);
  const title = `${report.stack ? `${report.stack}: ` : ""}compute endpoint ${report.drift ? "drift" : "review"}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${new Markup(style)}${scaleStyle(report.scale)}</style>
</head>
<body>
<main class="${groups.length > MANY ? "many" : "few"}">
<header>
<h1>${unbroken(report.summary)}</h1>
<p class="soft">${["Compute endpoints", formatOrigin(report)].filter(Boolean).join(" of ")}</p>
${totalMessages(report).map((line) => html`<p class="soft">${unbroken(line)}</p>`)}
</header>
${head(report)}
${gate(report)}
${errors(report)}
${overview(groups, report)}
${groups.map((group, index) => card(group, index, report))}
${providerMessages(report)}
${foot(report)}
</main>
</body>
</html>
`;
  return page.text;
}

function head(report: Report): Markup {
  const messages = headMessages(report);
  if (messages.length === 0) return html``;
  return html`<section class="card alarm" aria-label="Configuration and what cannot be read">${messages.map((line) => html`<p>${line}</p>`)}</section>`;
}

function gate(report: Report): Markup {
  const messages = [...gateMessages(report), ...approvalMessages(report)];
  if (messages.length === 0) return html``;
  const kind =
    report.gate?.met.length || report.approval?.differences.length
      ? "alarm"
      : report.errors.length > 0
        ? "undecided"
        : "passed";
  return html`<section class="card ${kind}" aria-label="Gate">${messages.map((line) => html`<p>${line}</p>`)}</section>`;
}

function errors(report: Report): Markup {
  const { errors: all } = report;
  if (all.length === 0) return html``;
  return html`<section class="card alarm" aria-label="Errors"><h2>The ${report.drift ? "refresh" : "preview"} failed</h2><ul>${all.map((error) => html`<li>${error}</li>`)}</ul></section>`;
}

function providerMessages({ messages }: Report): Markup {
  if (messages.length === 0) return html``;
  const lines = messages.map(
    ({ name, severity, message }) => html`<li><strong>${name}</strong> (${severity}): ${message}</li>`,
  );
  return html`<section class="card" aria-label="Messages"><h2>What the provider says</h2><ul>${lines}</ul></section>`;
}

/** Where the card of the endpoint at this place of the report is, for links within the page. */
function anchorOf(index: number): string {
  return `endpoint-${index + 1}`;
}

/** A line for each endpoint, or for those whose changes are equal, with a link to its card: what happens to it and what it suffers. Nothing for a single one. */
function overview(groups: readonly EndpointReport[][], report: Report): Markup {
  if (groups.length < 2) return html``;
  const lines = groups.map((group, index) => {
    const [endpoint] = group as [EndpointReport];
    const now = formatNow(endpoint, report);
    const suffers = `${formatEffects(endpoint).join(", ") || "nothing disrupted"}${now && `; now ${now}`}`;
    return html`<li><a href="#${anchorOf(index)}">${formatNames(group)}</a><span>${formatAction(endpoint)}</span><span class="${toneOfEndpoint(endpoint)}">${suffers}</span></li>`;
  });
  return html`<nav class="card overview" aria-label="Endpoints"><ol>${lines}</ol></nav>`;
}

function card(group: readonly EndpointReport[], index: number, report: Report): Markup {
  const [endpoint] = group as [EndpointReport];
  const { id, hostName, move } = endpoint;
  const isOne = group.length === 1;
  return html`<article class="card ${toneOfEndpoint(endpoint)}" id="${anchorOf(index)}">
<div class="title"><h2>${formatNames(group)}</h2><span class="action">${formatAction(endpoint)}</span></div>
${isOne && id ? html`<p class="soft"><code>${id}</code></p>` : html``}
${isOne ? html`` : members(group)}
<dl class="answers">${formatAnswers(endpoint).map(({ question, answer, tone }) => html`<div class="${tone}"><dt>${question}</dt><dd>${answer}</dd></div>`)}</dl>
${liveSection(endpoint, report)}
${sizeBars(endpoint, report.scale)}
<dl class="figures">${formatFigures(endpoint, report)
    .filter(({ label }) => label !== "Size")
    .map(
      (figure) =>
        html`<div class="${figure.falls ? "falls" : "figure"}"><dt>${figure.label}</dt><dd>${unbroken(formatFigure(figure))}</dd></div>`,
    )}</dl>
${isOne && hostName ? html`<p class="soft">Host <code>${hostName}</code></p>` : html``}
${isOne && move ? html`<p>Moves from <code>${move.from}</code> to <code>${move.to}</code></p>` : html``}
${properties(group, report)}
${notes(endpoint)}
</article>`;
}

/** Endpoints whose changes are equal, with what each has for itself. */
function members(group: readonly EndpointReport[]): Markup {
  const lines = group.map(
    (one) => html`<li><strong>${one.name}</strong> <span class="soft">${formatPlace(one)}</span></li>`,
  );
  return html`<details><summary>${group.length} endpoints, each as follows</summary><ul>${lines}</ul></details>`;
}

function properties(group: readonly EndpointReport[], report: Report): Markup {
  const all = (group[0]?.properties ?? []).filter(({ name }) => group.length === 1 || name !== "branchId");
  if (all.length === 0) return html``;
  const rows = all.map(
    (one) =>
      html`<tr><th scope="row"><code>${one.name}</code></th><td>${unbrokenValue(one.name, one.from)}</td><td>${unbrokenValue(one.name, one.to)}${propertyMessage(one)}</td></tr>`,
  );
  return html`<table><thead><tr>${propertyTitles(report).map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

function notes({ notes: all }: EndpointReport): Markup {
  return all.length === 0 ? html`` : html`<ul>${all.map((note) => html`<li>${note}</li>`)}</ul>`;
}

/** What a program wrote stays as it is; a size keeps to its line. */
function unbrokenValue(name: string, value: PlanValue): string {
  const words = formatValue(name, value);
  return name === "size" ? unbroken(words) : words;
}

function foot(report: Report): Markup {
  return html`<footer class="soft">${restMessages(report).map((line) => html`<p>${line}.</p>`)}</footer>`;
}

/** The endpoint now: its facts, and the hours of the day in which it ran, as bars with words beside them. */
function liveSection(endpoint: EndpointReport, report: Report): Markup {
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
function sizeBars({ sizeCu, action }: EndpointReport, scale: Range): Markup {
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
function scaleStyle(scale: Range): Markup {
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
