/** The order that a program's own process knows: which resources another waits for, by what the program says of it. */
import { CustomResource, type CustomResourceOptions, type Input, type Inputs, output, Resource } from "@pulumi/pulumi";

/** What every output of Pulumi's has, and its types keep to themselves. */
interface Inner<T> {
  promise(): Promise<T>;
  allResources(): Promise<Iterable<Resource>>;
}

/**
 * The URNs of the resources that a new one with these arguments waits for: those of its options and those whose outputs it
 * takes. As a promise it is no dependency itself, so that the engine's own record of those stays as it is.
 */
export async function urnsBefore(args: Inputs, options: CustomResourceOptions): Promise<string[]> {
  const { dependsOn = [], parent, deletedWith } = options;
  const named = await inner<Resource | Resource[]>(dependsOn).promise();
  // A component is there before its parts are: to be its child is not to wait for them.
  const held = [parent, deletedWith].filter((one) => CustomResource.isInstance(one));
  const taken = await Promise.all([args, dependsOn].map((value) => inner(value).allResources()));
  const all = [named, held, ...taken.map((some) => [...some])].flat().filter((one) => Resource.isInstance(one));
  const urns = await Promise.all(all.flatMap(withParts).map(({ urn }) => inner<string>(urn).promise()));
  return [...new Set(urns)].sort();
}

/** To wait for a component is to wait for its parts. */
function withParts(resource: Resource): Resource[] {
  const { __childResources: parts = [] } = resource as Resource & { __childResources?: Iterable<Resource> };
  return CustomResource.isInstance(resource) ? [resource] : [resource, ...[...parts].flatMap(withParts)];
}

function inner<T>(value: Input<unknown>): Inner<T> {
  return output(value) as unknown as Inner<T>;
}
