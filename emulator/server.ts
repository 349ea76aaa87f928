/** The HTTP server of the API, the admin calls and the console. */
import { randomUUID } from "node:crypto";
import { createServer, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { adminRoutes } from "./admin/admin-routes";
import type { EmulatorAdmin } from "./admin/emulator-admin";
import { consoleRoutes } from "./console/console-routes";
import { guardHost } from "./http/auth";
import { callOf } from "./http/call";
import { errorBody } from "./http/request-id";
import type { Runtime } from "./http/runtime";
import { ApiError, type ErrorBody } from "./lib/errors";
import { parseForm } from "./requests/form";
import { api } from "./routes/api";

/** The API's path. The base address ends in the version (specification, section 9). */
export const API_PREFIX = "/api/v2";

const SAY_JSON = "send it with the header content-type: application/json";

const unreadable: Readonly<Record<string, [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "the request's headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request did not arrive in time"],
};

/** Maximum length of a refusal's reason in the log, in characters. */
const LONGEST_REASON = 300;

/** Path of the admin calls. */
export const ADMIN_PREFIX = "/_emulator";

/** Builds the HTTP server with the API, the admin calls and the console. The listener opens its port. */
export async function buildServer(runtime: Runtime, admin: EmulatorAdmin): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    logger: false,
    bodyLimit: runtime.options.bodyLimitBytes,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, request, reply) => answerError(runtime, error, request, reply),
    clientErrorHandler: answerUnreadable,
    serverFactory: (handler) => {
      const server = createServer(handler);
      // Longer than clients keep connections, so that none closes as a call goes out on it.
      server.keepAliveTimeout = 120_000;
      return server;
    },
  });

  readBodies(app);
  app.addHook("onRequest", async (request) => guardHost(request, runtime));
  keepAnswers(app, runtime);
  app.setErrorHandler((error: FastifyError | ApiError, request, reply) => answerError(runtime, error, request, reply));
  app.setNotFoundHandler(() => {
    throw new ApiError(404, "", `nothing here; the API is under ${API_PREFIX}`);
  });

  await app.register(async (scope) => api(scope, runtime), { prefix: API_PREFIX });
  await app.register(async (scope) => adminRoutes(scope, runtime, admin), { prefix: ADMIN_PREFIX });
  await app.register(async (scope) => consoleRoutes(scope, runtime, API_PREFIX));
  await app.ready();
  return app;
}

// Saves changes before their answers. If saving fails, calls that only read go on.
function keepAnswers(app: FastifyInstance, runtime: Runtime): void {
  const { platform } = runtime;
  const isChange = ({ method }: FastifyRequest) => !["GET", "HEAD", "OPTIONS"].includes(method);
  app.addHook("preHandler", async (request) => {
    if (isChange(request)) platform.keeper?.assertReady();
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const refusal = platform.keeper?.save();
    if (!refusal || !isChange(request) || reply.statusCode >= 400) return payload;
    reply.code(refusal.status).type("application/json; charset=utf-8");
    return errorText(runtime, request, refusal);
  });
}

// Bodies are JSON or forms (specification, section 5). An empty body counts as none: suspend and start have none.
function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    countBody(request, body);
    if (body.trim() === "") done(null, undefined);
    else parseJson(request, body, done);
  });

  app.addContentTypeParser<string>(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (request, body, done) => {
      countBody(request, body);
      try {
        // What curl says of a body by itself.
        if (/^\s*[{[]/.test(body)) throw new ApiError(415, "", `the body is JSON and comes as a form: ${SAY_JSON}`);
        done(null, body === "" ? undefined : parseForm(body));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  );
  app.removeContentTypeParser("text/plain");
}

// Data that are not HTTP have no request to answer, so write the error by hand.
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }

  const [status, message] = unreadable[error.code ?? ""] ?? [400, "the request is no HTTP that can be read"];
  const body: ErrorBody = { code: "", message, request_id: randomUUID() };
  const text = JSON.stringify(body);

  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}

function countBody(request: FastifyRequest, body: string): void {
  const entry = callOf(request)?.entry;
  if (entry) entry.requestBytes = Buffer.byteLength(body);
}

function answerError(
  runtime: Runtime,
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const known = error instanceof ApiError;
  const status = known ? error.status : (error.statusCode ?? 500);
  const own = status >= 500 && !known;
  const entry = callOf(request)?.entry;
  if (own && entry) entry.crash = error.stack ?? error.message;
  const said = !known && status === 415 ? `a body of this type is not taken: ${SAY_JSON}` : error.message;
  const message = own ? "the emulator made a mistake; the request log has it" : said;
  if (known) reply.headers(error.headers);

  // As text: an error must not depend on code that can fail again.
  const text = errorText(runtime, request, { code: known ? error.code : "", message });
  reply.code(status).type("application/json; charset=utf-8").send(text);
}

function errorText(runtime: Runtime, request: FastifyRequest, { code, message }: Pick<ApiError, "code" | "message">) {
  const entry = callOf(request)?.entry;
  if (entry) entry.reason = message.slice(0, LONGEST_REASON);
  return JSON.stringify(errorBody(runtime, request, { code, message }));
}
