import type { BeforeAfter } from "../../provider/endpoint/impact/impact";
import type { EndpointReport, Verdict } from "./report-model";

/** The words for what a change does to an endpoint: answers to a reviewer's questions, and the effects by themselves. */

/** How an answer is to be taken: `open` where the specification does not say. */
export type Tone = "bad" | "open" | "fine";

/** The four questions of a reviewer, with short answers. */
export function answers(endpoint: EndpointReport): { question: string; answer: string; tone: Tone }[] {
  const { restarts, dropsConnections, downtime } = endpoint;
  return [
    { question: "Restart", answer: verdictWords(restarts), tone: toneOf(restarts) },
    { question: "Connections", answer: connectionWords(endpoint), tone: toneOf(dropsConnections) },
    {
      question: "Host",
      answer: hostWords(endpoint),
      tone: endpoint.action === "delete" ? "bad" : toneOf(endpoint.hostChanges),
    },
    { question: "Downtime", answer: verdictWords(downtime), tone: toneOf(downtime) },
  ];
}

/** What an endpoint suffers, in a few words each; empty where nothing of it is disrupted or in doubt. */
export function effects(endpoint: EndpointReport): string[] {
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
  const tones = answers(endpoint).map(({ tone }) => tone);
  if (tones.includes("bad") || falls(endpoint.maxConnections)) return "bad";
  return tones.includes("open") ? "open" : "fine";
}

/** True where both sides are known and the second is less. */
export function falls(sides: BeforeAfter<number> | undefined): boolean {
  return sides?.before !== undefined && sides.after !== undefined && sides.after < sides.before;
}

function verdictWords(verdict: Verdict): string {
  return { yes: "yes", no: "no", possible: "possible", not_stated: "not stated" }[verdict];
}

function connectionWords({ action, dropsConnections }: EndpointReport): string {
  if (action === "create") return "none yet";
  return { yes: "dropped", no: "stay", possible: "may drop", not_stated: "not stated" }[dropsConnections];
}

function hostWords({ action, hostChanges }: EndpointReport): string {
  if (action === "create") return "new";
  if (action === "delete") return "gone";
  return { yes: "changes", no: "kept", possible: "may change", not_stated: "not stated" }[hostChanges];
}

function toneOf(verdict: Verdict): Tone {
  return ({ yes: "bad", possible: "bad", no: "fine", not_stated: "open" } as const)[verdict];
}
