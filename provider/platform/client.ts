/** The client of the control API: builds each request and checks that its answer is about the requested objects. */
import type { z } from "zod";
import { systemClock } from "../lib/clock";
import { ID_PATTERN, OPERATION_ID_PATTERN } from "../lib/ids";
import { cleanText, unmistakable, withoutKey } from "../lib/redact";
import { version } from "../version";
import { isKind, PgComputeError } from "./errors";
import { parseBaseUrl } from "./http/base-url";
import { toAnswerError } from "./http/http-errors";
import type { ApiRequest, RequestOptions } from "./http/request";
import { type QueueOptions, RequestQueue } from "./http/request-queue";
import { createSender, type Result, type SendOptions } from "./http/send";
import { createTransport, type TransportOptions } from "./http/transport";
import { lists } from "./policy";
import type { Profile } from "./profiles/profile";
import { specification } from "./profiles/profiles";
import type { EndpointBody, EndpointChange, EndpointRecord, OperationRecord, Page } from "./records";
import * as wire from "./wire/answers";

/** Options of `createApi`. The transport, the queue and the sender document their defaults. */
export interface ApiOptions
  extends Pick<TransportOptions, "apiKey" | "timeouts" | "setTimer" | "maxAnswerBytes">,
    Partial<QueueOptions>,
    Pick<SendOptions, "keySource" | "plan" | "onRequest"> {
  /** Base address; see `parseBaseUrl`. */
  baseUrl: string;
  /** The platform's profile. Default: the specification's. */
  profile?: Profile | undefined;
  /** Called once for each list of a project that contains another project's records. */
  onWarning?: ((message: string) => void) | undefined;
}

/** A request for a project or an object in it. `id` is the id of the branch, endpoint or operation. */
interface ProjectRequest extends ApiRequest {
  projectId: string;
  id?: string;
}

/** Fetches the page after `cursor`, or the first one. */
type FetchPage<T> = (wanted: { limit: number; cursor?: string | undefined }) => Promise<Page<T>>;

/** Limits of a list: items a page (default 100) and pages (default 1,000). */
interface PageBounds {
  limit?: number | undefined;
  maxPages?: number;
}

/** Branches in the order of their creation, newest first: no change of a branch moves it from page to page. */
const BRANCH_ORDER = { sortBy: "created_at", sortOrder: "desc" } as const;

const SHOWN_LENGTH = 40;

const paths = {
  project: "/projects/",
  branch: "/branches/",
  endpoint: "/endpoints/",
  operation: "/operations/",
} as const;

/**
 * Creates the client of the control API (specification, section 4): one pool, retry policy and queue. Throws
 * `configuration`.
 */
export function createApi(options: ApiOptions) {
  const { url, reason } = parseBaseUrl(options.baseUrl);
  if (url === undefined) throw new PgComputeError("configuration", `the base address cannot be used: ${reason}`);
  const { clock = systemClock, random = Math.random, profile = specification, apiKey: secret } = options;
  const transport = createTransport({ ...options, baseUrl: url, userAgent: `pulumi-pgcompute/${version}` });
  const queue = new RequestQueue({ ...options, clock, random });
  const { send, platformTime } = createSender({ ...options, transport, queue, clock, random, secret });
  const closing = new AbortController();

  const answered = (request: ApiRequest, options?: RequestOptions): Promise<Result> => {
    const signal = options?.signal ? AbortSignal.any([closing.signal, options.signal]) : closing.signal;
    // After an abort the answer to a change is still awaited: it alone has the new id.
    const sending = request.method === "GET" ? signal : closing.signal;
    return send(request, { ...options, signal, sending });
  };

  const ask = async <T>(schema: z.ZodType<T>, request: ApiRequest, options?: RequestOptions): Promise<T> =>
    decoded(schema, request, await answered(request, options));
  const { inProject, of, id } = createRequests(secret);
  const allProjects: ApiRequest = { method: "GET", path: "/projects", purpose: "list the projects" };

  const withFigures = (record: EndpointRecord): EndpointRecord => {
    const maxConnections = profile.maxConnections(record.autoscalingLimitMinCu, record.autoscalingLimitMaxCu);
    return maxConnections === undefined ? record : { ...record, maxConnections };
  };
  const warned = new Set<string>();

  /** Keeps the records of the requested project in a list, and warns once about others. */
  const ofProject = <T extends { projectId: string }>({ projectId }: ProjectRequest, list: string, all: T[]): T[] => {
    const own = all.filter((one) => one.projectId === projectId);
    const count = all.length - own.length;
    const which = `the ${list} that the platform listed for project ${projectId}`;
    if (count === 0 || warned.has(which)) return own;
    warned.add(which);
    options.onWarning?.(`${count} of ${which} ${count === 1 ? "is" : "are"} of another project, and left out`);
    return own;
  };

  const endpointsBy = async (request: ProjectRequest, options?: RequestOptions) => {
    const all = await ask(wire.endpointsAnswer, request, options);
    const placed = all.map((one) => withFigures({ ...one, projectId: one.projectId || request.projectId }));
    return ofProject(request, "endpoints", placed);
  };

  const one = async <T extends { id: string; projectId?: string }>(
    schema: z.ZodType<T>,
    request: ProjectRequest,
    options?: RequestOptions,
  ): Promise<T> => held(request, await ask(schema, request, options));
  const changed = async (request: ProjectRequest, options?: RequestOptions): Promise<EndpointChange> => {
    const { endpoint, operations } = await ask(wire.changeAnswer, request, options);
    held(request, endpoint);
    return { endpoint: withFigures(endpoint), operations: heldOperations(request, endpoint.id, operations) };
  };

  /** A project's operations by page, newest first. */
  async function* operationPages(projectId: string, bounds: PageBounds = {}, options?: RequestOptions) {
    const request = inProject(projectId, "list the operations of", "/operations");
    const fetchPage: FetchPage<OperationRecord> = (page) =>
      ask(wire.operationsAnswer, { ...request, query: wire.encodeQuery(page) }, options);
    for await (const operations of pages(fetchPage, { ...bounds, isShortLast: true })) {
      yield ofProject(request, "operations", operations);
    }
  }

  /** A list of branches or projects by page, to its end. Throws `bad_answer` for one without an end. */
  async function* wholeList<T extends { id: string }>(
    schema: z.ZodType<Page<T>>,
    request: ApiRequest,
    query: Readonly<Record<string, string | undefined>>,
    options?: RequestOptions,
  ) {
    const fetchPage: FetchPage<T> = (page) =>
      ask(schema, { ...request, query: wire.encodeQuery({ ...page, ...query }) }, options);
    const isWhole = yield* pages(fetchPage);
    if (isWhole) return;
    const why = `the list has no end: ${lists.mostPages} pages were read, and there are more`;
    throw toAnswerError("bad_answer", request, why);
  }

  /** A project's branches by page, newest first. */
  async function* branchPages(projectId: string, options?: RequestOptions) {
    const request = inProject(projectId, "list the branches of", "/branches");
    for await (const branches of wholeList(wire.branchesAnswer, request, BRANCH_ORDER, options)) {
      yield ofProject(request, "branches", branches);
    }
  }

  return {
    /** False if the base address is not the API's: its list of projects is a 404. */
    isThere: async (options?: RequestOptions) => {
      try {
        await answered({ ...allProjects, query: wire.encodeQuery({ limit: 1 }) }, options);
        return true;
      } catch (error) {
        // A refusal, or a demand for more parameters, is an answer of the API as well.
        return !isKind(error, "not_found", "bad_answer", "redirect_refused");
      }
    },
    /** The projects of the key's account, or of the given organisation. */
    listProjects: (orgId?: string, options?: RequestOptions) =>
      collected(wholeList(wire.projectsAnswer, allProjects, { orgId }, options)),
    getProject: async (projectId: string, options?: RequestOptions) =>
      one(wire.projectAnswer, inProject(projectId, "read"), options),
    branchPages,
    /** All branches of a project, newest first. */
    listBranches: (projectId: string, options?: RequestOptions) => collected(branchPages(projectId, options)),
    getBranch: async (projectId: string, branchId: string, options?: RequestOptions) =>
      one(wire.branchAnswer, of("branch", branchId, projectId, "read"), options),
    /** The names of the libraries that endpoints of the project can preload. */
    listPreloadLibraries: async (projectId: string, options?: RequestOptions) => {
      const request = inProject(projectId, "list the preload libraries of", "/available_preload_libraries");
      return ask(wire.preloadLibrariesAnswer, request, options);
    },
    listEndpoints: async (projectId: string, options?: RequestOptions) =>
      endpointsBy(inProject(projectId, "list the endpoints of", "/endpoints"), options),
    listBranchEndpoints: async (projectId: string, branchId: string, options?: RequestOptions) =>
      endpointsBy(of("branch", branchId, projectId, "list the endpoints of", "/endpoints"), options),
    getEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) =>
      withFigures(await one(wire.endpointAnswer, of("endpoint", endpointId, projectId, "read"), options)),
    createEndpoint: async (projectId: string, body: EndpointBody, options?: RequestOptions) => {
      const place = typeof body.branchId === "string" ? `on branch ${id("branch", body.branchId)} of` : "in";
      const request = inProject(projectId, `create an endpoint ${place}`, "/endpoints", "POST");
      return changed({ ...request, makesNew: true, body: { endpoint: wire.encodeEndpoint(body) } }, options);
    },
    updateEndpoint: async (projectId: string, endpointId: string, body: EndpointBody, options?: RequestOptions) => {
      const request = of("endpoint", endpointId, projectId, "update", "", "PATCH");
      return changed({ ...request, body: { endpoint: wire.encodeEndpoint(body) } }, options);
    },
    /** An already deleted endpoint (204 or 404) answers `gone: true` and no operations. */
    deleteEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) => {
      const request = of("endpoint", endpointId, projectId, "delete", "", "DELETE");
      const result = await answered(request, options).catch((error: unknown) => {
        if (isKind(error, "not_found")) return { status: 204, json: undefined, requestId: undefined };
        throw error;
      });
      if (result.status === 204) return { gone: true, operations: [] };

      const { endpoint, operations } = decoded(wire.deletionAnswer, request, result);
      held(request, { id: endpointId, projectId, ...endpoint });
      return { gone: false, operations: heldOperations(request, endpointId, operations) };
    },
    suspendEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) =>
      changed(of("endpoint", endpointId, projectId, "suspend", "/suspend", "POST"), options),
    startEndpoint: async (projectId: string, endpointId: string, options?: RequestOptions) =>
      changed(of("endpoint", endpointId, projectId, "start", "/start", "POST"), options),
    getOperation: async (projectId: string, operationId: string, options?: RequestOptions) =>
      one(wire.operationAnswer, of("operation", operationId, projectId, "read"), options),
    operationPages,
    /** A project's operations, newest first, in pages of `limit`. */
    async *allOperations(projectId: string, bounds: PageBounds = {}, options?: RequestOptions) {
      for await (const operations of operationPages(projectId, bounds, options)) yield* operations;
    },
    /** The reason why requests are held back, such as `the account's rate limit`; undefined if none waits. */
    waitingFor: () => queue.waitingFor(),
    platformTime,
    /** The platform's time from its answers, else the machine's, in milliseconds; used for the age of operations. */
    platformNow: () => platformTime() ?? clock.now(),
    /** A text without the key. */
    withoutKey: (text: string) => withoutKey(text, secret),
    /** Closes the connection pool; running calls end with `CancelledError`. */
    close: async () => {
      closing.abort();
      await transport.close();
    },
  };
}

function decoded<T>(schema: z.ZodType<T>, request: ApiRequest, { json, requestId }: Result): T {
  const result = wire.decode(schema, json);
  if (result.ok) return result.value;
  const why = `the answer is not in the form that the API describes (${result.reason})`;
  throw toAnswerError("bad_answer", request, why, requestId);
}

/** Checks that a record is the requested one: an answer must not lead to another object. */
function held<T extends { id: string; projectId?: string }>(request: ProjectRequest, record: T): T {
  if ((record.projectId ?? record.id) !== request.projectId) throw notAsked(request, "of another project");
  if (request.id !== undefined && record.id !== request.id) throw notAsked(request, "with another id");
  return record;
}

/** Checks that a change's operations are of its endpoint. */
function heldOperations(request: ProjectRequest, changedId: string, operations: OperationRecord[]): OperationRecord[] {
  for (const { projectId, endpointId = changedId } of operations) {
    if (projectId !== request.projectId) throw notAsked(request, "an operation of another project");
    if (endpointId !== changedId) throw notAsked(request, "an operation of another endpoint");
  }
  return operations;
}

function notAsked(request: ApiRequest, what: string): PgComputeError {
  return toAnswerError("bad_answer", request, `the platform told of something that was not asked for (${what})`);
}

/** Builds requests about a project's objects. A key in place of an id is refused, and kept out of the error. */
function createRequests(key: string) {
  const secret = unmistakable(key);
  /** The id as a path segment. Throws `invalid_argument` for a malformed id, which could lead to another path. */
  const id = (kind: keyof typeof paths, value: string) => {
    const pattern = kind === "operation" ? OPERATION_ID_PATTERN : ID_PATTERN;
    const isSecret = secret !== undefined && value.includes(secret);
    if (pattern.test(value) && !isSecret) return encodeURIComponent(value);
    const shown = value === "" ? "the empty text" : JSON.stringify(cleanText(value, SHOWN_LENGTH, key));
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
  ): ProjectRequest => ({
    method,
    path: `${paths.project}${id("project", projectId)}${rest}`,
    purpose: `${verb} project ${projectId}`,
    projectId,
  });

  /** A request for one branch, endpoint or operation of a project. */
  const of = (
    kind: "branch" | "endpoint" | "operation",
    value: string,
    projectId: string,
    verb: string,
    rest = "",
    method: ApiRequest["method"] = "GET",
  ): ProjectRequest => ({
    ...inProject(projectId, `${verb} ${kind} ${value} of`, `${paths[kind]}${id(kind, value)}${rest}`, method),
    id: value,
  });
  return { id, inProject, of };
}

/**
 * The pages of a list, each item once. Ends without a cursor, at a page that shows nothing new, and at a repeated cursor
 * (specification, section 4.1); with `isShortLast` also at a page that is shorter than `limit`. Returns false if
 * `maxPages` ended it first.
 */
export async function* pages<T extends { id: string }>(
  fetchPage: FetchPage<T>,
  { limit = lists.pageSize, maxPages = lists.mostPages, isShortLast }: PageBounds & { isShortLast?: true } = {},
): AsyncGenerator<T[], boolean, undefined> {
  const seenIds = new Set<string>();
  const seenCursors = new Set<string>();
  let cursor: string | undefined;

  for (let read = 0; read < maxPages; read += 1) {
    const page = await fetchPage({ limit, cursor });
    const fresh: T[] = [];
    for (const item of page.items) {
      if (seenIds.has(item.id)) continue;
      seenIds.add(item.id);
      fresh.push(item);
    }

    // A page without new items ends the loop, even with ever new cursors.
    if (fresh.length === 0) return true;
    yield fresh;
    cursor = page.cursor;
    if (cursor === undefined || seenCursors.has(cursor)) return true;
    if (isShortLast && page.items.length < limit) return true;
    seenCursors.add(cursor);
  }
  return false;
}

async function collected<T>(all: AsyncIterable<T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of all) items.push(...page);
  return items;
}
