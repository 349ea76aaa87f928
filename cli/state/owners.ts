/** Owners of endpoints in an exported state: resources, and members of fleets. */
import { idOfState } from "../../provider/endpoint/identity";
import { BOOKKEEPING, type Bookkeeping, bookkeepingOf } from "../../provider/endpoint/state";
import { memberInputs } from "../../provider/fleet/parse-fleet";
import { decodeMembers, type StoredMember } from "../../provider/fleet/state";
import { memberUrn, nameOfUrn } from "../../provider/lib/owner";
import { ownValue, type Values } from "../../provider/lib/unknown";
import { hostOf, isEndpoint } from "../hosts";
import { isSecret, reveal } from "./secrets";
import { resourcesOf, type StackExport, type StoredResource } from "./stack-export";

/** An endpoint and its owner; or a fleet, or a member, that the export does not show. */
export interface Owned {
  /** `PROJECT/ENDPOINT`; absent for what is not shown. */
  id?: string;
  /** The URN of the resource; for a member, the one that a child of its fleet would have. */
  owner: string;
  /** How the owner got the endpoint, if the state shows it. An imported endpoint that was updated later looks created. */
  came?: "adopted" | "imported" | "taken over";
  /** The endpoint's fate when its owner is destroyed. */
  onDestroy?: "deleted" | "released" | "kept" | "refused" | "left alone";
  /** Why its owner will not stay: a replacement left it, or it is to be replaced. */
  leaves?: true;
}

/** An endpoint of a state, and the entry that has it. */
export interface Entry {
  owned: Owned;
  resource: StoredResource;
  /** The member's key in its fleet; absent for a single endpoint. */
  key?: string;
  /** The member's state and options; of a single endpoint its state. */
  member?: StoredMember;
}

/** Placeholder for a project id that the export hides. */
export const HIDDEN_PROJECT = "(secret)";

/** The endpoints of a state with their owners, in its order. */
export function entriesIn(state: StackExport): Entry[] {
  return resourcesOf(state).flatMap((resource): Entry[] => {
    const { urn, type, id } = resource;
    if (!hostOf(type)) return [];
    const outputs = reveal(resource.outputs ?? {}) as Values;
    if (isEndpoint(type)) {
      const member = { state: outputs };
      return id ? [{ owned: { id, owner: urn, ...standing(resource, member) }, resource, member }] : [];
    }
    if (isSecret(outputs.endpoints)) return [{ owned: { owner: urn }, resource }];
    // Where the rest of the members is secret, their outputs are not.
    const members = decodeMembers(isSecret(outputs[BOOKKEEPING]) ? { endpoints: outputs.endpoints } : outputs);
    const inputs = reveal(resource.inputs ?? {}) as Values;
    return [...members].flatMap(([key, member]) => {
      const { projectId = memberInputs(inputs, key)?.projectId ?? inputs.projectId, endpointId } = member.state;
      if (endpointId === undefined) {
        const isHidden = isSecret(ownValue(outputs.endpoints, key));
        return isHidden ? [{ owned: { owner: memberUrn(urn, key) }, resource, key }] : [];
      }
      const id = idOfState({ projectId: isSecret(projectId) ? HIDDEN_PROJECT : projectId, endpointId });
      const owned = { id, owner: memberUrn(urn, key), ...standing(resource, member) };
      return [{ owned, resource, key, member }];
    });
  });
}

/** The owner's name for people: `previews/pr-101` for a member. */
export function nameOfOwner({ owner, leaves }: Owned): string {
  return `${nameOfUrn(owner)}${leaves ? " (leaves)" : ""}`;
}

/** A resource's standing towards its endpoint. A member's options come from its state: after a partial failure its inputs are older. */
function standing(resource: StoredResource, member: StoredMember): Omit<Owned, "id" | "owner"> {
  const came = cameBy(bookkeepingOf(member.state), member);
  const leaves = resource.delete || resource.pendingReplacement;
  return { ...(came && { came }), onDestroy: fateOf(resource, member), ...(leaves && { leaves }) };
}

function cameBy({ adopted, imported }: Bookkeeping, { importId }: StoredMember): Owned["came"] {
  if (adopted) return "adopted";
  if (imported) return "imported";
  return importId === undefined ? undefined : "taken over";
}

function fateOf(
  resource: StoredResource,
  { state, protect, retainOnDelete }: StoredMember,
): Owned["onDestroy"] & string {
  if (resource.external) return "left alone";
  if (resource.protect || protect) return "refused";
  if (resource.retainOnDelete || retainOnDelete) return "kept";
  return bookkeepingOf(state).adopted ? "released" : "deleted";
}
