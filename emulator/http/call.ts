/** The record of a call from its beginning to its answer. */
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { CallEffect } from "../faults/fault";
import type { Dialect } from "../requests/form";
import type { RequestLogEntry } from "./request-log";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Name of the route in the log, the counts and the fault rules, such as `endpoints.create`. */
    name?: string;
  }
}

/** One call to the API while it is answered. */
export interface Call {
  readonly entry: RequestLogEntry;
  /** Faults that strike once the work is done. */
  after: CallEffect[];
  /** The instant that lists are answered as of, in milliseconds since the epoch; `undefined` for now. */
  listAt: number | undefined;
  /** The connection was cut on purpose: there is no answer. */
  cut: boolean;
}

const calls = new WeakMap<IncomingMessage, Call>();

/** Begins a call. */
export function beginCall(request: FastifyRequest, entry: RequestLogEntry): Call {
  const call: Call = { entry, after: [], listAt: undefined, cut: false };
  calls.set(request.raw, call);
  return call;
}

/** The call that a request is; `undefined` outside the API. */
export function callOf(request: FastifyRequest): Call | undefined {
  return calls.get(request.raw);
}

/** The dialect of the request's body (specification, section 5, item 4). */
export function dialectOf(request: FastifyRequest): Dialect {
  return request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ? "form" : "json";
}
