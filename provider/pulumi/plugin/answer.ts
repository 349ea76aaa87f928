/** Answers to the calls of the engine: failures, errors with the state that goes with them, and calls that are refused. */
import { type handleUnaryCall, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { CheckFailure, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Failure } from "../../lib/failure";
import type { Values } from "../../lib/unknown";
import { redactText } from "../secrets";
import { type Session, toldError } from "../session";
import { encode, type MarkedValues, type Path } from "../values";

/** Facts about a call, for its error. */
interface Noted {
  /** The values that it has read: their secrets are left out of the text. */
  given: MarkedValues[];
  /** Encodes the state of a change that got only half-way, with its secrets marked. */
  encodeState(state: Values): Struct;
}

/** Runs a call and answers it; whatever it throws becomes an error of that call alone, and never ends the process. */
export type Answer = <Request, Response>(
  run: (request: Request, noted: Noted) => Promise<Response>,
) => handleUnaryCall<Request, Response>;

/** The way in which a session's calls are answered: it knows which are open. */
export function answersOf(session: Session): Answer {
  return (run) => (call, callback) => {
    const noted: Noted = { given: [], encodeState: toStruct };
    // The promise begins first, so that a throw of a malformed request is a rejection like any other.
    const answered = Promise.resolve()
      .then(() => run(call.request, noted).finally(() => session.flush()))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(isServiceError(error) ? error : toServiceError(error, noted, session)),
      )
      // An answer that cannot be written is the last thing that can go wrong with a call.
      .catch((error: unknown) => callback({ code: status.INTERNAL, details: String(error) }));
    session.watch(answered);
  };
}

/** Answers that the provider has no such call. */
export function refuse(what: string): handleUnaryCall<unknown, never> {
  return (_call, callback) => callback(unimplemented(what));
}

/** Values as the engine takes them, marked at their secret places. */
export function toStruct(values: Values, secrets?: readonly Path[]): Struct {
  return Struct.fromJavaScript(encode(values, secrets) as Record<string, JavaScriptValue>);
}

/** A failure as the engine takes it. */
export function toFailure({ property, reason }: Failure): CheckFailure {
  return new CheckFailure().setProperty(property).setReason(reason);
}

/** The error for a call that this provider does not have. */
export function unimplemented(call: string): Partial<ServiceError> {
  return { code: status.UNIMPLEMENTED, details: redactText(`pgcompute has no ${call}`) };
}

/** The gRPC error for whatever a call threw: one message without a stack or secrets; id and state, where there are any, with secrets marked. */
function toServiceError(error: unknown, { given, encodeState }: Noted, session: Session): Partial<ServiceError> {
  const { message, unfinished } = toldError(error, given, session);
  const metadata = new Metadata();
  if (unfinished) {
    const failed = new ErrorResourceInitFailed();
    failed.setId(unfinished.id).setProperties(encodeState(unfinished.state)).setReasonsList(unfinished.reasons);
    const detail = new Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const details = new Status().setCode(status.UNKNOWN).setMessage(message);
    details.addDetails(detail);
    // The header in which gRPC carries structured details.
    metadata.add("grpc-status-details-bin", Buffer.from(details.serializeBinary()));
  }
  return { code: status.UNKNOWN, details: message, metadata };
}

/** True for an error that is one of gRPC already. */
function isServiceError(error: unknown): error is Partial<ServiceError> {
  return typeof error === "object" && error !== null && "code" in error && "details" in error;
}
