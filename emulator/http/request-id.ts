/** The place of a request's id in answers: in the bodies of errors (specification, section 7, published), or in a header. */
import type { FastifyRequest } from "fastify";
import type { ErrorBody } from "../lib/errors";
import type { Runtime } from "./runtime";

/** The header in which today's public platform tells the id of a request. */
export const REQUEST_ID_HEADER = "x-neon-ret-request-id";

/** True where answers tell the id in that header alone, as recorded of today's public platform; else bodies of errors do. */
export function tellsIdInHeader({ platform }: Pick<Runtime, "platform">): boolean {
  return platform.settings.platform === "neon";
}

/** The body of an error, with the id where the platform tells it there. */
export function errorBody(
  runtime: Pick<Runtime, "platform">,
  { id }: Pick<FastifyRequest, "id">,
  { code, message }: Pick<ErrorBody, "code" | "message">,
): ErrorBody {
  return { code, message, ...(!tellsIdInHeader(runtime) && { request_id: id }) };
}
