/** The plugin and the dynamic host, as they appear in plans and states. */

/** A host and the types of its resources. */
export interface Host {
  name: "plugin" | "dynamic";
  endpointType: string;
  fleetType: string;
}

/** All hosts. */
export const hosts: readonly Host[] = [
  { name: "plugin", endpointType: "pgcompute:index:Endpoint", fleetType: "pgcompute:index:EndpointFleet" },
  {
    name: "dynamic",
    endpointType: "pulumi-nodejs:dynamic/pgcompute:Endpoint",
    fleetType: "pulumi-nodejs:dynamic/pgcompute:EndpointFleet",
  },
];

/** The host of an endpoint's or a fleet's type; undefined for other types. */
export function hostOf(type: string | undefined): Host | undefined {
  return hosts.find(({ endpointType, fleetType }) => type === endpointType || type === fleetType);
}

/** True for the type of an endpoint. */
export function isEndpoint(type: string): boolean {
  return hostOf(type)?.endpointType === type;
}

/** True for the type of a fleet. */
export function isFleet(type: string): boolean {
  return hostOf(type)?.fleetType === type;
}
