import type { Range } from "../../provider/endpoint/impact/figures";
import { type Entry, entryOf, formatFigure, formatNames, formatPlace, groupEqual, unbroken } from "./format";
import { formatOrigin, gateMessages, headMessages, propertyTitles, restMessages, totalMessages } from "./messages";
import type { EndpointReport, Report } from "./report-model";

type Part = string | number | Markup | readonly Markup[];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Minimum width of a bar, so that a fixed size is visible. */
const NARROWEST_PERCENT = 2.5;
/** Sizes with a tick on the scale, in CU. */
const tickSizes = [0.25, 0.5, 1, 2, 4, 7, 16, 32, 56];
/** Minimum distance of a tick from the scale's last mark, so that labels do not overlap. */
const NEAREST_PERCENT = 9;

/** The report's style: light and dark, without external resources. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #d5dae1; --text: #1b2430; --soft: #556170; --link: #1f5fbf;
  --bad: #a3231a; --bad-back: #fdecea; --good: #17613b; --good-back: #e8f5ee; --note-back: #fff6dc; --note: #6b4e00;
  --track: #e9edf2; --tick: #c3cbd6; --before: #5d6b7c; --after: #1f5fbf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161d; --card: #1a212b; --line: #344051; --text: #e6ebf2; --soft: #a5b1c0; --link: #8fbcff;
    --bad: #ffb1a8; --bad-back: #431e1c; --good: #9be0b9; --good-back: #15321f; --note-back: #3a300f; --note: #f4d98a;
    --track: #2a3442; --tick: #465468; --before: #9aa8b9; --after: #7fb2ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.35rem; line-height: 1.35; margin: 0 0 .4rem; text-wrap: pretty; }
h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .25rem 0; }
a { color: var(--link); }
.soft, .side, .overview .fine, .facts dt, .figures dt, .times, .ticks, th, summary { color: var(--soft); }
.action, .side, .size, .facts dt { font-size: .875rem; }
.answers dt, .figures dt { font-size: .8rem; }
.times, .ticks { font-size: .75rem; }
.times, .ticks, .figures dd { font-variant-numeric: tabular-nums; }
.answers, .facts, .hours, .bars, .figures { margin: .75rem 0; }
dd { margin: 0; }
.bad, .alarm { --tone: var(--bad); --back: var(--bad-back); }
.open, .undecided { --tone: var(--note); --back: var(--note-back); }
.fine, .passed { --tone: var(--good); --back: var(--good-back); }
footer { margin-top: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-top: 1rem; }
article.card { border-left: .3rem solid var(--tone); }
.alarm, .undecided, .passed, .answers div { background: var(--back); color: var(--tone); }
article:target { outline: 2px solid var(--link); outline-offset: 2px; }
.overview { padding: .35rem 1rem; }
.overview ol { list-style: none; margin: 0; padding: 0; }
.overview li { display: grid; grid-template-columns: minmax(8rem, 2fr) 9rem 5fr; gap: 0 1rem; padding: .35rem 0; }
.overview li + li { border-top: 1px solid var(--line); }
.overview .bad { color: var(--tone); font-weight: 600; }
.overview .open { color: var(--tone); }
.overview .bad::before, .answers .bad dd::before { content: "\\25b2\\a0"; }
.overview .open::before, .answers .open dd::before { content: "\\25cb\\a0"; }
.title { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
.action { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; }
code { font: .875em/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.answers { display: grid; grid-template-columns: repeat(4, 1fr); gap: .5rem; padding: 0; }
.answers div { border-radius: .4rem; padding: .35rem .6rem; }
.answers dd { font-weight: 600; }
.facts div { display: grid; grid-template-columns: 5.5rem 1fr; gap: .6rem; margin: .2rem 0; }
.hours { max-width: 34rem; }
.day { display: grid; grid-template-columns: repeat(24, 1fr); gap: 2px; align-items: end; height: 2.2rem; border-bottom: 1px solid var(--tick); }
.day span { background: var(--after); border-top: 2px solid var(--after); border-radius: .15rem .15rem 0 0; }
.day span[style="height:0%"] { border: 0; }
.times { display: flex; justify-content: space-between; }
.row { display: grid; grid-template-columns: 3.5rem 1fr 7.5rem; gap: .6rem; align-items: center; margin: .3rem 0; }
.track { position: relative; height: 1.1rem; border-radius: .25rem; }
.row .track.empty { background: none; border: 1px dashed var(--tick); }
.bar { position: absolute; top: 0; bottom: 0; border-radius: .25rem; border: 2px solid; min-width: .5rem; }
.bar.before { border-color: var(--before); background: repeating-linear-gradient(135deg, var(--before) 0 2px, var(--card) 2px 7px); }
.bar.after { border-color: var(--after); background: var(--after); }
.axis { margin-top: 0; }
.ticks { position: relative; height: 1.2rem; }
.ticks span { position: absolute; transform: translateX(-50%); }
.ticks span.first { transform: none; }
.ticks span.last { transform: translateX(-100%); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .5rem 1rem; }
.figures .falls dd { color: var(--bad); font-weight: 600; }
.figures .falls dd::before { content: "\\25bc\\a0"; }
table { width: 100%; border-collapse: collapse; margin-top: .75rem; font-size: .9rem; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 500; }
summary { cursor: pointer; }
.said { white-space: pre-wrap; }
ul { margin: .5rem 0 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  h1 { font-size: 1.15rem; }
  .answers { grid-template-columns: repeat(2, 1fr); }
  .figures { grid-template-columns: repeat(2, 1fr); }
  .row { grid-template-columns: 3.5rem 1fr; gap: .1rem .6rem; }
  .row .size { grid-column: 2; }
  .overview li { grid-template-columns: 1fr auto; }
  .overview li span:last-child { grid-column: 1 / -1; }
}
@media print { body { background: none; } .card { break-inside: avoid; } }
`;

/** The report as one HTML file whose policy forbids scripts and requests. */
export function toHtml(report: Report): string {
  const entries = groupEqual(report.endpoints).map((group) => entryOf(group, report));
  const title = `${report.stack ? `${report.stack}: ` : ""}compute endpoint ${report.drift ? "drift" : "review"}`;
  const errors = report.errors.map((error) => html`<span class="said">${error}</span>`);
  const said = report.messages.map(
    ({ name, severity, message }) => html`<strong>${name}</strong> (${severity}): <span class="said">${message}</span>`,
  );

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
<main>
<header>
<h1>${unbroken(report.summary)}</h1>
<p class="soft">${["Compute endpoints", formatOrigin(report)].filter(Boolean).join(" of ")}</p>
${totalMessages(report).map((line) => html`<p class="soft">${unbroken(line)}</p>`)}
</header>
${section("Configuration and what cannot be read", "card alarm", headMessages(report).map(paragraph))}
${gate(report)}
${section("Errors", "card alarm", titled(`The ${report.drift ? "refresh" : "preview"} failed`, errors))}
${overview(entries)}
${entries.map((entry, index) => card(entry, index, report))}
${section("Messages", "card", titled("What the provider says", said))}
<footer class="soft">${restMessages(report).map((line) => paragraph(`${line}.`))}</footer>
</main>
</body>
</html>
`;
  return page.text;
}

function gate(report: Report): Markup {
  const { met = [] } = report.gate ?? {};
  const { differences = [] } = report.approval ?? {};
  const undecided = report.errors.length > 0 ? "undecided" : "passed";
  const kind = met.length + differences.length > 0 ? "alarm" : undecided;
  return section("Gate", `card ${kind}`, gateMessages(report).map(paragraph));
}

/** A box with these parts; empty without parts. */
function section(label: string, kind: string, parts: readonly Markup[]): Markup {
  return parts.length === 0 ? html`` : html`<section class="${kind}" aria-label="${label}">${parts}</section>`;
}

function paragraph(line: string): Markup {
  return html`<p>${line}</p>`;
}

/** A titled list; empty without items. */
function titled(title: string, items: readonly Markup[]): Markup[] {
  return items.length === 0 ? [] : [html`<h2>${title}</h2><ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`];
}

/** The overview: a line with action and effects per entry, linked to its card. Empty for a single endpoint. */
function overview(entries: readonly Entry[]): Markup {
  if (entries.length < 2) return html``;
  const lines = entries.map(({ all, action, effects, now, tone }, index) => {
    const suffers = `${effects.join(", ") || "nothing disrupted"}${now && `; now ${now}`}`;
    return html`<li><a href="#endpoint-${index + 1}">${formatNames(all)}</a><span>${action}</span><span class="${tone}">${suffers}</span></li>`;
  });
  return html`<nav class="card overview" aria-label="Endpoints"><ol>${lines}</ol></nav>`;
}

function card(entry: Entry, index: number, report: Report): Markup {
  const { all, endpoint, isOne, action, tone, answers, figures } = entry;
  const { id, hostName, move } = endpoint;
  return html`<article class="card ${tone}" id="endpoint-${index + 1}">
<div class="title"><h2>${formatNames(all)}</h2><span class="action">${action}</span></div>
${isOne && id ? html`<p class="soft"><code>${id}</code></p>` : html``}
${isOne ? html`` : members(all)}
<dl class="answers">${answers.map((one) => html`<div class="${one.tone}"><dt>${one.question}</dt><dd>${one.answer}</dd></div>`)}</dl>
${liveSection(entry)}
${sizeBars(entry, report.scale)}
<dl class="figures">${figures
    .filter(({ label }) => label !== "Size")
    .map(
      (figure) =>
        html`<div class="${figure.falls ? "falls" : "figure"}"><dt>${figure.label}</dt><dd>${unbroken(formatFigure(figure))}</dd></div>`,
    )}</dl>
${isOne && hostName ? html`<p class="soft">Host <code>${hostName}</code></p>` : html``}
${isOne && move ? html`<p>Moves from <code>${move.from}</code> to <code>${move.to}</code></p>` : html``}
${properties(entry, report)}
${notes(endpoint)}
</article>`;
}

/** Endpoints with equal changes, each with its own facts. */
function members(group: readonly EndpointReport[]): Markup {
  const lines = group.map(
    (one) => html`<li><strong>${one.name}</strong> <span class="soft">${formatPlace(one)}</span></li>`,
  );
  return html`<details><summary>${group.length} endpoints, each as follows</summary><ul>${lines}</ul></details>`;
}

function properties({ properties: all }: Entry, report: Report): Markup {
  if (all.length === 0) return html``;
  const rows = all.map(({ name, from, to, note }) => {
    // A program's value stays as it is; a size does not break.
    const shown = (value: string) => (name === "size" ? unbroken(value) : value);
    return html`<tr><th scope="row"><code>${name}</code></th><td>${shown(from)}</td><td>${shown(to)}${note}</td></tr>`;
  });
  return html`<table><thead><tr>${propertyTitles(report).map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

function notes({ notes: all }: EndpointReport): Markup {
  return all.length === 0 ? html`` : html`<ul>${all.map((note) => html`<li>${note}</li>`)}</ul>`;
}

/** The endpoint's live facts, and its running hours of the day as labelled bars. */
function liveSection({ facts, endpoint }: Entry): Markup {
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

/**
 * The size range before and after as two bars on the report's common logarithmic scale, where each doubling is equally
 * wide. Bars differ in pattern and are labelled.
 */
function sizeBars({ endpoint: { sizeCu, action }, figures }: Entry, scale: Range): Markup {
  const words = figures.find(({ label }) => label === "Size");
  if (!sizeCu || !words) return html``;

  // A released endpoint keeps its size.
  const after = action === "release" ? sizeCu.before : sizeCu.after;
  return html`<div class="bars">
${bar("Before", sizeCu.before, words.before, scale)}
${bar("After", after, words.after, scale)}
<div class="row axis" aria-hidden="true"><span></span><div class="ticks">${ticks(scale)}</div><span></span></div>
</div>`;
}

/** The tick lines behind all bars: one style for the page, as the scale is common. */
function scaleStyle(scale: Range): Markup {
  const lines = ticksOf(scale).map(
    (cu) => `linear-gradient(var(--tick) 0 0) ${percent(positionOf(cu, scale))} 0 / 1px 100% no-repeat`,
  );
  return new Markup(`.track { background: ${[...lines, "var(--track)"].join(", ")}; }\n`);
}

/** The position of a size on the scale, in percent of its width. */
function positionOf(cu: number, { min, max }: Range): number {
  if (max <= min) return 0;
  const share = Math.log(cu / min) / Math.log(max / min);
  return Math.min(100, Math.max(0, share * 100));
}

/** One labelled bar; without a size an empty one. */
function bar(label: "Before" | "After", size: Range | undefined, words: string, scale: Range): Markup {
  if (!size) {
    return html`<div class="row"><span class="side">${label}</span><div class="track empty"></div><span class="size">${words}</span></div>`;
  }

  const [from, to] = [positionOf(size.min, scale), positionOf(size.max, scale)];
  const width = Math.max(NARROWEST_PERCENT, to - from);
  // Centered on its place, within the scale.
  const left = Math.min(Math.max((from + to - width) / 2, 0), 100 - width);
  const style = `left:${percent(left)};width:${percent(width)}`;
  return html`<div class="row"><span class="side">${label}</span><div class="track" role="img" aria-label="${label}: ${words}"><div class="bar ${label.toLowerCase()}" style="${style}"></div></div><span class="size">${words}</span></div>`;
}

function ticks(scale: Range): Markup[] {
  return [scale.min, ...ticksOf(scale), scale.max].map((cu) => {
    const at = positionOf(cu, scale);
    return html`<span class="${at === 0 ? "first" : at === 100 ? "last" : "tick"}" style="left:${percent(at)}">${cu}</span>`;
  });
}

/** The ticks within the scale. */
function ticksOf(scale: Range): number[] {
  return tickSizes.filter((cu) => cu > scale.min && 100 - positionOf(cu, scale) >= NEAREST_PERCENT);
}

function percent(value: number): string {
  return `${value.toFixed(2)}%`;
}

/** HTML that is safe in a page. */
class Markup {
  constructor(readonly text: string) {}
}

/** A template tag for HTML: escapes everything except Markup, for text and quoted attributes. */
function html(pieces: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(pieces.map((piece, index) => piece + render(parts[index] ?? "")).join(""));
}

function render(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(render).join("\n");
  return String(part).replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}
