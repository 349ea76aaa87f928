/** A state in which some resources have others in their place. */
import { nameOfUrn } from "../../provider/lib/owner";
import { REFERENCE_MARK, SIGNATURE } from "../../provider/lib/unknown";
import { CommandError } from "../exit-code";
import { resourcesOf, type StackExport, type StoredResource } from "./stack-export";

/**
 * The state with some resources taken out and others put in after the first of them, with every reference rewritten. Throws a
 * `CommandError` where the new ones would wait for themselves.
 */
export function exchange(
  state: StackExport,
  gone: readonly StoredResource[],
  put: readonly StoredResource[],
): StackExport {
  const resources = resourcesOf(state);
  const successors = new Map(gone.map(({ urn }) => [urn, put]));
  const at = resources.findIndex((one) => gone.includes(one));
  const before = resources.slice(0, at);
  const after = resources.slice(at).filter((one) => !gone.includes(one));
  const all = [...before, ...put, ...after].map((one) => rewriteReferences(one, successors));
  return { ...state, deployment: { ...state.deployment, resources: inOrder(all) } };
}

/** For each URN that has gone, its successors. */
type Successors = ReadonlyMap<string, readonly Pick<StoredResource, "urn" | "id">[]>;

/** The resource with its references given to the successors of what it referred to. */
function rewriteReferences(resource: StoredResource, successors: Successors): StoredResource {
  const namesOf = (urn: string) => successors.get(urn)?.map((one) => one.urn) ?? urn;
  const othersOf = (urns: readonly string[]) =>
    [...new Set(urns.flatMap(namesOf))].filter((urn) => urn !== resource.urn);
  const { dependencies, propertyDependencies, deletedWith, replaceWith, inputs, outputs } = resource;
  return {
    ...resource,
    ...(dependencies && { dependencies: othersOf(dependencies) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([name, urns]) => [name, urns && othersOf(urns)]),
      ),
    }),
    ...(deletedWith && { deletedWith: othersOf([deletedWith])[0] }),
    ...(replaceWith && { replaceWith: othersOf(replaceWith) }),
    ...(inputs && { inputs: rewriteValues(inputs, successors) as StoredResource["inputs"] }),
    ...(outputs && { outputs: rewriteValues(outputs, successors) as StoredResource["outputs"] }),
  };
}

/**
 * The resources in an order in which each comes after all that it refers to, otherwise as they were. Throws a `CommandError` where there
 * is no such order.
 */
function inOrder(resources: readonly StoredResource[]): StoredResource[] {
  const byUrn = new Map<string, StoredResource[]>();
  for (const one of resources) byUrn.set(one.urn, [...(byUrn.get(one.urn) ?? []), one]);
  const placed = new Set<StoredResource>();
  const way = new Set<StoredResource>();
  const place = (one: StoredResource): void => {
    if (placed.has(one)) return;
    if (way.has(one)) {
      const names = [...way].slice([...way].indexOf(one)).map(({ urn }) => nameOfUrn(urn));
      throw new CommandError(
        `nothing was moved: moved together, these would depend on themselves in a circle: ${names.join(", ")}. ` +
          "Leave out those that depend on each other through another resource",
      );
    }
    way.add(one);
    for (const urn of referencesOf(one)) {
      // What a replacement left behind has the URN of what took its place.
      for (const other of byUrn.get(urn) ?? []) if (other.urn !== one.urn) place(other);
    }
    way.delete(one);
    placed.add(one);
  };
  for (const one of resources) place(one);
  return [...placed];
}

/** The URNs that a resource refers to; its provider's too. */
function referencesOf(resource: StoredResource): string[] {
  const { parent, provider, deletedWith, replaceWith, dependencies, propertyDependencies } = resource;
  const properties = Object.values(propertyDependencies ?? {}).flatMap((urns) => urns ?? []);
  // A provider is referred to by its URN and its id.
  const served = provider?.slice(0, provider.lastIndexOf("::"));
  const all = [parent, served, deletedWith, ...(replaceWith ?? []), ...(dependencies ?? []), ...properties];
  return all.filter((urn) => urn !== undefined);
}

function rewriteValues(value: unknown, successors: Successors): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => rewriteValues(part, successors));
  const record = value as Record<string, unknown>;
  if (record[SIGNATURE] === REFERENCE_MARK && typeof record.urn === "string") {
    const [first] = successors.get(record.urn) ?? [];
    return first ? { ...record, urn: first.urn, ...("id" in record && { id: first.id }) } : record;
  }
  return Object.fromEntries(Object.entries(record).map(([name, part]) => [name, rewriteValues(part, successors)]));
}
