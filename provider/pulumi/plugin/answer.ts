/** Answers to the engine's calls: results, failures, errors with their state, and unimplemented calls. */
import { type handleUnaryCall, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { CheckFailure, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Failure } from "../../lib/failure";
import type { Values } from "../../lib/unknown";
import { redactText } from "../secrets";
import { errorForHost, type Session } from "../session";
import { encode, type MarkedValues, type Path } from "../values";

/** A call's data for its error. */
interface Noted {
  /** The values that the call has read, whose secrets the error must not show. */
  given: MarkedValues[];
  /** Encodes the state of a partial change, with its secrets marked. */
  encodeState(state: Values): Struct;
}

/** Runs a call and answers it. Anything thrown becomes that call's error and never ends the process. */
export type Answer = <Request, Response>(
  run: (request: Request, noted: Noted) => Promise<Response>,
) => handleUnaryCall<Request, Response>;

/** Builds the function that answers a session's calls and tracks the open ones. */
export function answersOf(session: Session): Answer {
  return (run) => (call, callback) => {
    const noted: Noted = { given: [], encodeState: toStruct };
    // Inside the promise, a throw on a malformed request becomes a rejection.
    const answered = Promise.resolve()
      .then(() => run(call.request, noted).finally(() => session.flush()))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(isServiceError(error) ? error : toServiceError(error, noted, session)),
      )
      // Encoding the answer may fail as well.
      .catch((error: unknown) => callback({ code: status.INTERNAL, details: String(error) }));
    session.watch(answered);
  };
}

/** Answers `unimplemented` to a call. */
export function refuse(what: string): handleUnaryCall<unknown, never> {
  return (_call, callback) => callback(unimplemented(what));
}

/** Encodes values for the engine, marked at their secret places. */
export function toStruct(values: Values, secrets?: readonly Path[]): Struct {
  return Struct.fromJavaScript(encode(values, secrets) as Record<string, JavaScriptValue>);
}

/** Encodes a failure for the engine. */
export function toFailure({ property, reason }: Failure): CheckFailure {
  return new CheckFailure().setProperty(property).setReason(reason);
}

/** The gRPC error for a call that this provider lacks. */
export function unimplemented(call: string): Partial<ServiceError> {
  return { code: status.UNIMPLEMENTED, details: redactText(`pgcompute has no ${call}`) };
}

/**
 * The gRPC error for anything thrown: a message without stack or secrets, with id and state if known, secrets marked.
 */
function toServiceError(error: unknown, { given, encodeState }: Noted, session: Session): Partial<ServiceError> {
  const { message, unfinished } = errorForHost(error, given, session);
  const metadata = new Metadata();

  if (unfinished) {
    const failed = new ErrorResourceInitFailed();
    failed.setId(unfinished.id).setProperties(encodeState(unfinished.state)).setReasonsList(unfinished.reasons);
    const detail = new Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const details = new Status().setCode(status.UNKNOWN).setMessage(message);
    details.addDetails(detail);
    // gRPC's header for structured details.
    metadata.add("grpc-status-details-bin", Buffer.from(details.serializeBinary()));
  }
  return { code: status.UNKNOWN, details: message, metadata };
}

/** True for a gRPC error. */
function isServiceError(error: unknown): error is Partial<ServiceError> {
  return typeof error === "object" && error !== null && "code" in error && "details" in error;
}
