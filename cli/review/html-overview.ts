import { html, type Markup } from "./markup";
import type { EndpointReport } from "./report-model";
import { effects, toneOfEndpoint } from "./verdict-words";
import { actionWords } from "./words";

/** Where the card of the endpoint at this place of the report is, for links within the page. */
export function anchorOf(index: number): string {
  return `endpoint-${index + 1}`;
}

/** A line for each endpoint, with a link to its card: what happens to it and what it suffers. Nothing for a single one. */
export function overview(endpoints: readonly EndpointReport[]): Markup {
  if (endpoints.length < 2) return html``;
  const lines = endpoints.map((endpoint, index) => {
    const suffers = effects(endpoint).join(", ") || "nothing disrupted";
    return html`<li><a href="#${anchorOf(index)}">${endpoint.name}</a><span>${actionWords(endpoint)}</span><span class="${toneOfEndpoint(endpoint)}">${suffers}</span></li>`;
  });
  return html`<nav class="card overview" aria-label="Endpoints"><ol>${lines}</ol></nav>`;
}
