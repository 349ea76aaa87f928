/** The context of a call of the provider's own verbs, for tests of one verb. */
import type { Reporter } from "../../provider/endpoint/context";
import { type Owner, resourceOwner } from "../../provider/lib/owner";
import type { LifecycleContext } from "../../provider/pulumi/call";
import { RunRecords } from "../../provider/pulumi/run";
import type { Bench } from "./bench";

/** What the lifecycle said on a resource's row. */
export interface Said {
  info: string[];
  warnings: string[];
  status: string[];
}

/** A context with an account and a memory of its own; `said` collects what it reports. */
export function contextOf(bench: Bench, part: Partial<LifecycleContext> = {}): LifecycleContext & { said: Said } {
  const said: Said = { info: [], warnings: [], status: [] };
  const reporter: Reporter = {
    info: (message) => said.info.push(message),
    warn: (message) => said.warnings.push(message),
    status: (message) => said.status.push(message),
  };
  return {
    account: part.account ?? bench.account(),
    run: new RunRecords(),
    host: "plugin",
    reporter,
    reporterFor: () => reporter,
    reportError: () => {},
    signal: new AbortController().signal,
    urn: urnOf("main"),
    said,
    ...part,
  };
}

/** The same for a call about the fleet of `useStack`. */
export function fleetCall(bench: Bench, part: Partial<LifecycleContext> = {}): LifecycleContext & { said: Said } {
  return contextOf(bench, { urn: resourceOwner(urnOf("fleet").replace("Endpoint", "EndpointFleet")), ...part });
}

/** The URN of an endpoint resource. */
export function urnOf(name: string): Owner {
  return resourceOwner(`urn:pulumi:test::shop::pgcompute:index:Endpoint::${name}`);
}
