import { readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { consoleCookie, guardAdmin, isToken } from "../http/auth";
import type { Runtime } from "../http/runtime";
import { ApiError } from "../lib/errors";
import { validate } from "../requests/validate";
import { actions, isActionName } from "./actions";
import { consoleView } from "./view";
import { viewQuery } from "./view-query";

/** A file of the console as served. */
interface Asset {
  type: string;
  text: string;
}

/** The path prefix of the console's files and calls; its page is at `/`. */
const CONSOLE_PREFIX = "/_console";

/** The folder of the page's files: beside this file, and beside the bundle. */
const folder = new URL("./page/", import.meta.url);

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

// Read on load: after root is given up, the files may be unreadable.
const page = asset("index.html");
const names = readdirSync(folder).filter((name) => /\.(css|js|svg)$/.test(name));
const files = names.map((name) => [name, asset(name)] as const);

// Nothing external, nothing inline, no text as code, and no framing by other pages.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/**
 * Adds the console, a page that shows the platform, with a few buttons. Its files are public; its calls are guarded.
 */
export function consoleRoutes(app: FastifyInstance, runtime: Runtime, apiPath: string): void {
  const { platform, token } = runtime;
  app.get<{ Querystring: { token?: unknown } }>("/", ({ query }, reply) => {
    if (query.token === undefined) return sendAsset(reply, page);
    // Moves the token from the address, where it would be seen and stored, to a cookie.
    if (isToken(query.token, token)) reply.header("set-cookie", consoleCookie(token ?? ""));
    noStore(reply);
    return reply.redirect("/", 303);
  });

  for (const [name, file] of files) {
    app.get(`${CONSOLE_PREFIX}/${name}`, (_request, reply) => sendAsset(reply, file));
  }

  app.get(`${CONSOLE_PREFIX}/view`, (request, reply) => {
    guardAdmin(request, runtime, true);
    noStore(reply);
    const query = validate(viewQuery, request.query, "query");
    platform.runDue();
    return consoleView(runtime, query, apiPath);
  });

  app.post<{ Params: { id: string; action: string } }>(
    `${CONSOLE_PREFIX}/endpoints/:id/:action`,
    { onRequest: async (request) => guardAdmin(request, runtime, true) },
    (request, reply) => {
      noStore(reply);
      const { id, action } = request.params;
      if (!isActionName(action)) throw new ApiError(404, "", "no such action");
      validate(z.undefined(), request.body);
      platform.runDue();
      const { project, endpoint } = platform.findEndpoint(id);
      return { message: actions[action](platform, project, endpoint) };
    },
  );
}

function asset(name: string): Asset {
  const [, ending = ""] = name.split(".");
  return { type: types[ending] ?? "text/plain", text: readFileSync(new URL(name, folder), "utf8") };
}

function sendAsset(reply: FastifyReply, { type, text }: Asset): FastifyReply {
  return reply
    .headers({
      "content-security-policy": POLICY,
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      // Not cached: the next emulator at this address may be another version.
      "cache-control": "no-cache",
    })
    .type(type)
    .send(text);
}

function noStore(reply: FastifyReply): void {
  reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
}
