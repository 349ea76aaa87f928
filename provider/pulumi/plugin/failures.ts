import { CheckFailure } from "@pulumi/pulumi/proto/provider_pb";
import type { Failure } from "../../lib/failure";
import { readable } from "./secrets";
import type { Values } from "./values";

/** A failure as the engine takes it; the secret texts among the values are left out of its reason. */
export function toFailure({ property, reason }: Failure, given?: Values): CheckFailure {
  return new CheckFailure().setProperty(property).setReason(readable(reason, ...(given ? [given] : [])));
}
