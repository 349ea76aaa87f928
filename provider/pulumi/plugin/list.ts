import type { handleServerStreamingCall } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { callFunction } from "../../functions/functions";
import { formatFailures } from "../../lib/failure";
import { hasUnknown } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";
import { redactFailure, type Values } from "../secrets";
import { isServiceError } from "./answer";
import { ENDPOINT } from "./resource-calls";
import type { Session } from "./session";
import { toServiceError, unimplemented } from "./status";
import { decode } from "./values";

/** As many as people look at; who wants more asks for the next page. */
const PAGE_SIZE = 100;

/**
 * Lists endpoints for `pulumi do`: of a project, of a branch of it, of a type, in the order of their ids, so that a page goes on where the last one ended
 * whatever has come and gone meanwhile.
 */
export function listEndpoints(session: Session): handleServerStreamingCall<proto.ListRequest, proto.ListResponse> {
  return (call) => {
    const close = session.open();
    let query: Values | undefined;
    // An answer that cannot be written is the last thing that can go wrong with a call.
    const fail = (error: unknown) => call.emit("error", error);
    // The promise begins first, so that a throw of a malformed request is a rejection like any other.
    void Promise.resolve()
      .then(() => {
        query = decode(call.request.getQuery());
        return answers(session, call.request, query);
      })
      .then(
        (all) => {
          for (const one of all) call.write(one);
          call.end();
        },
        (error: unknown) => fail(isServiceError(error) ? error : toServiceError(error, query ? [query] : [])),
      )
      .catch(fail)
      .finally(close);
  };
}

async function answers(session: Session, request: proto.ListRequest, query: Values): Promise<proto.ListResponse[]> {
  if (request.getToken() !== ENDPOINT) throw unimplemented(`list of ${request.getToken()}: it lists ${ENDPOINT}`);
  if (hasUnknown(query.values)) return [new proto.ListResponse().setComputed(new proto.ListResponse.Computed())];
  const { signal } = session;
  const { result, failures } = await callFunction(session.account(), "getEndpoints", query.values, { signal });
  if (!result)
    throw new PgComputeError("invalid_argument", formatFailures(failures.map((one) => redactFailure(one, query))));
  const after = request.getContinuationToken();
  const rest = result.endpoints.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
  const limit = request.getLimit() || rest.length;
  const page = rest.slice(0, Math.min(request.getPageSize() || PAGE_SIZE, limit));
  const found = page.map(({ id, name = "" }) => {
    const one = new proto.ListResponse.Result().setId(id).setName(name);
    return new proto.ListResponse().setResult(one);
  });
  const last = page.at(-1);
  if (!last || page.length === rest.length) return found;
  const next = new proto.ListResponse.Continuation().setContinuationToken(last.id);
  return [...found, new proto.ListResponse().setContinuation(next)];
}
