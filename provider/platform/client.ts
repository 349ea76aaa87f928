import type { z } from "zod";
import { type Clock, systemClock } from "../lib/clock";
import { joinSignals } from "../lib/signals";
import { version } from "../version";
import type { Api, RequestOptions } from "./api";
import { ConfigurationError, isKind, type KeySource } from "./errors";
import { parseBaseUrl } from "./http/base-url";
import type { Timeouts } from "./http/exchange";
import { toAnswerError } from "./http/http-errors";
import { PlatformClock } from "./http/platform-clock";
import type { ApiRequest } from "./http/request";
import { createSender, type RequestEvent, type Result, unmistakable } from "./http/send";
import { createTransport } from "./http/transport";
import { type FetchPage, pages } from "./pages";
import type { Profile } from "./profiles/profile";
import { specification } from "./profiles/specification";
import { RequestQueue } from "./rate-limit/request-queue";
import type { EndpointChange, EndpointRecord, OperationRecord, ProjectRecord } from "./records";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./retry";
import { createRoutes } from "./routes";
import * as wire from "./wire/answers";
import { decode } from "./wire/answers";

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
  /** Bounds of a call's repeats; see `RetryPolicy` for the defaults. */
  retry?: Partial<RetryPolicy> | undefined;
  /** Largest answer that is read, in bytes. Default 256 MiB. */
  maxAnswerBytes?: number | undefined;
  /** Calls that may start in any one second. Default: no bound until the platform refuses one. */
  maxRequestsPerSecond?: number | undefined;
  /** Told of every attempt when it has ended. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Told once of each list of a project in which the platform names what is another project's. */
  onWarning?: ((message: string) => void) | undefined;
}

/**
 * The client of the control API (specification, section 4): one pool, one retry policy and one queue for all its callers.
 * Throws `ConfigurationError` at once where the address, the key or a bound cannot be used.
 */
export function createApi(options: ApiOptions): Api {
  const { url, reason } = parseBaseUrl(options.baseUrl);
  if (url === undefined) throw new ConfigurationError("baseUrl", `the base address cannot be used: ${reason}`);
  const maximum = options.maxRequestsPerSecond;
  if (maximum !== undefined && !(Number.isFinite(maximum) && maximum > 0)) {
    throw new ConfigurationError("maxRequestsPerSecond", `maxRequestsPerSecond must be above 0, not ${maximum}`);
  }
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.retry };
  const transport = createTransport({
    baseUrl: url,
    apiKey: options.apiKey,
    userAgent: `pulumi-pgcompute/${version}`,
    timeouts: options.timeouts,
    maxAnswerBytes: options.maxAnswerBytes,
  });
  const secret = options.apiKey;
  const queue = new RequestQueue({
    clock,
    random,
    maxRequestsPerSecond: maximum,
    maxRateLimitMs: policy.maxRateLimitMs,
  });
  const { keySource, onRequest } = options;
  const platformClock = new PlatformClock(clock);
  const send = createSender({ transport, queue, policy, clock, random, secret, keySource, platformClock, onRequest });
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
  const routes = createRoutes(unmistakable(secret));
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
        await answered(routes.listProjects(1, undefined, undefined), options);
        return true;
      } catch (error) {
        // A key that may not list projects, or a platform that asks for more, is an answer of the API as well.
        return !isKind(error, "not_found", "bad_answer", "redirect_refused");
      }
    },
    listProjects: async (orgId, options) => {
      const fetchPage: FetchPage<ProjectRecord> = ({ limit, cursor }) =>
        ask(wire.projectsAnswer, routes.listProjects(limit, cursor, orgId), options);
      const all: ProjectRecord[] = [];
      for await (const projects of pages(fetchPage)) all.push(...projects);
      return all;
    },
    listBranches: async (projectId, options) => ask(wire.branchesAnswer, routes.listBranches(projectId), options),
    getBranch: async (projectId, branchId, options) =>
      ask(wire.branchAnswer, routes.getBranch(projectId, branchId), options),
    listEndpoints: async (projectId, options) => listed(projectId, routes.listEndpoints(projectId), options),
    listBranchEndpoints: async (projectId, branchId, options) =>
      listed(projectId, routes.listBranchEndpoints(projectId, branchId), options),
    getEndpoint: async (projectId, endpointId, options) =>
      withFigures(await ask(wire.endpointAnswer, routes.getEndpoint(projectId, endpointId), options)),
    createEndpoint: async (projectId, body, options) => changed(routes.createEndpoint(projectId, body), options),
    updateEndpoint: async (projectId, endpointId, body, options) =>
      changed(routes.updateEndpoint(projectId, endpointId, body), options),
    deleteEndpoint: async (projectId, endpointId, options) => {
      const request = routes.deleteEndpoint(projectId, endpointId);
      const result = await answered(request, options).catch((error: unknown) => {
        if (isKind(error, "not_found")) return { status: 204, json: undefined };
        throw error;
      });
      if (result.status === 204) return { gone: true, operations: [] };
      return { gone: false, operations: read(wire.deletionAnswer, request, result.json) };
    },
    suspendEndpoint: async (projectId, endpointId, options) =>
      changed(routes.suspendEndpoint(projectId, endpointId), options),
    startEndpoint: async (projectId, endpointId, options) =>
      changed(routes.startEndpoint(projectId, endpointId), options),
    getOperation: async (projectId, operationId, options) =>
      ask(wire.operationAnswer, routes.getOperation(projectId, operationId), options),
    listOperations: async (projectId, page, options) =>
      ask(wire.operationsAnswer, routes.listOperations(projectId, page?.limit, page?.cursor), options),
    allOperations: async function* (projectId, page, options) {
      const fetchPage: FetchPage<OperationRecord> = (wanted) => api.listOperations(projectId, wanted, options);
      for await (const operations of pages(fetchPage, { limit: page?.limit })) yield* operations;
    },
    limitUsed: () => queue.used(),
    waitingFor: () => queue.waitingFor(),
    platformTime: () => platformClock.now(),
    close: async () => {
      closing.abort();
      queue.close();
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
