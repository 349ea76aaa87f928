/** A call's record, from its start to its answer. */
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { CallEffect } from "../faults/fault";
import type { Dialect } from "../requests/form";
import type { RequestLogEntry } from "./request-log";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route's name in log, counts and fault rules, such as `endpoints.create`. */
    name?: string;
  }
}

/** One call to the API while it is processed. */
export interface Call {
  readonly entry: RequestLogEntry;
  /** Faults to apply after the work. */
  after: CallEffect[];
  /** The time that lists show, in milliseconds since the epoch; `undefined` for now. */
  listAt: number | undefined;
  /** True if the connection was cut on purpose, without an answer. */
  cut: boolean;
}

const calls = new WeakMap<IncomingMessage, Call>();

/** Starts a call's record. */
export function beginCall(request: FastifyRequest, entry: RequestLogEntry): Call {
  const call: Call = { entry, after: [], listAt: undefined, cut: false };
  calls.set(request.raw, call);
  return call;
}

/** The call of a request; `undefined` outside the API. */
export function callOf(request: FastifyRequest): Call | undefined {
  return calls.get(request.raw);
}

/** The dialect of a request's body (specification, section 5, item 4). */
export function dialectOf(request: FastifyRequest): Dialect {
  return request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ? "form" : "json";
}
