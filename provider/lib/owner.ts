/**
 * Owners of endpoints (a resource or a fleet's member), and Pulumi's URNs: `urn:pulumi:STACK::PROJECT::TYPE::NAME`.
 * NAME may contain `::`.
 */

declare const brand: unique symbol;

/** An owner as a map key: a resource's URN, or a member's fleet URN and key as JSON. */
export type Owner = string & { readonly [brand]: true };

const NAME_INDEX = 3;

/** A resource as an owner. */
export function resourceOwner(urn: string): Owner {
  return urn as Owner;
}

/** A member of a fleet as an owner. */
export function memberOwner(fleetUrn: string, key: string): Owner {
  return JSON.stringify([fleetUrn, key]) as Owner;
}

/** A member's fleet and key; undefined for a resource. */
export function memberIn(owner: Owner): { fleet: string; key: string } | undefined {
  if (!owner.startsWith("[")) return undefined;
  const [fleet, key] = JSON.parse(owner) as [string, string];
  return { fleet, key };
}

/** The URN that the engine knows; for a member, its fleet's. */
export function resourceOf(owner: Owner): string {
  return memberIn(owner)?.fleet ?? owner;
}

/** The URN for display; for a member, that of a child of its fleet. */
export function shownUrn(owner: Owner): string {
  const member = memberIn(owner);
  return member ? memberUrn(member.fleet, member.key) : owner;
}

/** The name for display, such as `previews/pr-101` for a member. */
export function ownerName(owner: Owner): string {
  return nameOfUrn(shownUrn(owner));
}

/** The owner of a row. A resource with the URN of a member's row counts as the member. */
export function ownerOfRow(urn: string): Owner {
  const fleet = fleetUrnOf(urn);
  return fleet === undefined ? resourceOwner(urn) : memberOwner(fleet, urn.slice(urn.lastIndexOf("/") + 1));
}

/** The parts of an owner's endpoint names: the identity to hash and the visible name. */
export function madeFor(owner: Owner): { identity: string; name: string } {
  const name = ownerName(owner);
  if (memberIn(owner)) return { identity: owner, name };
  return { identity: fleetUrnOf(owner) === undefined ? owner : JSON.stringify([owner]), name };
}

/** The resource's name; the whole text if it is no URN. */
export function nameOfUrn(urn: string): string {
  const parts = urn.split("::");
  return parts.length > NAME_INDEX ? parts.slice(NAME_INDEX).join("::") : urn;
}

/** The resource's type without its parents' types; undefined if the text is no URN. */
export function typeOfUrn(urn: string): string | undefined {
  return urn.split("::")[NAME_INDEX - 1]?.split("$").at(-1);
}

/** The URNs of a resource by another name or its own, each with its parents and without any. */
export function urnsNamed(urn: string, name: string): string[] {
  const [stack = "", project = "", type = ""] = urn.split("::");
  const types = [type, typeOfUrn(urn) ?? ""];
  return types.flatMap((one) => [name, nameOfUrn(urn)].map((its) => [stack, project, one, its].join("::")));
}

/** The URN of the fleet in a member's URN; undefined for any other resource. */
export function fleetUrnOf(urn: string): string | undefined {
  const parts = urn.split("::");
  const types = (parts[NAME_INDEX - 1] ?? "").split("$");
  if (types.at(-2) !== `${types.at(-1)}Fleet`) return undefined;
  const name = nameOfUrn(urn);
  // A real child of a fleet has a name of its own.
  if (!name.includes("/")) return undefined;
  const fleetName = name.slice(0, name.lastIndexOf("/"));
  return [...parts.slice(0, NAME_INDEX - 1), types.slice(0, -1).join("$"), fleetName].join("::");
}

/** A member's URN: that of an endpoint that is a child of the fleet. */
export function memberUrn(fleetUrn: string, key: string): string {
  const parts = fleetUrn.split("::");
  const type = parts[NAME_INDEX - 1] ?? "";
  const endpointType = (type.split("$").at(-1) ?? "").replace(/Fleet$/, "");
  return [...parts.slice(0, NAME_INDEX - 1), `${type}$${endpointType}`, `${nameOfUrn(fleetUrn)}/${key}`].join("::");
}
