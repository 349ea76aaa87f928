/** The dependencies within a state, whose order is one of them: what depends on another comes after it. */
import { isDeepStrictEqual } from "node:util";
import { type Goal, needsOf, Reference, type Resource } from "./resource";

/** What a resource depends on directly, its parent and its provider among them. */
export function dependenciesOf(all: readonly Resource[], one: Resource): Resource[] {
  const urns = new Set(needsOf(one));
  if (one.provider !== undefined) urns.add(one.provider);
  return all.slice(0, all.indexOf(one)).filter(({ urn }) => urns.has(urn));
}

/** What depends on a resource, directly or not, in the state's order; its children where `withChildren`. */
export function dependentsOf(
  all: readonly Resource[],
  one: Resource,
  { ignored, withChildren }: { ignored: ReadonlySet<string>; withChildren: boolean },
): Resource[] {
  const met = new Set([one.urn]);
  return all.slice(all.indexOf(one) + 1).filter((next) => {
    if (ignored.has(next.urn)) return false;
    const childless = { ...next, parent: undefined };
    const urns = needsOf(withChildren ? next : childless);
    const depends = urns.some((urn) => met.has(urn)) || (next.provider !== undefined && met.has(next.provider));
    if (depends) met.add(next.urn);
    return depends;
  });
}

/** What a resource depends on, directly or not. Of an old half and a new one, each depends on its like. */
export function allDependenciesOf(all: readonly Resource[], one: Resource): Set<Resource> {
  const lookUp = (from: Resource, urn: string) => {
    const found = all.filter((other) => other.urn === urn);
    const like = found.filter((other) => other.isPendingDelete === from.isPendingDelete);
    return like.at(-1) ?? found.at(-1);
  };
  const met = new Set<Resource>();
  const open = [one];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const urn of [...needsOf(next), ...(next.provider === undefined ? [] : [next.provider])]) {
      const found = lookUp(next, urn);
      if (!found || met.has(found)) continue;
      met.add(found);
      open.push(found);
    }
  }
  met.delete(one);
  return met;
}

/**
 * True where all that resources need comes before them, and no two that live have one URN. The engine writes no other
 * state without an error.
 */
export function isWhole(all: readonly Resource[]): boolean {
  const met = new Set<string>();
  const living = new Set<string>();
  return all.every((one) => {
    if (!one.isPendingDelete && living.has(one.urn)) return false;
    if (!one.isPendingDelete) living.add(one.urn);
    met.add(one.urn);
    const needed = one.provider === undefined ? needsOf(one) : [...needsOf(one), one.provider];
    return needed.every((urn) => met.has(urn));
  });
}

/** Groups of deletes, each to be done before the next begins: what depends on others goes first. */
export function deleteOrder(all: readonly Resource[], condemned: readonly Resource[]): Resource[][] {
  const left = new Set(condemned);
  const groups: Resource[][] = [];
  while (left.size > 0) {
    const group = [...left].filter((one) => !dependenciesOf(all, one).some((other) => left.has(other)));
    for (const one of group) left.delete(one);
    groups.unshift(group);
  }
  return groups;
}

/** What resources need by a former name, by the name that it has now. */
export function renamed(state: readonly Resource[]): Resource[] {
  const names = new Map(state.flatMap(({ urn, formerUrn }) => (formerUrn === undefined ? [] : [[formerUrn, urn]])));
  if (names.size === 0) return [...state];
  const now = (urn: string) => names.get(urn) ?? urn;
  return state.map(({ formerUrn: _, ...one }) => {
    const needs = Object.entries(one.propertyDependencies).map(([name, urns]) => [name, urns.map(now)] as const);
    const parent = one.parent === undefined ? undefined : now(one.parent);
    const dependencies = [...new Set(one.dependencies.map(now))];
    const urn = now(one.urn);
    return { ...one, urn, parent, dependencies, propertyDependencies: Object.fromEntries(needs) };
  });
}

/** Takes out what resources need and a refresh did not find; the children of such a one have no parent any more. */
export function undangled(left: readonly Resource[]): Resource[] {
  const met = new Set<string>();
  const isThere = new Set(left.map(({ urn }) => urn));
  return left.map((one) => {
    const known = (urns: readonly string[]) => urns.filter((urn) => met.has(urn));
    const parent = one.parent !== undefined && isThere.has(one.parent) ? one.parent : undefined;
    const entries = Object.entries(one.propertyDependencies).map(([name, urns]) => [name, known(urns)] as const);
    const propertyDependencies = Object.fromEntries(entries.filter(([, urns]) => urns.length > 0));
    met.add(one.urn);
    const now = { ...one, parent, dependencies: known(one.dependencies), propertyDependencies };
    return isDeepStrictEqual(now, one) ? one : now;
  });
}

/** What a goal waits for before it is registered. */
export function waitsFor({ parent, provider, dependsOn = [], inputs }: Goal): string[] {
  const values = Object.values(inputs).flatMap((value) => (value instanceof Reference ? [value.urn] : []));
  return [parent, provider, ...dependsOn, ...values].filter((urn) => urn !== undefined);
}
