import type { EndpointReport } from "./report-model";

/** Groups of the summary, worst first: an endpoint counts in the first one that it fits. */
const groups: readonly { fits: (one: EndpointReport) => boolean; say: (all: EndpointReport[]) => string }[] = [
  {
    fits: ({ restarts }) => restarts === "yes",
    say: ({ length }) => `${length} ${length === 1 ? "restarts" : "restart"} (connections drop)`,
  },
  {
    fits: ({ action }) => action === "replace",
    say: (all) => `${all.length} replaced (host changes${downtimeOf(all)})`,
  },
  { fits: ({ action }) => action === "delete", say: ({ length }) => `${length} deleted (connections drop)` },
  {
    fits: ({ downtime }) => downtime === "yes",
    say: ({ length }) => `${length} disabled (connections drop, downtime)`,
  },
  {
    fits: ({ dropsConnections }) => dropsConnections === "yes",
    say: ({ length }) => `${length} ${length === 1 ? "moves" : "move"} (connections drop)`,
  },
  {
    fits: ({ action, dropsConnections }) => action === "adopt" && dropsConnections === "possible",
    say: ({ length }) => `${length} taken over (may restart)`,
  },
  {
    fits: ({ dropsConnections }) => dropsConnections === "possible",
    say: ({ length }) => `${length} may drop connections (values not known yet)`,
  },
  {
    fits: ({ restarts }) => restarts === "not_stated",
    say: ({ length }) => `${length} reconfigured (restart not stated)`,
  },
  { fits: ({ action }) => action === "create", say: ({ length }) => `${length} created` },
  { fits: ({ action }) => action === "adopt", say: ({ length }) => `${length} taken over` },
  { fits: ({ action }) => action === "import", say: ({ length }) => `${length} imported` },
  {
    fits: ({ action }) => action === "release",
    say: ({ length }) => `${length} released (${length === 1 ? "keeps" : "keep"} running)`,
  },
  { fits: () => true, say: ({ length }) => `${length} unaffected` },
];

/** One sentence on all changing endpoints, such as `3 endpoints change: 1 restarts (connections drop), 2 unaffected`. */
export function summarize(endpoints: readonly EndpointReport[], failed: boolean): string {
  const parts = groups.flatMap(({ say }, index) => {
    const members = endpoints.filter((one) => rankOf(one) === index);
    return members.length > 0 ? [say(members)] : [];
  });
  const count = endpoints.length;
  const text =
    count === 0
      ? "No endpoint changes"
      : `${count} ${count === 1 ? "endpoint changes" : "endpoints change"}: ${parts.join(", ")}`;
  return failed ? `The preview failed, so this is not all. ${text}` : text;
}

/** The place of an endpoint's group: 0 is what hurts most. */
export function rankOf(endpoint: EndpointReport): number {
  return groups.findIndex(({ fits }) => fits(endpoint));
}

function downtimeOf(all: EndpointReport[]): string {
  const down = all.filter(({ downtime }) => downtime !== "no").length;
  if (down === 0) return "";
  return down === all.length ? ", downtime" : `, ${down} with downtime`;
}
