/** A state in which some resources have others in their place. */
import { nameOfUrn } from "../../provider/lib/owner";
import { REFERENCE_MARK, SIGNATURE } from "../../provider/lib/unknown";
import { CommandError } from "../exit-code";
import { resourcesOf, type StackExport, type StoredResource, withResources } from "./stack-export";

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
  const ordered = inOrder(all);
  if ("resources" in ordered) return withResources(state, ordered.resources);
  const names = ordered.circle.map(nameOfUrn).join(", ");
  throw new CommandError(
    `nothing was moved: moved together, these would depend on themselves in a circle: ${names}. ` +
      "Leave out those that depend on each other through another resource",
  );
}

/** For each URN that has gone, its successors. */
type Successors = ReadonlyMap<string, readonly Pick<StoredResource, "urn" | "id">[]>;

/** The resource with its references given to the successors of what it referred to. */
function rewriteReferences(resource: StoredResource, successors: Successors): StoredResource {
  const urnsOf = (urns: readonly string[]) => [...new Set(urns.flatMap((urn) => namesOf(urn, successors)))];
  const othersOf = (urns: readonly string[]) => urnsOf(urns).filter((urn) => urn !== resource.urn);
  const { dependencies, propertyDependencies, deletedWith, replaceWith, inputs, outputs } = resource;
  return {
    ...resource,
    ...(dependencies && { dependencies: othersOf(dependencies) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([name, urns]) => [name, urns && urnsOf(urns)]),
      ),
    }),
    ...(deletedWith && { deletedWith: othersOf([deletedWith])[0] }),
    ...(replaceWith && { replaceWith: othersOf(replaceWith) }),
    ...(inputs && { inputs: rewriteValues(inputs, successors) as StoredResource["inputs"] }),
    ...(outputs && { outputs: rewriteValues(outputs, successors) as StoredResource["outputs"] }),
  };
}

/**
 * The resources in an order in which each comes after all that it refers to, otherwise as they were; the URNs of a circle
 * where there is no such order.
 */
function inOrder(
  resources: readonly StoredResource[],
): { resources: StoredResource[] } | { circle: readonly string[] } {
  const byUrn = new Map<string, StoredResource[]>();
  for (const one of resources) byUrn.set(one.urn, [...(byUrn.get(one.urn) ?? []), one]);
  const placed: StoredResource[] = [];
  const done = new Set<StoredResource>();
  const way = new Set<StoredResource>();
  let circle: readonly string[] | undefined;
  const place = (one: StoredResource): void => {
    if (done.has(one) || circle) return;
    if (way.has(one)) {
      const urns = [...way].map(({ urn }) => urn);
      circle = urns.slice(urns.indexOf(one.urn));
      return;
    }
    way.add(one);
    for (const urn of referencesOf(one)) {
      // What a replacement left behind has the URN of what took its place.
      for (const other of byUrn.get(urn) ?? []) if (other.urn !== one.urn) place(other);
    }
    way.delete(one);
    done.add(one);
    placed.push(one);
  };
  for (const one of resources) place(one);
  return circle ? { circle } : { resources: placed };
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

function namesOf(urn: string, successors: Successors): string[] {
  return successors.get(urn)?.map((one) => one.urn) ?? [urn];
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
