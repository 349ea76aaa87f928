/**
 * Names of resources in generated programs: `r0` is an endpoint, `f0` a fleet, `f0/m1` its member. A `g-` prefix means
 * a component as the parent; `p0-m1` is an endpoint under fleet `f0` with the name `f0/m1`, like a member's.
 */

/** The provider of all resources. */
export const PROVIDER = "urn:pulumi:test::shop::pulumi:providers:pgcompute::default";

const STACK = "urn:pulumi:test::shop";
const ENDPOINT = "pgcompute:index:Endpoint";
const FLEET = `${ENDPOINT}Fleet`;
const GROUP = "shop:index:Group$";
const NESTED = /^p(\d)-(.+)$/;

/** True for a fleet. */
export function isFleet(name: string): boolean {
  return /^(g-)?f[^/]*$/.test(name);
}

/** True for a member of a fleet. */
export function isMember(name: string): boolean {
  return keyOf(name) !== undefined;
}

/** The resource that the engine knows: for a member its fleet. */
export function resourceOf(name: string): string {
  return name.split("/")[0] ?? name;
}

/** The key of a member; undefined for anything else. */
export function keyOf(name: string): string | undefined {
  return name.split("/")[1];
}

/** The URN of a resource. A member is shown with the one that a child of its fleet would have. */
export function urnOf(name: string): string {
  const nested = name.replace(NESTED, "f$1/$2");
  const parent = name.startsWith("g-") ? GROUP : "";
  const type = isMember(nested) ? `${FLEET}$${ENDPOINT}` : isFleet(name) ? FLEET : ENDPOINT;
  return `${STACK}::${parent}${type}::${nested.slice(parent === "" ? 0 : 2)}`;
}

/** The name of the resource with a URN. */
export function nameOf(urn: string): string {
  const { parent, name } = partsOf(urn);
  return urn.includes(`${FLEET}$`) ? name.replace(/^f(\d)\//, "p$1-") : `${parent}${name}`;
}

/** The name of what a row of the engine's display is about, which the call about this resource has said. */
export function nameOfRow(urn: string, resource: string): string {
  if (!urn.includes(`${FLEET}$`) || urn === resource) return nameOf(urn);
  const { parent, name } = partsOf(urn);
  return `${parent}${name}`;
}

function partsOf(urn: string): { parent: string; name: string } {
  return { parent: urn.includes(`::${GROUP}`) ? "g-" : "", name: urn.split("::").slice(3).join("::") };
}
