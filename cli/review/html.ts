import { scaleStyle, sizeBars } from "./html-bars";
import { anchorOf, overview } from "./html-overview";
import { style } from "./html-style";
import { html, Markup } from "./markup";
import type { EndpointReport, Report } from "./report-model";
import { answers, toneOfEndpoint } from "./verdict-words";
import {
  actionWords,
  arrow,
  figures,
  gateWords,
  propertyRemark,
  restWords,
  totalWords,
  valueWords,
  whereWords,
} from "./words";

/** With more endpoints than this, the browser is told to draw only those that are looked at. */
const MANY = 100;

/** The report as one HTML file that needs nothing else and runs nothing: a policy in it forbids every script and request. */
export function toHtml(report: Report): string {
  const title = `${report.stack ? `${report.stack}: ` : ""}compute endpoint review`;
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
<p class="soft">${["Compute endpoints", whereWords(report)].filter(Boolean).join(" of ")}</p>
${report.endpoints.length === 0 ? html`` : html`<p class="soft">${totalWords(report)}</p>`}
</header>
${gate(report)}
${errors(report)}
${overview(report.endpoints)}
${report.endpoints.map((endpoint, index) => card(endpoint, index, report))}
${foot(report)}
</main>
</body>
</html>
`;
  return page.text;
}

function gate(report: Report): Markup {
  const words = gateWords(report);
  if (words.length === 0) return html``;
  const kind = report.gate?.met.length ? "alarm" : report.errors.length > 0 ? "undecided" : "passed";
  return html`<section class="card ${kind}" aria-label="Gate">${words.map((line) => html`<p>${line}</p>`)}</section>`;
}

function errors({ errors: all }: Report): Markup {
  if (all.length === 0) return html``;
  return html`<section class="card alarm" aria-label="Errors"><h2>The preview failed</h2><ul>${all.map((error) => html`<li>${error}</li>`)}</ul></section>`;
}

function card(endpoint: EndpointReport, index: number, report: Report): Markup {
  const { name, id, hostName, move } = endpoint;
  return html`<article class="card ${toneOfEndpoint(endpoint)}" id="${anchorOf(index)}">
<div class="title"><h2>${name}</h2><span class="action">${actionWords(endpoint)}</span></div>
${id ? html`<p class="soft"><code>${id}</code></p>` : html``}
<dl class="answers">${answers(endpoint).map(({ question, answer, tone }) => html`<div class="${tone}"><dt>${question}</dt><dd>${answer}</dd></div>`)}</dl>
${sizeBars(endpoint, report.scale)}
<dl class="figures">${figures(endpoint, report.pricePerCuHour)
    .filter(({ label }) => label !== "Size")
    .map(
      (figure) =>
        html`<div class="${figure.falls ? "falls" : "figure"}"><dt>${figure.label}</dt><dd>${withUnits(arrow(figure))}</dd></div>`,
    )}</dl>
${hostName ? html`<p class="soft">Host <code>${hostName}</code></p>` : html``}
${move ? html`<p>Moves from <code>${move.from}</code> to <code>${move.to}</code></p>` : html``}
${properties(endpoint)}
${notes(endpoint)}
</article>`;
}

function properties({ properties: all }: EndpointReport): Markup {
  if (all.length === 0) return html``;
  const rows = all.map(
    (one) =>
      html`<tr><th scope="row"><code>${one.name}</code></th><td>${valueWords(one.name, one.from)}</td><td>${valueWords(one.name, one.to)}${propertyRemark(one)}</td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">Property</th><th scope="col">From</th><th scope="col">To</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function notes({ notes: all }: EndpointReport): Markup {
  return all.length === 0 ? html`` : html`<ul>${all.map((note) => html`<li>${note}</li>`)}</ul>`;
}

/** A number stays on the line of its unit, and a range on one line. */
function withUnits(text: string): string {
  return text.replace(/(?<=\d) (?=\p{L})|(?<=\d to) (?=\d)/gu, "\u00a0");
}

function foot(report: Report): Markup {
  return html`<footer class="soft">${restWords(report).map((line) => html`<p>${line}.</p>`)}</footer>`;
}
