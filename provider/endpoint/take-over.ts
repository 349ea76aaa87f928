import { isKind, PartialError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import type { Context } from "./context";
import { differences } from "./differences";
import { recoverChange } from "./find-created";
import { formatId } from "./identity";
import { toState } from "./mapping";
import { patch } from "./patch";
import type { EndpointInputs, EndpointProperty } from "./properties";
import { assertEnded, partial, type StoredEndpoint, settle, stateOf } from "./settle";

/**
 * Makes an endpoint that is there already the resource's own, changing only what the program says otherwise. An
 * `adopted` one belongs to somebody else and is released, not deleted, on destroy.
 */
export async function takeOver(
  context: Context,
  record: EndpointRecord,
  inputs: EndpointInputs,
  adopted: boolean,
): Promise<StoredEndpoint> {
  const { ledger, reporter, urn } = context;
  const target = { projectId: record.projectId, endpointId: record.id, branchId: record.branchId };
  const id = formatId(target);
  reporter.info(
    adopted
      ? `takes over endpoint ${id}; on destroy it is released, not deleted`
      : `takes over endpoint ${id}, which an interrupted run created for this resource`,
  );
  ledger.identify(urn, record.id);
  ledger.recordTakenOver(record.id);
  const book = adopted ? ({ adopted } as const) : {};
  const { restartTrigger: _, ...found } = differences(toState(record), inputs, new Set());
  const changed = Object.keys(found) as EndpointProperty[];
  try {
    if (!adopted) {
      // What the interrupted run began may yet fail, which that run could tell nobody.
      const begun = await settle(context, await recoverChange(context, record));
      assertEnded(id, stateOf(record, inputs), begun);
    }
    if (changed.length === 0) return { id, state: stateOf(record, inputs, book) };
    const result = await patch(context, target, inputs, changed);
    const state = stateOf(result.endpoint, inputs, book);
    assertEnded(id, state, result);
    return { id, state };
  } catch (error) {
    if (isKind(error, "not_found") && !(error instanceof PartialError)) throw error;
    throw partial(id, stateOf(record, inputs, book), error);
  }
}
