/**
 * Names of resources in generated programs: `r0` is an endpoint, `f0` a fleet, `f0/m1` its member. A `g-` prefix means
 * a component as the parent; `p0-m1` is an endpoint under fleet `f0` with the name `f0/m1`, like a member's.
 */
import {
  fleetUrnOf,
  memberIn,
  memberOwner,
  memberUrn,
  type Owner,
  ownerName,
  resourceOwner,
} from "../../provider/lib/owner";
import { urnOf as endpointUrn } from "../support/bench";

/** The provider of all resources. */
export const PROVIDER = "urn:pulumi:test::shop::pulumi:providers:pgcompute::default";

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

/** A resource, which is its URN, or a member, as an owner. */
export function urnOf(name: string): Owner {
  const key = keyOf(name);
  if (key !== undefined) return memberOwner(urnOf(resourceOf(name)), key);
  const [, fleet, nested = ""] = NESTED.exec(name) ?? [];
  if (fleet !== undefined) return resourceOwner(memberUrn(urnOf(`f${fleet}`), nested));
  if (name.startsWith("g-")) return resourceOwner(urnOf(name.slice(2)).replace("pgcompute:", `${GROUP}pgcompute:`));
  return isFleet(name) ? resourceOwner(endpointUrn(name).replace("Endpoint", "EndpointFleet")) : endpointUrn(name);
}

/** The name of an owner. */
export function nameOf(owner: Owner): string {
  const name = ownerName(owner);
  const isNested = !memberIn(owner) && fleetUrnOf(owner) !== undefined;
  return isNested ? name.replace(/^f(\d)\//, "p$1-") : `${owner.includes(`::${GROUP}`) ? "g-" : ""}${name}`;
}
