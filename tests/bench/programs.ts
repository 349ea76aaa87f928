/**
 * The compared ways to have N endpoints managed. A further resource or host is an entry of `programs`: its
 * declarations, and the process to watch.
 */
import * as pulumi from "@pulumi/pulumi";
import { Endpoint, EndpointFleet } from "pulumi-pgcompute";

/** One resource of a program, in a form that YAML and TypeScript share. */
export interface Declared {
  name: string;
  type: string;
  properties: Record<string, unknown>;
}

/** What the endpoints of a measurement are. */
export interface Wanted {
  projectId: string;
  branches: readonly string[];
  /** The project of each of the branches where that is not `projectId`. */
  projects?: readonly string[] | undefined;
  suspendTimeoutSeconds: number;
}

/** A way of having endpoints managed. */
export interface Program {
  name: string;
  language: "YAML" | "TypeScript";
  /** Part of the command line of the process that does the provider's work. */
  process: string;
  /** What the state and the YAML call its resources. */
  type: string;
  /** Left out of the form of two minutes: it takes long, and says nearly what another does. */
  isLong?: true;
  /** How many endpoints one resource manages, out of so many. */
  perResource(count: number): number;
  declare(wanted: Wanted): Declared[];
}

const single = (type: string) => ({
  type,
  perResource: () => 1,
  declare: ({ branches, ...rest }: Wanted) =>
    branches.map((branchId, index) => ({
      ...{ name: `endpoint${index}`, type },
      properties: { ...rest, sizeCu: 1, branchId },
    })),
});

/** All of them as one resource. */
const fleet = (type: string) => ({
  type,
  perResource: (count: number) => count,
  declare: ({ branches, projects, projectId, suspendTimeoutSeconds }: Wanted) => {
    const endpoints = branches.map((branchId, at) => [
      `endpoint${at}`,
      { branchId, ...(projects && { projectId: projects[at] }) },
    ]);
    const properties = {
      projectId,
      defaults: { sizeCu: 1, suspendTimeoutSeconds },
      endpoints: Object.fromEntries(endpoints),
      maxDeletions: branches.length,
    };
    return [{ name: "fleet", type, properties }];
  },
});

const type = "pgcompute:index:Endpoint";
const fleetType = "pgcompute:index:EndpointFleet";
const dynamicType = "pulumi-nodejs:dynamic/pgcompute:Endpoint";
const dynamicFleetType = "pulumi-nodejs:dynamic/pgcompute:EndpointFleet";
const yaml = { language: "YAML", process: "pulumi-resource-pgcompute" } as const;
const plugin = { language: "TypeScript", process: "pulumi-resource-pgcompute" } as const;
const dynamic = { language: "TypeScript", process: "dynamic-provider" } as const;

/** What is measured, in the order of the tables. */
export const programs: readonly Program[] = [
  { name: "plugin, YAML", ...yaml, ...single(type) },
  { name: "plugin, TypeScript", ...plugin, ...single(type), isLong: true },
  { name: "dynamic, TypeScript", ...dynamic, ...single(dynamicType) },
  { name: "fleet, plugin, YAML", ...yaml, ...fleet(fleetType) },
  { name: "fleet, dynamic, TypeScript", ...dynamic, ...fleet(dynamicFleetType) },
];

/** What is measured over many projects. */
export const largest: Program = { name: "fleet, plugin, TypeScript", ...plugin, ...fleet(fleetType) };

/** The stand-in for a program: as many resources of as many bytes, by a provider that does nothing but wait. */
export function standInFor(program: Program): Program {
  const type = "benchwait:index:Endpoint";
  return {
    ...program,
    name: `waiting for ${program.name}`,
    process: "pulumi-resource-benchwait",
    type,
    declare: (wanted) => program.declare(wanted).map((one) => ({ ...one, type })),
  };
}

/** The resources as a YAML program. */
export function toYaml(resources: readonly Declared[]): Record<string, unknown> {
  return { resources: Object.fromEntries(resources.map(({ name, ...rest }) => [name, rest])) };
}

class Resource extends pulumi.CustomResource {}

/** The resources as an inline program of this process. */
export function toInline(resources: readonly Declared[]): pulumi.automation.PulumiFn {
  return async () => {
    for (const { name, type, properties } of resources) {
      if (type === dynamicType) new Endpoint(name, properties as never);
      else if (type === dynamicFleetType) new EndpointFleet(name, properties as never);
      else new Resource(type, name, properties);
    }
  };
}
