/** The plugin and the dynamic host, as the state shows them. */
import { DRIFTED, DROPPED, IMPORTED } from "../../provider/endpoint/input-notes";
import { BOOKKEEPING } from "../../provider/endpoint/state";
import type { Path } from "./secrets";
import type { StoredResource } from "./stack-export";

type Values = Readonly<Record<string, unknown>>;

/** The names of a host's resources in the state, and what it keeps there for itself. */
export interface Host {
  endpointType: string;
  fleetType: string;
  /** Whether a resource says in its own values who serves it. */
  isDynamic: boolean;
}

const PROVIDER_INPUT = "__provider";
const URN_INPUT = "__urn";
const SECRET_INPUT = "__secret";

/** Every host. */
export const hosts: readonly Host[] = [
  { endpointType: "pgcompute:index:Endpoint", fleetType: "pgcompute:index:EndpointFleet", isDynamic: false },
  {
    endpointType: "pulumi-nodejs:dynamic/pgcompute:Endpoint",
    fleetType: "pulumi-nodejs:dynamic/pgcompute:EndpointFleet",
    isDynamic: true,
  },
];

/** The host of an endpoint or a fleet. */
export function hostOf({ type }: Pick<StoredResource, "type">): Host | undefined {
  return hosts.find(({ endpointType, fleetType }) => type === endpointType || type === fleetType);
}

/** The values without the host's own: an endpoint's, and the notes on it. */
export function withoutHidden(all: Values): Record<string, unknown> {
  const kept = [BOOKKEEPING, IMPORTED, DROPPED, DRIFTED];
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("__") || kept.includes(name)));
}

/** What a resource of the host needs among its inputs and its outputs; the paths are those of the secrets among its inputs. */
export function hiddenFor(
  { isDynamic, fleetType }: Host,
  { urn, type }: Pick<StoredResource, "urn" | "type">,
  secrets: readonly Path[],
): Values {
  if (!isDynamic) return {};
  const isFleet = type === fleetType;
  const names = isFleet ? secrets : [...new Set(secrets.map(([name]) => name))];
  return {
    [PROVIDER_INPUT]: `exports.handler=()=>require("pulumi-pgcompute/dynamic").${isFleet ? "fleetProvider" : "provider"}`,
    [URN_INPUT]: urn,
    ...(names.length > 0 && { [SECRET_INPUT]: names }),
  };
}
