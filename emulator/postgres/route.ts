import type { Greeting } from "./greeting";
import type { Refusal } from "./messages";

/** What a client wants: an endpoint, by its host or its pooled host, and what the server itself is told. */
export interface Route {
  endpointId: string;
  pooled: boolean;
  version: number;
  parameters: ReadonlyMap<string, string>;
}

const POOLED = "-pooler";

/**
 * Finds out which endpoint a client wants: the one whose own port it came by, else what `options` name, else the first part
 * of the name that TLS was asked for.
 */
export function routeOf(
  { version, parameters }: Extract<Greeting["opening"], { kind: "startup" }>,
  serverName: string | undefined,
  portOf: string | undefined,
): Route | Refusal {
  const words = (parameters.get("options") ?? "").split(/\s+/).filter(Boolean);
  const named = words.find((word) => word.startsWith("endpoint="))?.slice("endpoint=".length);
  const name = portOf ?? named ?? serverName?.split(".")[0];
  if (!name) {
    return {
      code: "08004",
      message: "the connection names no endpoint",
      hint: "Use TLS with the endpoint's host name (SNI), add \"endpoint=ID\" to options, or connect to the endpoint's own port.",
    };
  }
  const pooled = name.endsWith(POOLED);
  const kept = new Map(parameters);
  const options = words.filter((word) => !word.startsWith("endpoint=")).join(" ");
  if (options === "") kept.delete("options");
  else kept.set("options", options);
  return { endpointId: pooled ? name.slice(0, -POOLED.length) : name, pooled, version, parameters: kept };
}
