/** The client of the control API: each call as a request, and its answer held against what was asked. */
import type { z } from "zod";
import { type Clock, joinSignals, systemClock } from "../lib/clock";
import { ID_PATTERN, OPERATION_ID_PATTERN } from "../lib/ids";
import { cleanText } from "../lib/redact";
import { version } from "../version";
import type { Api, RequestOptions } from "./api";
import { ConfigurationError, isKind, type KeySource, PgComputeError } from "./errors";
import { parseBaseUrl } from "./http/base-url";
import { toAnswerError } from "./http/http-errors";
import { createSender, PlatformClock, type RequestEvent, type Result, unmistakable } from "./http/send";
import { type ApiRequest, createTransport, type SetTimer, type Timeouts } from "./http/transport";
import { type FetchPage, pages } from "./pages";
import type { Profile } from "./profiles/profile";
import { specification } from "./profiles/profiles";
import { RequestQueue } from "./rate-limit/request-queue";
import type { EndpointChange, EndpointRecord, OperationRecord, ProjectRecord } from "./records";
import * as wire from "./wire/answers";
import { type AskedIds, decode, encodeEndpoint } from "./wire/answers";

/** Options of `createApi`. */
export interface ApiOptions {
  /** Base address; see `parseBaseUrl`. */
  baseUrl: string;
  apiKey: string;
  /** Which platform is there. Default: the specification's. */
  profile?: Profile | undefined;
  /** Where the key came from; a 401 tells. */
  keySource?: KeySource | undefined;
  /** Default: the machine's. */
  clock?: Clock | undefined;
  /** 0 to 1; default `Math.random`. */
  random?: (() => number) | undefined;
  /** Bounds of one attempt, in milliseconds; see `Timeouts` for the defaults. */
  timeouts?: Partial<Timeouts> | undefined;
  /** What ends an attempt that takes too long. Default: the machine's `setTimeout`. */
  setTimer?: SetTimer | undefined;
  /** Largest answer that is read, in bytes. Default 256 MiB. */
  maxAnswerBytes?: number | undefined;
  /** Calls that may start in any one second. Default: no bound until the platform refuses one. */
  maxRequestsPerSecond?: number | undefined;
  /** Told of every attempt when it has ended. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Told once of each list of a project in which the platform names what is another project's. */
  onWarning?: ((message: string) => void) | undefined;
}

/** What an id in a path can stand for. */
type IdKind = "project" | "branch" | "endpoint" | "operation";

const SHOWN_LENGTH = 40;

/** Largest page of operations that the platform gives (specification, section 4.1, published). */
const MAX_PAGE_SIZE = 1_000;

/** The client of the control API (specification, section 4): one pool, retry policy and queue. Throws `ConfigurationError` for what it cannot use. */
export function createApi(options: ApiOptions): Api {
  const { url, reason } = parseBaseUrl(options.baseUrl);
  if (url === undefined) throw new ConfigurationError("baseUrl", `the base address cannot be used: ${reason}`);
  const maximum = options.maxRequestsPerSecond;
  if (maximum !== undefined && !(Number.isFinite(maximum) && maximum > 0)) {
    throw new ConfigurationError("maxRequestsPerSecond", `maxRequestsPerSecond must be above 0, not ${maximum}`);
  }
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const transport = createTransport({
    baseUrl: url,
    apiKey: options.apiKey,
    userAgent: `pulumi-pgcompute/${version}`,
    timeouts: options.timeouts,
    setTimer: options.setTimer,
    maxAnswerBytes: options.maxAnswerBytes,
  });
  const secret = options.apiKey;
  const queue = new RequestQueue({ clock, random, maxRequestsPerSecond: maximum });
  const { keySource, onRequest } = options;
  const platformClock = new PlatformClock(clock);
  const send = createSender({ transport, queue, clock, random, secret, keySource, platformClock, onRequest });
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
  const { profile = specification } = options;
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

  const api: Api = {
    isThere: async (options) => {
      try {
        await answered(projectsPage({ limit: 1 }), options);
        return true;
      } catch (error) {
        // A key that may not list projects, or a platform that asks for more, is an answer of the API as well.
        return !isKind(error, "not_found", "bad_answer", "redirect_refused");
      }
    },
    listProjects: async (orgId, options) => {
      const fetchPage: FetchPage<ProjectRecord> = (page) =>
        ask(wire.projectsAnswer, projectsPage(page, orgId), options);
      const all: ProjectRecord[] = [];
      for await (const projects of pages(fetchPage)) all.push(...projects);
      return all;
    },
    getProject: async (projectId, options) => ask(wire.projectAnswer, inProject(projectId, "read"), options),
    listBranches: async (projectId, options) =>
      ask(wire.branchesAnswer, inProject(projectId, "list the branches of", "/branches"), options),
    getBranch: async (projectId, branchId, options) =>
      ask(wire.branchAnswer, onBranch(projectId, branchId, "read"), options),
    listPreloadLibraries: async (projectId, options) => {
      const request = inProject(projectId, "list the preload libraries of", "/available_preload_libraries");
      return ask(wire.preloadLibrariesAnswer, request, options);
    },
    listEndpoints: async (projectId, options) =>
      listed(projectId, inProject(projectId, "list the endpoints of", "/endpoints"), options),
    listBranchEndpoints: async (projectId, branchId, options) =>
      listed(projectId, onBranch(projectId, branchId, "list the endpoints of", "/endpoints"), options),
    getEndpoint: async (projectId, endpointId, options) =>
      withFigures(await ask(wire.endpointAnswer, onEndpoint(projectId, endpointId, "read", "GET"), options)),
    createEndpoint: async (projectId, body, options) => {
      const place = typeof body.branchId === "string" ? `on branch ${id("branch", body.branchId)} of` : "in";
      const request = inProject(projectId, `create an endpoint ${place}`, "/endpoints", "POST");
      return changed({ ...request, makesNew: true, body: { endpoint: encodeEndpoint(body) } }, options);
    },
    updateEndpoint: async (projectId, endpointId, body, options) => {
      const request = onEndpoint(projectId, endpointId, "update", "PATCH");
      return changed({ ...request, body: { endpoint: encodeEndpoint(body) } }, options);
    },
    deleteEndpoint: async (projectId, endpointId, options) => {
      const request = onEndpoint(projectId, endpointId, "delete", "DELETE");
      const result = await answered(request, options).catch((error: unknown) => {
        if (isKind(error, "not_found")) return { status: 204, json: undefined };
        throw error;
      });
      if (result.status === 204) return { gone: true, operations: [] };
      return { gone: false, operations: read(wire.deletionAnswer, request, result.json) };
    },
    suspendEndpoint: async (projectId, endpointId, options) =>
      changed(onEndpoint(projectId, endpointId, "suspend", "POST", "/suspend"), options),
    startEndpoint: async (projectId, endpointId, options) =>
      changed(onEndpoint(projectId, endpointId, "start", "POST", "/start"), options),
    getOperation: async (projectId, operation, options) => {
      const path = `/operations/${id("operation", operation)}`;
      const request = inProject(projectId, `read operation ${operation} of`, path, "GET", { operation });
      return ask(wire.operationAnswer, request, options);
    },
    listOperations: async (projectId, page = {}, options) => {
      const request = inProject(projectId, "list the operations of", "/operations");
      return ask(wire.operationsAnswer, { ...request, query: queryOf(page) }, options);
    },
    allOperations: async function* (projectId, page, options) {
      const fetchPage: FetchPage<OperationRecord> = (wanted) => api.listOperations(projectId, wanted, options);
      for await (const operations of pages(fetchPage, { limit: page?.limit })) yield* operations;
    },
    limitUsed: () => queue.used(),
    waitingFor: () => queue.waitingFor(),
    platformTime: () => platformClock.now(),
    close: async () => {
      closing.abort();
      await transport.close();
    },
  };
  return api;
}

function decoded<T>(schema: z.ZodType<T>, request: ApiRequest, json: unknown): T {
  const result = decode(schema, json);
  if (result.ok) return result.value;
  throw toAnswerError("bad_answer", request, `the answer is not in the form that the API describes (${result.reason})`);
}

/** Requests for what is in a project. A `secret` in the place of an id is refused, and is not in the error about it. */
function createRequests(secret: string | undefined) {
  const id = (kind: IdKind, value: string) => idSegment(kind, value, secret);
  const inProject = (
    projectId: string,
    verb: string,
    rest = "",
    method: ApiRequest["method"] = "GET",
    one: Omit<AskedIds, "projectId"> = {},
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

/** The id as a segment of a path. Throws `invalid_argument` where the platform cannot have given it out: no value leads to another path. */
function idSegment(kind: IdKind, value: string, secret: string | undefined): string {
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

function queryOf({ limit, cursor }: { limit?: number; cursor?: string | undefined }): string {
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
