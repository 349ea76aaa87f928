/** Declares the API's calls by name, method and path, and finds their objects by the path's parts. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { callOf, dialectOf } from "../http/call";
import type { BranchRecord } from "../model/branch";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import type { BodyContext } from "../requests/body";
import { validate } from "../requests/validate";

/** The objects of a call. Each is looked up when read, and then may throw 404 or 400. */
export interface Asked {
  /** The parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly project: Project;
  readonly branch: BranchRecord;
  readonly endpoint: Endpoint;
  /** The time that lists show, in milliseconds since the epoch; `undefined` for now. */
  readonly listAt: number | undefined;
  readonly reply: FastifyReply;
  /** The body, checked with its schema under the current settings. */
  body<T>(schema: (context: BodyContext) => z.ZodType<T>): T;
  query<T>(schema: z.ZodType<T>): T;
}

/** Declares a call; `answer` returns its answer. */
export type AddCall = (name: string, target: string, answer: (asked: Asked) => unknown) => void;

/**
 * Returns the function that declares an API's calls. A target is method and path, such as `GET /projects/:project_id`.
 */
export function callsOf(app: FastifyInstance, platform: Platform): AddCall {
  return (name, target, answer) => {
    const [method = "", url = ""] = target.split(" ");
    app.route<{ Params: Record<string, string> }>({
      method,
      url,
      config: { name },
      handler: (request, reply) => answer(askedOf(platform, request, reply)),
    });
  };
}

function askedOf(
  platform: Platform,
  request: FastifyRequest<{ Params: Record<string, string> }>,
  reply: FastifyReply,
): Asked {
  const { project_id = "", branch_id = "", endpoint_id = "" } = request.params;
  return {
    params: request.params,
    reply,
    get project() {
      return platform.project(project_id);
    },
    get branch() {
      return platform.branch(this.project, branch_id);
    },
    get endpoint() {
      return platform.endpoint(this.project, endpoint_id);
    },
    get listAt() {
      return callOf(request)?.listAt;
    },
    body: (schema) => validate(schema({ dialect: dialectOf(request), settings: platform.settings }), request.body),
    query: (schema) => validate(schema, request.query, "query"),
  };
}
