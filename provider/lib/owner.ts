/** Owners of endpoints (a resource, or a member of a fleet) and Pulumi's names of resources: `urn:pulumi:STACK::PROJECT::TYPE::NAME`, where NAME may hold `::`. */

declare const brand: unique symbol;

/** An owner as a value that keys a map: a resource's URN; for a member, its fleet's URN and its key in a form that no URN has. */
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

/** The fleet and the key of a member; undefined for a resource. */
export function memberIn(owner: Owner): { fleet: string; key: string } | undefined {
  if (!owner.startsWith("[")) return undefined;
  const [fleet, key] = JSON.parse(owner) as [string, string];
  return { fleet, key };
}

/** The URN of the resource that the engine knows: of a member its fleet's. */
export function resourceOf(owner: Owner): string {
  return memberIn(owner)?.fleet ?? owner;
}

/** The URN to show: of a member the one that a child of its fleet would have. */
export function shownUrn(owner: Owner): string {
  const member = memberIn(owner);
  return member ? memberUrn(member.fleet, member.key) : owner;
}

/** The name to show: `previews/pr-101` for a member. */
export function ownerName(owner: Owner): string {
  return nameOfUrn(shownUrn(owner));
}

/** The owner that a row shows. A resource with the URN of a member's row is taken for the member. */
export function ownerOfRow(urn: string): Owner {
  const fleet = fleetUrnOf(urn);
  return fleet === undefined ? resourceOwner(urn) : memberOwner(fleet, urn.slice(urn.lastIndexOf("/") + 1));
}

/**
 * The parts of the names of an owner's endpoints: the identity that is hashed, and the name to show. A resource with the URN of a
 * member's row has an identity of its own, so that no name is read as another's.
 */
export function madeFor(owner: Owner): { identity: string; name: string } {
  const name = ownerName(owner);
  if (memberIn(owner)) return { identity: owner, name };
  return { identity: fleetUrnOf(owner) === undefined ? owner : JSON.stringify([owner]), name };
}

/** The resource's name; the whole text where it is no URN. */
export function nameOfUrn(urn: string): string {
  const parts = urn.split("::");
  return parts.length > NAME_INDEX ? parts.slice(NAME_INDEX).join("::") : urn;
}

/** The resource's own type, without those of its parents; undefined where the text is no URN. */
export function typeOfUrn(urn: string): string | undefined {
  return urn.split("::")[NAME_INDEX - 1]?.split("$").at(-1);
}

/** The URN of a resource of another name, of the same type and under the same parent type. */
export function siblingUrn(urn: string, name: string): string {
  return [...urn.split("::").slice(0, NAME_INDEX), name].join("::");
}

/** The fleet that a member belongs to, by the member's URN; undefined for any other resource. */
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

/** The URN that an endpoint would have as a child of a fleet: it keys what is known and said of one member. */
export function memberUrn(fleetUrn: string, key: string): string {
  const parts = fleetUrn.split("::");
  const type = parts[NAME_INDEX - 1] ?? "";
  const endpointType = (type.split("$").at(-1) ?? "").replace(/Fleet$/, "");
  return [...parts.slice(0, NAME_INDEX - 1), `${type}$${endpointType}`, `${nameOfUrn(fleetUrn)}/${key}`].join("::");
}
