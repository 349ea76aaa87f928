import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isAuthorized } from "../http/auth";
import { beginCall, callOf } from "../http/call";
import { strikeAfter, strikeBefore } from "../http/call-faults";
import { REQUEST_ID_HEADER, tellsIdInHeader } from "../http/request-id";
import type { Runtime } from "../http/runtime";
import { ApiError, notImplemented, unauthorized } from "../lib/errors";
import { retryAfterValue } from "../lib/rate-limit";
import { accountRoutes } from "./account-routes";
import { branchRoutes } from "./branch-routes";
import { callsOf } from "./calls";
import { endpointRoutes } from "./endpoint-routes";
import { loginRoutes } from "./login-routes";
import { operationRoutes } from "./operation-routes";
import { isOutside } from "./outside-calls";
import { projectRoutes } from "./project-routes";
import { serviceRoutes } from "./service-routes";
import { snapshotRoutes } from "./snapshot-routes";

/**
 * Adds the control API: each call is logged, checked for its key (specification, section 5), rate-limited and struck by
 * faults.
 */
export function api(app: FastifyInstance, runtime: Runtime): void {
  const known: { method: string; pattern: RegExp }[] = [];
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.name !== undefined) runtime.faults.routes.add(config.name);
    const pattern = new RegExp(`^${url.replace(/:[a-z_]+/g, "[^/]+")}$`);
    for (const one of Array.isArray(method) ? method : [method]) known.push({ method: one, pattern });
  });

  app.addHook("onRequest", async (request, reply) => {
    const call = beginCall(
      request,
      runtime.log.add({
        at: runtime.clock.now(),
        method: request.method,
        route: request.routeOptions.config?.name ?? "unknown",
        path: request.url,
      }),
    );

    runtime.platform.runDue();
    if (!isAuthorized(request.headers.authorization, runtime.options.apiKey)) throw unauthorized();
    limitRate(runtime, call.entry.route);
    if (await strikeBefore({ runtime, request, reply, call })) return reply;
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const call = callOf(request);
    if (!call || call.cut) return payload;
    const body = await strikeAfter({ runtime, request, reply, call }, payload);
    tellTime(runtime, reply);
    if (tellsIdInHeader(runtime)) reply.header(REQUEST_ID_HEADER, request.id);
    if (!call.cut) answered(runtime, request, reply, body);
    return body;
  });

  app.setNotFoundHandler((request, reply) => answerUnknown(request, reply, known, app.prefix));
  const { platform } = runtime;
  const call = callsOf(app, platform);
  projectRoutes(call, platform);
  branchRoutes(call, platform);
  snapshotRoutes(call, platform);
  endpointRoutes(call, platform);
  operationRoutes(call, platform);
  loginRoutes(call, platform);
  serviceRoutes(call, platform);
  accountRoutes(call, platform);
}

// The clock of the records, not the machine's.
function tellTime({ clock, platform }: Runtime, reply: FastifyReply): void {
  if (platform.settings.dateHeader) reply.header("date", new Date(clock.now()).toUTCString());
  else reply.raw.sendDate = false;
}

function limitRate(runtime: Runtime, route: string): void {
  const limiter = runtime.limiter();
  const now = runtime.clock.now();
  const waitMs = limiter?.take(route, now) ?? 0;
  if (!limiter || waitMs === 0) return;
  const value = retryAfterValue(limiter.limit.retryAfter ?? "none", waitMs, now);
  throw new ApiError(429, "", "rate limit exceeded", value === undefined ? {} : { "retry-after": value });
}

// The status is logged before the first byte leaves, so that clients find it in the log.
function answered(runtime: Runtime, request: FastifyRequest, reply: FastifyReply, body: unknown): void {
  const entry = callOf(request)?.entry;
  if (!entry) return;
  runtime.log.answer(entry, reply.statusCode);
  entry.durationMs = Math.round(reply.elapsedTime);
  entry.answerBytes = typeof body === "string" ? Buffer.byteLength(body) : 0;
}

function answerUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  known: readonly { method: string; pattern: RegExp }[],
  prefix: string,
): never {
  const path = request.url.split("?", 1)[0] ?? "";
  // Some paths have reading calls but not the changing ones.
  if (isOutside(path.slice(prefix.length))) throw notImplemented(request.method, path);
  const allowed = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (allowed.length === 0) throw new ApiError(404, "", "no such call");
  reply.header("allow", allowed.join(", "));
  throw new ApiError(405, "", `${request.method} is not possible here; use ${allowed.join(", ")}`);
}
