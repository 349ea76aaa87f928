import { findOperations } from "../platform/project/find-operations";
import type { OperationRecord } from "../platform/records";
import { type Context, requestOptions } from "./context";
import type { KeptOperation } from "./state";

/** A kept operation, and what the platform says of it now. */
export interface SeenAgain {
  kept: KeptOperation;
  now: OperationRecord | "vanished";
}

/** Looks at operations that an earlier run kept (specification, sections 4.1 and 4.2), without waiting for them. */
export async function lookAgain(
  context: Context,
  projectId: string,
  kept: readonly KeptOperation[],
): Promise<SeenAgain[]> {
  if (kept.length === 0) return [];
  const wanted = kept.map((one) => ({ ...one, projectId, failuresCount: 0, updatedAt: one.createdAt }));
  const found = await findOperations(context.account.api, projectId, wanted, requestOptions(context));
  return kept.map((one) => ({ kept: one, now: found.get(one.id) ?? "vanished" }));
}
