import { CheckFailure } from "@pulumi/pulumi/proto/provider_pb";
import type { Failure } from "../../lib/failure";

/** A failure as the engine takes it. */
export function toFailure({ property, reason }: Failure): CheckFailure {
  return new CheckFailure().setProperty(property).setReason(reason);
}
