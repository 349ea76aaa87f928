/** The two hosts, each driven in the same way by the tests that hold for both. */
import type * as pulumi from "@pulumi/pulumi";
import type { Endpoint, EndpointFleet } from "pulumi-pgcompute";
import type { Project } from "./project";
import type { Stack } from "./stack";

/** Resource options that both hosts have. Names of other resources stand for the resources. */
export interface DeclaredOptions extends Omit<pulumi.CustomResourceOptions, "dependsOn" | "aliases" | "parent"> {
  dependsOn?: string[];
  parent?: string;
  /** Former names, or aliases as Pulumi has them. */
  aliases?: (string | object)[];
}

/**
 * An endpoint or fleet of a program. `${name.property}` in a text is another's output; `{ secret }` a secret; `{ value,
 * once }` a value unknown until the endpoint `once` is created.
 */
export interface Declared {
  args: Record<string, unknown>;
  options?: DeclaredOptions;
  /** True for a fleet of endpoints. */
  isFleet?: true;
}

/** A program as data: its endpoints by name, in order. */
export type Declarations = Record<string, Declared>;

/** A way to run a program of endpoints, so that one table of cases runs against both. */
export interface HostDriver {
  name: "dynamic" | "plugin";
  /** The types of the resources in URNs. */
  type: string;
  fleetType: string;
  /** The stack with these endpoints as its program, the outputs `NAME_host` among its outputs. */
  stack(project: Project, declarations: Declarations): Stack;
}

/** The dynamic resource, in a program of this process. */
export const dynamicHost: HostDriver = {
  name: "dynamic",
  type: "pulumi-nodejs:dynamic/pgcompute:Endpoint",
  fleetType: "pulumi-nodejs:dynamic/pgcompute:EndpointFleet",
  stack: (project, declarations) =>
    project.stack(async () => {
      // Not before it is needed: the SDK takes half a second to load, which most files of tests can do without.
      const [sdk, { Endpoint, EndpointFleet }] = await Promise.all([
        import("@pulumi/pulumi"),
        import("pulumi-pgcompute"),
      ]);
      const made: Made = {};
      for (const [name, { args, options = {}, isFleet }] of Object.entries(declarations)) {
        const given = optionsOf(options, (other) => made[other]);
        made[name] = new (isFleet ? EndpointFleet : Endpoint)(name, resolve(sdk, args, made) as never, given as never);
      }
    }),
};

/** The plugin, in a YAML program. */
export const pluginHost: HostDriver = {
  name: "plugin",
  type: "pgcompute:index:Endpoint",
  fleetType: "pgcompute:index:EndpointFleet",
  stack: (project, declarations) =>
    project.yaml({
      resources: Object.fromEntries(
        Object.entries(declarations).map(([name, { args, options = {}, isFleet }]) => {
          // A program in YAML has no slash in its own names.
          const label = name.replaceAll("/", "-");
          return [
            label,
            {
              ...(label === name ? {} : { name }),
              type: `pgcompute:index:Endpoint${isFleet ? "Fleet" : ""}`,
              properties: toYaml(args),
              options: optionsOf(options, (other) => `\${${other}}`),
            },
          ];
        }),
      ),
    }),
};

/** Both hosts. */
export const hosts: readonly HostDriver[] = [dynamicHost, pluginHost];

function optionsOf(
  { dependsOn, aliases, parent, ...rest }: DeclaredOptions,
  referenceTo: (name: string) => unknown,
): object {
  return {
    ...rest,
    ...(parent && { parent: referenceTo(parent) }),
    ...(dependsOn && { dependsOn: dependsOn.map(referenceTo) }),
    ...(aliases && { aliases: aliases.map(aliasOf) }),
  };
}

function aliasOf(alias: string | object): object | string {
  return typeof alias === "object" || alias.startsWith("urn:") ? alias : { name: alias };
}

/** The resources of a program so far. */
type Made = Record<string, Endpoint | EndpointFleet>;

function resolve(sdk: typeof pulumi, value: unknown, made: Made): unknown {
  if (typeof value === "string") {
    const parts = value.split(/\$\{(\w+(?:\.\w+)+)\}/).map((part, at) => (at % 2 === 0 ? part : outputOf(part, made)));
    // A value that is nothing but an output keeps its type.
    return parts.length === 3 && parts[0] === "" && parts[2] === "" ? parts[1] : sdk.concat(...parts);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if ("secret" in value) return sdk.secret(value.secret);
  if ("once" in value)
    return sdk
      .all([outputOf(`${value.once}.endpointId`, made), value])
      .apply(([, one]) => (one as { value?: unknown }).value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(sdk, one, made)]));
}

function outputOf(path: string, made: Made): pulumi.Input<string> {
  // What is within an output is an output as well.
  return path
    .split(".")
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], made) as pulumi.Input<string>;
}

function toYaml(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if ("secret" in value) return { "fn::secret": value.secret };
  if ("once" in value)
    return { "fn::join": [`\${${value.once}.endpointId}`, [(value as Record<string, unknown>).value]] };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toYaml(one)]));
}
