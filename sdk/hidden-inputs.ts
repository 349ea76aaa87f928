/** What the classes tell their provider beside the arguments, since the engine does not. */
import {
  ComponentResource,
  CustomResource,
  type CustomResourceOptions,
  createUrn,
  type Input,
  isSecret,
  Output,
  output,
  Resource,
} from "@pulumi/pulumi";
import { AFTER_INPUT, REPLACE_INPUT, SECRET_INPUT, TIMEOUTS_INPUT, URN_INPUT } from "../provider/pulumi/dynamic/hidden";

/** How deep secrets are told apart: a fleet's map, a member, a property. */
const DEPTH = 3;

/** A part of Pulumi's outputs that their types hide. */
interface Inner<T> {
  promise(): Promise<T>;
  allResources(): Promise<Iterable<Resource>>;
}

/** A part of Pulumi's components: their children, and when all are made. */
interface Component {
  __data: Promise<unknown>;
  __childResources?: Iterable<Resource>;
}

/** A resource that is being declared. */
interface Declared {
  name: string;
  type: string;
  args: object;
  options: CustomResourceOptions;
  /** The provider's name among what `pulumi-pgcompute/dynamic` exports. */
  provider: "provider" | "fleetProvider";
  /** The new resource, once there is one. */
  self(): Resource;
}

/** The hidden inputs of a new resource. */
export function hiddenInputs({ name, type, args, options, provider, self }: Declared): Record<string, unknown> {
  const { parent, customTimeouts, replaceOnChanges } = options;
  return {
    // The provider's text in the state: short, without secrets, and the same after every release.
    __provider: `exports.handler=()=>require("pulumi-pgcompute/dynamic").${provider}`,
    [URN_INPUT]: urnOf(name, type, parent),
    [SECRET_INPUT]: secretPaths(args, options.additionalSecretOutputs),
    // An argument that fails says so itself.
    [AFTER_INPUT]: urnsBefore({ ...args }, options, self).catch(() => []),
    ...(customTimeouts && { [TIMEOUTS_INPUT]: customTimeouts }),
    ...(replaceOnChanges && { [REPLACE_INPUT]: replaceOnChanges }),
  };
}

/** The paths of what is secret; undefined, which is no input, if there are none. */
async function secretPaths(args: object, outputs: readonly string[] = []): Promise<string[][] | undefined> {
  // An argument that fails says so itself.
  const found = await secretsWithin(args).catch(() => []);
  const all = [...found, ...outputs.map((name) => [name])];
  return all.length > 0 ? all : undefined;
}

/** The paths of the secrets in arguments. Fails if an argument fails. */
export async function secretsWithin(value: unknown, path: readonly string[] = []): Promise<string[][]> {
  if (Output.isInstance(value)) return (await isSecret(value)) ? [[...path]] : [];
  if (value instanceof Promise) return secretsWithin(await value, path);
  if (typeof value !== "object" || value === null) return [];
  if (path.length > DEPTH) return [];
  const within = Object.entries(value).map(([name, one]) => secretsWithin(one, [...path, name]));
  return (await Promise.all(within)).flat();
}

/**
 * The URNs of the resources that a new one with these arguments waits for: those of its options, and those whose outputs it takes. A
 * promise, not an output, so that it adds no dependency of its own. `self` gives the new resource: the part of a component may depend on
 * that component, but never on itself.
 */
async function urnsBefore(args: object, options: CustomResourceOptions, self: () => Resource): Promise<string[]> {
  const { dependsOn = [], parent, deletedWith } = options;
  const named = await inner<Resource | Resource[]>(dependsOn).promise();
  // A child does not wait for the other parts of its component.
  const held = [parent, deletedWith].filter((one) => CustomResource.isInstance(one));
  const taken = await Promise.all([args, dependsOn].map((value) => inner(value).allResources()));
  const all = [named, held, ...taken.map((some) => [...some])].flat().filter((one) => Resource.isInstance(one));
  const parts = (await Promise.all(all.map(partsOf))).flat().filter((one) => one !== self());
  const urns = await Promise.all(parts.map(({ urn }) => inner<string>(urn).promise()));
  return [...new Set(urns)].sort();
}

/**
 * The URN that a new resource will have. A promise, too: as an output of a component it would wait for all of its parts, and two parts
 * would wait for each other.
 */
function urnOf(name: string, type: string, parent: Resource | undefined): Promise<string> {
  return inner<string>(createUrn(name, type, parent)).promise();
}

/**
 * Whoever waits for a component waits for its parts, once they are made. Not for the component's own URN, which may come later than the
 * asking resource's; nor does Pulumi.
 */
async function partsOf(resource: Resource): Promise<Resource[]> {
  if (!ComponentResource.isInstance(resource)) return [resource];
  const component = resource as unknown as Component;
  await component.__data;
  return (await Promise.all([...(component.__childResources ?? [])].map(partsOf))).flat();
}

function inner<T>(value: Input<unknown>): Inner<T> {
  return output(value) as unknown as Inner<T>;
}
