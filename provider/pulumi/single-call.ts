/** Calls without a run around them: `pulumi do --stateless` creates, reads, changes and deletes one resource, and keeps no state. */
import { type Owner, resourceOwner } from "../lib/owner";

/** Every such call has the same URN, whichever endpoint it is about: stack and project are made up, and the name is the type's. */
const MADE_UP = /^urn:pulumi:dev::default::pgcompute:index:(Endpoint|EndpointFleet)::\1(?:\/[0-9a-f]+)?$/;

/** True for the owner of a single call. */
export function isSingleCall(owner: Owner | undefined): boolean {
  return owner !== undefined && MADE_UP.test(owner);
}

/**
 * The owner of a call's endpoint. Of a single call it is one that no other call has: by the URN alone, what an earlier one has
 * created would be taken for a leftover of this one.
 */
export function ownerOfCall(urn: string, process: string): Owner {
  return resourceOwner(MADE_UP.test(urn) ? `${urn}/${process}` : urn);
}
