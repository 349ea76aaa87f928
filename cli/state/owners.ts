/** The owners of endpoints in an exported state: resources and fleets' members. */
import { idOfState } from "../../provider/endpoint/identity";
import { BOOKKEEPING, type Bookkeeping, bookkeepingOf } from "../../provider/endpoint/state";
import { memberInputs } from "../../provider/fleet/parse-fleet";
import { decodeMembers, type StoredMember } from "../../provider/fleet/state";
import { memberUrn, nameOfUrn } from "../../provider/lib/owner";
import { ownValue, type Values } from "../../provider/lib/unknown";
import { hostOf, isEndpoint } from "../hosts";
import { isSecret, reveal } from "./secrets";
import { resourcesOf, type StackExport, type StoredResource } from "./stack-export";

/** An endpoint with its owner; or a fleet or member that the export hides. */
export interface Owned {
  /** `PROJECT/ENDPOINT`; absent if hidden. */
  id?: string;
  /** The resource's URN; for a member, that of a child of its fleet. */
  owner: string;
  /** How the owner got the endpoint, if known. An imported endpoint that was later updated looks created. */
  came?: "adopted" | "imported" | "taken over";
  /** The endpoint's fate when its owner is destroyed. */
  onDestroy?: "deleted" | "released" | "kept" | "refused" | "left alone";
  /** True if the owner will not stay: left by a replacement, or about to be replaced. */
  leaves?: true;
}

/** An endpoint with its entry in the state. */
export interface Entry {
  owned: Owned;
  resource: StoredResource;
  /** The member's key in its fleet; absent for a single endpoint. */
  key?: string;
  /** A member's state and options, or a single endpoint's state. */
  member?: StoredMember;
}

/** Placeholder for a project id that the export hides. */
const HIDDEN_PROJECT = "(secret)";

/** A state's endpoints with their owners, in its order. */
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

    // With secret bookkeeping, the outputs may still be plain.
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

/** The owner's name for display, such as `previews/pr-101` for a member. */
export function nameOfOwner({ owner, leaves }: Owned): string {
  return `${nameOfUrn(owner)}${leaves ? " (leaves)" : ""}`;
}

/**
 * A resource's relation to its endpoint. A member's options come from its state: after a partial failure its inputs are
 * older.
 */
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
