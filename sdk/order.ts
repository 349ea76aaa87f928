/** Which resources a new one waits for, as the program's own process knows it. */
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

/**
 * The URNs of the resources that a new one with these arguments waits for: those of its options, and those whose outputs it takes. A
 * promise, not an output, so that it adds no dependency of its own. `self` gives the new resource: the part of a component may depend on
 * that component, but never on itself.
 */
export async function urnsBefore(
  args: Inputs,
  options: CustomResourceOptions,
  self: () => Resource,
): Promise<string[]> {
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
export function urnOf(name: string, type: string, parent: Resource | undefined): Promise<string> {
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
