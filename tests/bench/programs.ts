/**
 * The ways of having N endpoints managed that are measured beside each other. One more resource or host is one more entry of
 * `programs`: how its resources are declared, and whose process is watched.
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

const single = {
  type: "pgcompute:index:Endpoint",
  perResource: () => 1,
  declare: ({ branches, ...rest }: Wanted) =>
    branches.map((branchId, index) => ({
      name: `endpoint${index}`,
      type: "pgcompute:index:Endpoint",
      properties: { ...rest, sizeCu: 1, branchId },
    })),
};

/** All of them as one resource. */
const fleet = {
  type: "pgcompute:index:EndpointFleet",
  perResource: (count: number) => count,
  declare: ({ branches, projects, projectId, suspendTimeoutSeconds }: Wanted) => [
    {
      name: "fleet",
      type: "pgcompute:index:EndpointFleet",
      properties: {
        projectId,
        defaults: { sizeCu: 1, suspendTimeoutSeconds },
        endpoints: Object.fromEntries(
          branches.map((branchId, at) => [`endpoint${at}`, { branchId, ...(projects && { projectId: projects[at] }) }]),
        ),
        maxDeletions: branches.length,
      },
    },
  ],
};

const dynamicType = "pulumi-nodejs:dynamic/pgcompute:Endpoint";
const dynamicFleetType = "pulumi-nodejs:dynamic/pgcompute:EndpointFleet";
const plugin = "pulumi-resource-pgcompute";

/** What is measured, in the order of the tables. */
export const programs: readonly Program[] = [
  { ...single, name: "plugin, YAML", language: "YAML", process: plugin },
  { ...single, name: "plugin, TypeScript", language: "TypeScript", process: plugin, isLong: true },
  {
    ...single,
    name: "dynamic, TypeScript",
    language: "TypeScript",
    process: "dynamic-provider",
    type: dynamicType,
    declare: (wanted) => single.declare(wanted).map((one) => ({ ...one, type: dynamicType })),
  },
  { ...fleet, name: "fleet, plugin, YAML", language: "YAML", process: plugin },
  {
    ...fleet,
    name: "fleet, dynamic, TypeScript",
    language: "TypeScript",
    process: "dynamic-provider",
    type: dynamicFleetType,
    declare: (wanted) => fleet.declare(wanted).map((one) => ({ ...one, type: dynamicFleetType })),
  },
];

/** What is measured over many projects. */
export const largest: Program = {
  ...fleet,
  name: "fleet, plugin, TypeScript",
  language: "TypeScript",
  process: plugin,
};

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
