/** Where answers have the request's id: in error bodies (specification, section 7, published), or in a header. */
import type { FastifyRequest } from "fastify";
import type { ErrorBody } from "../lib/errors";
import type { Runtime } from "./runtime";

/** The request id's header on today's public platform. */
export const REQUEST_ID_HEADER = "x-neon-ret-request-id";

/**
 * True if answers have the id only in that header, as today's public platform (recorded); false if error bodies have
 * it.
 */
export function tellsIdInHeader({ platform }: Pick<Runtime, "platform">): boolean {
  return platform.settings.platform === "neon";
}

/** The body of an error, with the request's id where the platform puts it there. */
export function errorBody(
  runtime: Pick<Runtime, "platform">,
  { id }: Pick<FastifyRequest, "id">,
  { code, message }: Pick<ErrorBody, "code" | "message">,
): ErrorBody {
  return { code, message, ...(!tellsIdInHeader(runtime) && { request_id: id }) };
}
