import type { ServiceError } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { expect } from "vitest";
import { plainOf } from "../../../../support/messages";

/** What an error tells the engine beside its message; undefined where it carries nothing. */
export function partialOf(error: ServiceError): Record<string, unknown> | undefined {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (bytes === undefined) return undefined;
  const [detail] = Status.deserializeBinary(Buffer.from(bytes)).getDetailsList();
  expect(detail?.getTypeUrl()).toBe("type.googleapis.com/pulumirpc.ErrorResourceInitFailed");
  return plainOf(ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array()));
}
