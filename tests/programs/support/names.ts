/** How the resources of generated programs are named: `r0` is an endpoint, `f0` a fleet, and `f0/m1` a member of it. */
import { memberUrn } from "../../../provider/lib/urn";
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

/** The URN of a resource, or of a member. */
export function urnOf(name: string): string {
  const key = keyOf(name);
  if (key !== undefined) return memberUrn(urnOf(resourceOf(name)), key);
  return isFleet(name) ? endpointUrn(name).replace("Endpoint", "EndpointFleet") : endpointUrn(name);
}

/** The name in a URN. */
export function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? urn;
}
