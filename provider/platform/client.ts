/** The client of the control API: each call as a request, and its answer held against what was asked. */
import type { z } from "zod";
import { joinSignals, systemClock } from "../lib/clock";
import { ID_PATTERN, OPERATION_ID_PATTERN } from "../lib/ids";
import { cleanText } from "../lib/redact";
import { version } from "../version";
import type { RequestOptions } from "./api";
import { ConfigurationError, isKind, PgComputeError } from "./errors";
import { parseBaseUrl } from "./http/base-url";
import { toAnswerError } from "./http/http-errors";
import { createSender, PlatformClock, type Result, type SendOptions, unmistakable } from "./http/send";
import { type ApiRequest, createTransport, type TransportOptions } from "./http/transport";
import { type FetchPage, pages } from "./pages";
import type { Profile } from "./profiles/profile";
import { specification } from "./profiles/profiles";
import { type QueueOptions, RequestQueue } from "./rate-limit/request-queue";
import type { EndpointBody, EndpointChange, EndpointRecord, OperationRecord, Page, ProjectRecord } from "./records";
import * as wire from "./wire/answers";

/** Options of `createApi`: what it may leave out of the transport, the queue and the sender is said there. */
export interface ApiOptions
  extends Pick<TransportOptions, "apiKey" | "timeouts" | "setTimer" | "maxAnswerBytes">,
    Partial<QueueOptions>,
    Pick<SendOptions, "keySource" | "onRequest"> {
  /** Base address; see `parseBaseUrl`. */
  baseUrl: string;
  /** Which platform is there. Default: the specification's. */
  profile?: Profile | undefined;
  /** Told once of each list of a project in which the platform names what is another project's. */
  onWarning?: ((message: string) => void) | undefined;
}

const SHOWN_LENGTH = 40;

/** The client of the control API (specification, section 4): one pool, retry policy and queue. Throws `ConfigurationError` for what it cannot use. */
export function createApi(options: ApiOptions) {
  const { url, reason } = parseBaseUrl(options.baseUrl);
  if (url === undefined) throw new ConfigurationError("baseUrl", `the base address cannot be used: ${reason}`);
  const { clock = systemClock, random = Math.random, profile = specification, apiKey: secret } = options;
  const transport = createTransport({ ...options, baseUrl: url, userAgent: `pulumi-pgcompute/${version}` });
  const queue = new RequestQueue({ ...options, clock, random });
  const platformClock = new PlatformClock(clock);
  const send = createSender({ ...options, transport, queue, clock, random, secret, platformClock });
  const closing = new AbortController();

  const answered = async (request: ApiRequest, options?: RequestOptions): Promise<Result> => {
    const { signal: own, ...bounds } = options ?? {};
    const joined = joinSignals(closing.signal, own);
    try {
      // An interrupted change may have been made: its answer, which alone tells the new id, is still waited for.
      const sending = request.method === "GET" ? joined.signal : closing.signal;
      return await send(request, { ...bounds, signal: joined.signal, sending });
    } finally {
      joined.release();
    }
  };
  const ask = async <T>(schema: z.ZodType<T>, request: ApiRequest, options?: RequestOptions): Promise<T> =>
    read(schema, request, (await answered(request, options)).json);
  const warned = new Set<string>();
  /** Every answer comes through here: what it says is of what was asked for, and in the form that the API describes. */
  const read = <T>(schema: z.ZodType<T>, request: ApiRequest, json: unknown): T => {
    if (request.ids === undefined) return decoded(schema, request, json);
    const held = wire.holdIds(json, request.ids, request.method === "GET");
    if (!held.ok) {
      throw toAnswerError(
        "bad_answer",
        request,
        `the platform told of something that was not asked for (${held.reason})`,
      );
    }
    const { leftOut } = held.value;
    const which = `the ${leftOut?.list} that the platform listed for project ${request.ids.projectId}`;
    if (leftOut && !warned.has(which)) {
      warned.add(which);
      options.onWarning?.(
        `${leftOut.count} of ${which} ${leftOut.count === 1 ? "is" : "are"} of another project, and left out`,
      );
    }
    const value = decoded(schema, request, held.value.json);
    // How long a page is tells whether it is the last one.
    if (leftOut && typeof value === "object" && value !== null && "items" in value)
      return { ...value, leftOut: leftOut.count };
    return value;
  };
  const { inProject, onBranch, onEndpoint, id } = createRequests(unmistakable(secret));
  const projectsPage = (page: { limit: number; cursor?: string | undefined }, orgId?: string): ApiRequest => ({
    ...({ method: "GET", path: "/projects", purpose: "list the projects" } as const),
    query: `${queryOf(page)}${orgId === undefined ? "" : `&${new URLSearchParams([["org_id", orgId]])}`}`,
  });
  const withFigures = (record: EndpointRecord): EndpointRecord => {
    const maxConnections = profile.maxConnections(record.autoscalingLimitMinCu, record.autoscalingLimitMaxCu);
    return maxConnections === undefined ? record : { ...record, maxConnections };
  };
  const listed = async (projectId: string, request: ApiRequest, options?: RequestOptions) =>
    (await ask(wire.endpointsAnswer(projectId), request, options)).map(withFigures);
  const changed = async (request: ApiRequest, options?: RequestOptions): Promise<EndpointChange> => {
    const { endpoint, operations } = await ask(wire.changeAnswer, request, options);
    return { endpoint: withFigures(endpoint), operations };
  };

  /** One page, most recent first; `limit` 1 to 1000. `cursor` is that of the page before. */
  const listOperations = (
    projectId: string,
    page: { limit?: number; cursor?: string | undefined } = {},
    options?: RequestOptions,
  ): Promise<Page<OperationRecord>> => {
    const request = inProject(projectId, "list the operations of", "/operations");
    return ask(wire.operationsAnswer, { ...request, query: queryOf(page) }, options);
  };

  return {
    /** False where the base address is not that of the API: nothing there knows a list of projects (404). */
    isThere: async (options?: RequestOptions) => {
      try {
        await answered(projectsPage({ limit: 1 }), options);
        return true;
      } catch (error) {
        // A key that may not list projects, or a platform that asks for more, is an answer of the API as well.
        return !isKind(error, "not_found", "bad_answer", "redirect_refused");
      }
    },
    /** Every project of the key's own account, or of the organisation that is named. */
    listProjects: async (orgId?: string, options?: RequestOptions) => {
      const fetchPage: FetchPage<ProjectRecord> = (page) =>
        ask(wire.projectsAnswer, projectsPage(page, orgId), options);
      const all: ProjectRecord[] = [];
      for await (const projects of pages(fetchPage)) all.push(...projects);
      return all;
    },
    getProject: async (projectId: string, options?: RequestOptions) =>
      ask(wire.projectAnswer, inProject(projectId, "read"), options),
    listBranches: async (projectId: string, options?: RequestOptions) =>
      ask(wire.branchesAnswer, inProject(projectId, "list the branches of", "/branches"), options),
    getBranch: async (projectId: string, branchId: string, options?: RequestOptions) =>
      ask(wire.branchAnswer, onBranch(projectId, branchId, "read"), options),
    /** The names of the libraries that the project's endpoints can load at their start. */
    listPreloadLibraries: async (projectId: string, options?: RequestOptions) => {
      const request = inProject(projectId, "list the preload libraries of", "/available_preload_libraries");
      return ask(wire.preloadLibrariesAnswer, request, options);
    },
    listEndpoints: async (projectId: string, options?: RequestOptions) =>
      listed(projectId, inProject(projectId, "list the endpoints of", "/endpoints"), options),
    listBranchEndpoints: async (projectId: string, branchId: string, options?: RequestOptions) =>
      listed(projectId, onBranch(projectId, branchId, "list the endpoints of", "/endpoints"), options),
    getEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) =>
      withFigures(await ask(wire.endpointAnswer, onEndpoint(projectId, endpointId, "read", "GET"), options)),
    createEndpoint: async (projectId: string, body: EndpointBody, options?: RequestOptions) => {
      const place = typeof body.branchId === "string" ? `on branch ${id("branch", body.branchId)} of` : "in";
      const request = inProject(projectId, `create an endpoint ${place}`, "/endpoints", "POST");
      return changed({ ...request, makesNew: true, body: { endpoint: wire.encodeEndpoint(body) } }, options);
    },
    updateEndpoint: async (projectId: string, endpointId: string, body: EndpointBody, options?: RequestOptions) => {
      const request = onEndpoint(projectId, endpointId, "update", "PATCH");
      return changed({ ...request, body: { endpoint: wire.encodeEndpoint(body) } }, options);
    },
    /** An already deleted endpoint (204 or 404) answers `gone: true` and no operations. */
    deleteEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) => {
      const request = onEndpoint(projectId, endpointId, "delete", "DELETE");
      const result = await answered(request, options).catch((error: unknown) => {
        if (isKind(error, "not_found")) return { status: 204, json: undefined };
        throw error;
      });
      if (result.status === 204) return { gone: true, operations: [] };
      return { gone: false, operations: read(wire.deletionAnswer, request, result.json) };
    },
    suspendEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) =>
      changed(onEndpoint(projectId, endpointId, "suspend", "POST", "/suspend"), options),
    startEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) =>
      changed(onEndpoint(projectId, endpointId, "start", "POST", "/start"), options),
    getOperation: async (projectId: string, operation: string, options?: RequestOptions) => {
      const path = `/operations/${id("operation", operation)}`;
      const request = inProject(projectId, `read operation ${operation} of`, path, "GET", { operation });
      return ask(wire.operationAnswer, request, options);
    },
    listOperations,
    /** All operations, most recent first, page by page until one of the four signs of a last page. */
    async *allOperations(projectId: string, { limit }: { limit?: number } = {}, options?: RequestOptions) {
      const fetchPage: FetchPage<OperationRecord> = (page) => listOperations(projectId, page, options);
      for await (const operations of pages(fetchPage, { limit })) yield* operations;
    },
    /** The share of the account's rate limit that the last minute's requests have used, as far as the limit is known. */
    limitUsed: () => queue.used(),
    /** What holds requests back at this moment, such as `the account's rate limit`; undefined where none waits for its turn. */
    waitingFor: () => queue.waitingFor(),
    /** The platform's time in milliseconds, as its answers tell it: 1 s and an answer's way behind at most, never ahead. Undefined before one has. */
    platformTime: () => platformClock.now(),
    /** Closes the connection pool; calls under way end with `CancelledError`. */
    close: async () => {
      closing.abort();
      await transport.close();
    },
  };
}

function decoded<T>(schema: z.ZodType<T>, request: ApiRequest, json: unknown): T {
  const result = wire.decode(schema, json);
  if (result.ok) return result.value;
  throw toAnswerError("bad_answer", request, `the answer is not in the form that the API describes (${result.reason})`);
}

/** Requests for what is in a project. A `secret` in the place of an id is refused, and is not in the error about it. */
function createRequests(secret: string | undefined) {
  /** The id as a segment of a path. Throws `invalid_argument` where the platform cannot have given it out: no value leads to another path. */
  const id = (kind: "project" | "branch" | "endpoint" | "operation", value: string) => {
    const pattern = kind === "operation" ? OPERATION_ID_PATTERN : ID_PATTERN;
    const isSecret = secret !== undefined && value.includes(secret);
    if (pattern.test(value) && !isSecret) return encodeURIComponent(value);
    const shown = value === "" ? "the empty text" : JSON.stringify(cleanText(value, SHOWN_LENGTH, secret));
    const form =
      kind === "operation" ? "1 to 64 letters, digits and dashes" : "1 to 60 lower-case letters, digits and dashes";
    throw new PgComputeError(
      "invalid_argument",
      `${shown} cannot be the id of ${kind === "project" || kind === "branch" ? "a" : "an"} ${kind}: ` +
        `an id has ${form}. No call was made; correct the id.`,
    );
  };
  const inProject = (
    projectId: string,
    verb: string,
    rest = "",
    method: ApiRequest["method"] = "GET",
    one: Omit<wire.AskedIds, "projectId"> = {},
  ): ApiRequest => ({
    method,
    path: `/projects/${id("project", projectId)}${rest}`,
    purpose: `${verb} project ${projectId}`,
    ids: { projectId, ...one },
  });
  const onBranch = (projectId: string, branch: string, verb: string, rest = ""): ApiRequest => {
    const path = `/branches/${id("branch", branch)}${rest}`;
    return inProject(projectId, `${verb} branch ${branch} of`, path, "GET", { branch });
  };
  const onEndpoint = (
    projectId: string,
    endpoint: string,
    verb: string,
    method: ApiRequest["method"],
    rest = "",
  ): ApiRequest => {
    const path = `/endpoints/${id("endpoint", endpoint)}${rest}`;
    return inProject(projectId, `${verb} endpoint ${endpoint} of`, path, method, { endpoint });
  };
  return { id, inProject, onBranch, onEndpoint };
}

function queryOf({ limit, cursor }: { limit?: number; cursor?: string | undefined }): string {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set("limit", String(limit));
  if (cursor !== undefined) query.set("cursor", cursor);
  return query.toString();
}
