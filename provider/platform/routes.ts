/** The calls of the control API: methods, paths, and what each does in words. */
import { ID_PATTERN, OPERATION_ID_PATTERN } from "../lib/ids";
import { cleanText } from "../lib/text";
import type { EndpointBody } from "./api";
import { PgComputeError } from "./errors";
import type { ApiRequest } from "./http/request";
import type { AskedIds } from "./wire/answers";
import { encodeEndpoint } from "./wire/endpoint";

/** What an id in a path can stand for. */
export type IdKind = "project" | "branch" | "endpoint" | "operation";

const SHOWN_LENGTH = 40;

/** Largest page of operations that the platform gives (specification, section 4.1, published). */
const MAX_PAGE_SIZE = 1_000;

/** Builds the calls of the control API: methods, paths and words. Each throws `invalid_argument` for a bad id. */
export type Routes = ReturnType<typeof createRoutes>;

/**
 * The calls (specification, section 4, and what is published there). A `secret` that was given in the place of an id
 * is refused, and is not in the error about it.
 */
export function createRoutes(secret?: string | undefined) {
  const id = (kind: IdKind, value: string) => idSegment(kind, value, secret);

  const inProject = (
    projectId: string,
    rest: string,
    method: ApiRequest["method"],
    verb: string,
    one?: Omit<AskedIds, "projectId">,
  ): ApiRequest => ({
    method,
    path: `/projects/${id("project", projectId)}${rest}`,
    purpose: `${verb} project ${projectId}`,
    ids: { projectId, ...one },
  });
  const onBranch = (projectId: string, branch: string, rest: string, verb: string): ApiRequest =>
    inProject(projectId, `/branches/${id("branch", branch)}${rest}`, "GET", `${verb} branch ${branch} of`, { branch });
  const onEndpoint = (
    projectId: string,
    endpoint: string,
    method: ApiRequest["method"],
    verb: string,
    action: string = "",
  ): ApiRequest => {
    const rest = `/endpoints/${id("endpoint", endpoint)}${action}`;
    return inProject(projectId, rest, method, `${verb} endpoint ${endpoint} of`, { endpoint });
  };

  const placeOf = (branchId: unknown): string =>
    typeof branchId === "string" ? `on branch ${id("branch", branchId)} of` : "in";

  return {
    listProjects: (limit: number, cursor: string | undefined, orgId: string | undefined): ApiRequest => {
      const query = new URLSearchParams({ limit: String(limit) });
      if (cursor !== undefined) query.set("cursor", cursor);
      if (orgId !== undefined) query.set("org_id", orgId);
      return { method: "GET", path: "/projects", purpose: "list the projects", query: query.toString() };
    },
    listBranches: (projectId: string) => inProject(projectId, "/branches", "GET", "list the branches of"),
    getBranch: (projectId: string, branchId: string) => onBranch(projectId, branchId, "", "read"),
    listEndpoints: (projectId: string) => inProject(projectId, "/endpoints", "GET", "list the endpoints of"),
    listBranchEndpoints: (projectId: string, branchId: string) =>
      onBranch(projectId, branchId, "/endpoints", "list the endpoints of"),
    getEndpoint: (projectId: string, endpointId: string) => onEndpoint(projectId, endpointId, "GET", "read"),
    createEndpoint: (projectId: string, body: EndpointBody): ApiRequest => ({
      ...inProject(projectId, "/endpoints", "POST", `create an endpoint ${placeOf(body.branchId)}`),
      makesNew: true,
      body: { endpoint: encodeEndpoint(body) },
    }),
    updateEndpoint: (projectId: string, endpointId: string, body: EndpointBody): ApiRequest => ({
      ...onEndpoint(projectId, endpointId, "PATCH", "update"),
      body: { endpoint: encodeEndpoint(body) },
    }),
    deleteEndpoint: (projectId: string, endpointId: string) => onEndpoint(projectId, endpointId, "DELETE", "delete"),
    suspendEndpoint: (projectId: string, endpointId: string) =>
      onEndpoint(projectId, endpointId, "POST", "suspend", "/suspend"),
    startEndpoint: (projectId: string, endpointId: string) =>
      onEndpoint(projectId, endpointId, "POST", "start", "/start"),
    getOperation: (projectId: string, operation: string) => {
      const rest = `/operations/${id("operation", operation)}`;
      return inProject(projectId, rest, "GET", `read operation ${operation} of`, { operation });
    },
    listOperations: (projectId: string, limit: number | undefined, cursor: string | undefined): ApiRequest => {
      const call = inProject(projectId, "/operations", "GET", "list the operations of");
      const query = pageQuery(limit, cursor);
      return query === "" ? call : { ...call, query };
    },
  };
}

/**
 * The id as a segment of a path. Throws `invalid_argument`, naming which id it is, when the platform cannot have given
 * it out, so that no value can lead to another path.
 */
export function idSegment(kind: IdKind, value: string, secret?: string | undefined): string {
  const pattern = kind === "operation" ? OPERATION_ID_PATTERN : ID_PATTERN;
  const isSecret = secret !== undefined && typeof value === "string" && value.includes(secret);
  if (typeof value === "string" && pattern.test(value) && !isSecret) return encodeURIComponent(value);
  const form =
    kind === "operation" ? "1 to 64 letters, digits and dashes" : "1 to 60 lower-case letters, digits and dashes";
  throw new PgComputeError(
    "invalid_argument",
    `${shown(value, secret)} cannot be the id of ${kind === "project" || kind === "branch" ? "a" : "an"} ${kind}: ` +
      `an id has ${form}. No call was made; correct the id.`,
  );
}

function shown(value: unknown, secret: string | undefined): string {
  if (typeof value !== "string") return `a value of type ${typeof value}`;
  return value === "" ? "the empty text" : JSON.stringify(cleanText(value, SHOWN_LENGTH, secret));
}

function pageQuery(limit: number | undefined, cursor: string | undefined): string {
  const query = new URLSearchParams();
  if (limit !== undefined) {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE) {
      const reason = `a page has 1 to ${MAX_PAGE_SIZE} operations, not ${limit}. No call was made; correct the limit.`;
      throw new PgComputeError("invalid_argument", reason);
    }
    query.set("limit", String(limit));
  }
  if (cursor !== undefined) query.set("cursor", cursor);
  return query.toString();
}
