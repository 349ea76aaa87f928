import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { asOwnError, PartialError } from "../../platform/errors";
import { messageFor } from "../messages/errors";
import { redactText, secretsOfState, type Values } from "../secrets";
import { encode } from "./values";

/**
 * The gRPC error for whatever a call threw: one readable message, never a stack trace, without the secrets among the
 * values it was given. A change that got as far as an endpoint carries its id and state, so that the engine keeps both, with the
 * secrets of the state marked.
 */
export function toServiceError(
  error: unknown,
  given: readonly Values[],
  encodeState = (state: Readonly<Record<string, unknown>>) =>
    encode(state, secretsOfState(given.flatMap(({ secrets }) => secrets))),
): Partial<ServiceError> {
  const message = redactText(messageFor(asOwnError(error)), ...given);
  const metadata = new Metadata();
  if (error instanceof PartialError) {
    const failed = new ErrorResourceInitFailed();
    failed.setId(error.id);
    failed.setProperties(encodeState(error.state));
    failed.setReasonsList(error.reasons?.map((reason) => redactText(reason, ...given)) ?? [message]);
    const detail = new Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const details = new Status();
    details.setCode(status.UNKNOWN);
    details.setMessage(message);
    details.addDetails(detail);
    // The header in which gRPC carries structured details.
    metadata.add("grpc-status-details-bin", Buffer.from(details.serializeBinary()));
  }
  return { code: status.UNKNOWN, details: message, metadata };
}

/** The error for a call that this provider does not have. */
export function unimplemented(call: string): Partial<ServiceError> {
  return { code: status.UNIMPLEMENTED, details: redactText(`pgcompute has no ${call}`) };
}
