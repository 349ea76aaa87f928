import { formatFigure, formatFigures } from "./figures";
import { formatAction, formatAnswers, formatEffects, formatValue, toneOfEndpoint } from "./format";
import { scaleStyle, sizeBars } from "./html-bars";
import { html, Markup, style } from "./html-page";
import { liveSection } from "./live/html";
import { formatNow } from "./live/messages";
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

/** The report as one HTML file that needs nothing else and runs nothing: a policy in it forbids every script and request. */
export function toHtml(report: Report): string {
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
<main class="${report.endpoints.length > MANY ? "many" : "few"}">
<header>
<h1>${report.summary}</h1>
<p class="soft">${["Compute endpoints", formatOrigin(report)].filter(Boolean).join(" of ")}</p>
${totalMessages(report).map((line) => html`<p class="soft">${line}</p>`)}
</header>
${head(report)}
${gate(report)}
${errors(report)}
${overview(report)}
${report.endpoints.map((endpoint, index) => card(endpoint, index, report))}
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

/** A line for each endpoint, with a link to its card: what happens to it and what it suffers. Nothing for a single one. */
function overview(report: Report): Markup {
  const { endpoints } = report;
  if (endpoints.length < 2) return html``;
  const lines = endpoints.map((endpoint, index) => {
    const now = formatNow(endpoint, report);
    const suffers = `${formatEffects(endpoint).join(", ") || "nothing disrupted"}${now && `; now ${now}`}`;
    return html`<li><a href="#${anchorOf(index)}">${endpoint.name}</a><span>${formatAction(endpoint)}</span><span class="${toneOfEndpoint(endpoint)}">${suffers}</span></li>`;
  });
  return html`<nav class="card overview" aria-label="Endpoints"><ol>${lines}</ol></nav>`;
}

function card(endpoint: EndpointReport, index: number, report: Report): Markup {
  const { name, id, hostName, move } = endpoint;
  return html`<article class="card ${toneOfEndpoint(endpoint)}" id="${anchorOf(index)}">
<div class="title"><h2>${name}</h2><span class="action">${formatAction(endpoint)}</span></div>
${id ? html`<p class="soft"><code>${id}</code></p>` : html``}
<dl class="answers">${formatAnswers(endpoint).map(({ question, answer, tone }) => html`<div class="${tone}"><dt>${question}</dt><dd>${answer}</dd></div>`)}</dl>
${liveSection(endpoint, report)}
${sizeBars(endpoint, report.scale)}
<dl class="figures">${formatFigures(endpoint, report.pricePerCuHour)
    .filter(({ label }) => label !== "Size")
    .map(
      (figure) =>
        html`<div class="${figure.falls ? "falls" : "figure"}"><dt>${figure.label}</dt><dd>${withUnits(formatFigure(figure))}</dd></div>`,
    )}</dl>
${hostName ? html`<p class="soft">Host <code>${hostName}</code></p>` : html``}
${move ? html`<p>Moves from <code>${move.from}</code> to <code>${move.to}</code></p>` : html``}
${properties(endpoint, report)}
${notes(endpoint)}
</article>`;
}

function properties({ properties: all }: EndpointReport, report: Report): Markup {
  if (all.length === 0) return html``;
  const rows = all.map(
    (one) =>
      html`<tr><th scope="row"><code>${one.name}</code></th><td>${formatValue(one.name, one.from)}</td><td>${formatValue(one.name, one.to)}${propertyMessage(one)}</td></tr>`,
  );
  return html`<table><thead><tr>${propertyTitles(report).map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

function notes({ notes: all }: EndpointReport): Markup {
  return all.length === 0 ? html`` : html`<ul>${all.map((note) => html`<li>${note}</li>`)}</ul>`;
}

/** A number stays on the line of its unit, and a range on one line. */
function withUnits(text: string): string {
  return text.replace(/(?<=\d) (?=\p{L})|(?<=\d to) (?=\d)/gu, "\u00a0");
}

function foot(report: Report): Markup {
  return html`<footer class="soft">${restMessages(report).map((line) => html`<p>${line}.</p>`)}</footer>`;
}
