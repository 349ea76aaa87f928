/** An endpoint's resource id, which is also its import id, and its place. */
import { isId } from "../lib/ids";
import { UNKNOWN, type Values } from "../lib/unknown";
import { quoted } from "../lib/wording";
import { PgComputeError } from "../platform/errors";

/** The two parts of the id, `PROJECT/ENDPOINT`. */
export interface EndpointIdentity {
  projectId: string;
  endpointId: string;
}

/** A project's branch, and the type of an endpoint there. */
export interface Place {
  projectId: string;
  branchId: string;
  type: string;
}

/** The branch of a place. */
export type BranchPlace = Pick<Place, "projectId" | "branchId">;

/** Formats the resource id. */
export function formatId({ projectId, endpointId }: EndpointIdentity): string {
  return `${projectId}/${endpointId}`;
}

/** The resource id of a platform's record. */
export function idOf({ projectId, id }: { projectId: string; id: string }): string {
  return formatId({ projectId, endpointId: id });
}

/** The resource id in a state. */
export function idOfState({ projectId, endpointId }: Values): string {
  return formatId({ projectId: String(projectId), endpointId: String(endpointId) });
}

/** Parses a resource id. Throws `invalid_argument` for any form but `PROJECT/ENDPOINT`. */
export function parseId(id: string): EndpointIdentity {
  const [projectId, endpointId, ...rest] = id.split("/");
  if (rest.length === 0 && projectId && endpointId && isId(projectId) && isId(endpointId)) {
    if (endpointId.startsWith("ep-")) return { projectId, endpointId };
    throw notAnId(endpointId, "it begins with ep-, as ep-cool-rain-87654321 does");
  }
  throw notAnId(id, "write PROJECT/ENDPOINT, such as quiet-lake-12345678/ep-cool-rain-87654321");
}

/** The properties of a place. */
export const placeNames = ["projectId", "branchId", "type"] as const;

/** The place in inputs, a state or a record; undefined while unknown. */
export function placeOf(values: { projectId?: unknown; branchId?: unknown; type?: unknown }): Place | undefined {
  const { projectId, branchId, type } = values;
  const isKnown = typeof projectId === "string" && typeof branchId === "string" && typeof type === "string";
  return isKnown ? { projectId, branchId, type } : undefined;
}

/** True if the preview does not know the endpoint's project, branch or type yet. */
export function isPlaceUnknown({ projectId, branchId, type }: Parameters<typeof placeOf>[0]): boolean {
  return [projectId, branchId, type].includes(UNKNOWN);
}

/** A branch's key for maps. */
export function branchKeyOf({ projectId, branchId }: BranchPlace): string {
  return `${projectId}/${branchId}`;
}

/** True for two places on the same branch. */
export function isSameBranch(a: BranchPlace | undefined, b: BranchPlace | undefined): boolean {
  return a !== undefined && b !== undefined && a.projectId === b.projectId && a.branchId === b.branchId;
}

function notAnId(text: string, form: string): PgComputeError {
  return new PgComputeError("invalid_argument", `${quoted(text)} is not the id of an endpoint: ${form}`);
}
