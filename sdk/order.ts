/** The order that a program's own process knows: which resources another waits for, by what the program says of it. */
import {
  ComponentResource,
  CustomResource,
  type CustomResourceOptions,
  createUrn,
  type Input,
  type Inputs,
  output,
  Resource,
} from "@pulumi/pulumi";

/** What every output of Pulumi's has, and its types keep to themselves. */
interface Inner<T> {
  promise(): Promise<T>;
  allResources(): Promise<Iterable<Resource>>;
}

/** What a component of Pulumi's has: when it has made its parts, and the parts. */
interface Component {
  __data: Promise<unknown>;
  __childResources?: Iterable<Resource>;
}

/**
 * The URNs of the resources that a new one with these arguments waits for: those of its options and those whose outputs it
 * takes. As a promise it is no dependency itself, so that the engine's own record of those stays as it is. `self` gives the new
 * one, which is there once this function waits: the part of a component may depend on that component, and is never before itself.
 */
export async function urnsBefore(
  args: Inputs,
  options: CustomResourceOptions,
  self: () => Resource,
): Promise<string[]> {
  const { dependsOn = [], parent, deletedWith } = options;
  const named = await inner<Resource | Resource[]>(dependsOn).promise();
  // A component is there before its parts are: to be its child is not to wait for them.
  const held = [parent, deletedWith].filter((one) => CustomResource.isInstance(one));
  const taken = await Promise.all([args, dependsOn].map((value) => inner(value).allResources()));
  const all = [named, held, ...taken.map((some) => [...some])].flat().filter((one) => Resource.isInstance(one));
  const parts = (await Promise.all(all.map(partsOf))).flat().filter((one) => one !== self());
  const urns = await Promise.all(parts.map(({ urn }) => inner<string>(urn).promise()));
  return [...new Set(urns)].sort();
}

/**
 * The URN that a new resource will have. As a promise, too: to depend on a component for its URN would be to wait for all of its
 * parts, two of which would wait for each other.
 */
export function urnOf(name: string, type: string, parent: Resource | undefined): Promise<string> {
  return inner<string>(createUrn(name, type, parent)).promise();
}

/**
 * To wait for a component is to wait for what it is made of, once that has been made. For the component's own URN Pulumi does not
 * wait either: it may come after that of the resource which asks.
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
