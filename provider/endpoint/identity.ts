/** Ids of endpoints as resources have them: written from a record or a state, and read. */
import { isId } from "../lib/ids";
import { PgComputeError } from "../platform/errors";

/** The resource id, `PROJECT/ENDPOINT`, which is also what import takes. */
export interface EndpointIdentity {
  projectId: string;
  endpointId: string;
}

/** Writes the resource id. */
export function formatId({ projectId, endpointId }: EndpointIdentity): string {
  return `${projectId}/${endpointId}`;
}

/** The resource id of an endpoint as the platform has it. */
export function idOf({ projectId, id }: { projectId: string; id: string }): string {
  return formatId({ projectId, endpointId: id });
}

/** The resource id of an endpoint as a state has it. */
export function idOfState({ projectId, endpointId }: Readonly<Record<string, unknown>>): string {
  return formatId({ projectId: String(projectId), endpointId: String(endpointId) });
}

/** Reads a resource id; throws `invalid_argument` for anything that is not `PROJECT/ENDPOINT`. */
export function parseId(id: string): EndpointIdentity {
  const [projectId, endpointId, ...rest] = id.split("/");
  if (rest.length === 0 && projectId && endpointId && isId(projectId) && isId(endpointId)) {
    if (endpointId.startsWith("ep-")) return { projectId, endpointId };
  }
  const shown = JSON.stringify(id.length > 80 ? `${id.slice(0, 77)}...` : id);
  throw new PgComputeError(
    "invalid_argument",
    `${shown} is not the id of an endpoint: write PROJECT/ENDPOINT, such as quiet-lake-12345678/ep-cool-rain-87654321`,
  );
}
