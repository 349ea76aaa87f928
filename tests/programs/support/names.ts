/** How the resources of generated programs are named: `r0` is an endpoint, `f0` a fleet, and `f0/m1` a member of it. */
import { memberOwner, type Owner, ownerName, resourceOwner } from "../../../provider/lib/owner";
import { urnOf as endpointUrn } from "../../support/bench";

/** True for a fleet. */
export function isFleet(name: string): boolean {
  return name.startsWith("f") && !name.includes("/");
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
  return isFleet(name) ? resourceOwner(endpointUrn(name).replace("Endpoint", "EndpointFleet")) : endpointUrn(name);
}

/** The name of an owner. */
export function nameOf(owner: Owner): string {
  return ownerName(owner);
}
