/** Makes an endpoint that is there already the resource's own. */
import { isKind, PartialError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { waitFor } from "./change";
import type { Context } from "./context";
import { setIn, takeoverDifferences } from "./differences";
import { idOf } from "./identity";
import { toState } from "./mapping";
import { momentOf } from "./moment";
import type { EndpointInputs, EndpointProperty } from "./properties";
import { recoverCreate } from "./recovery";
import { compareShown } from "./shown";
import type { Bookkeeping } from "./state";
import { assertEnded, partial, type StoredEndpoint, stateOf } from "./stored";
import { patch } from "./update";

/** Which endpoint, for which inputs. */
export interface AdoptRequest {
  record: EndpointRecord;
  inputs: EndpointInputs;
  /**
   * True for one that belongs to somebody else: it is released, not deleted, on destroy. False for one that an interrupted run
   * created for this resource: what that run began is waited for first.
   */
  adopted: boolean;
  /** When it was found, where older states may have the same endpoint. */
  takenOverAt?: number;
}

/** Takes an endpoint over, changing only what the program says otherwise (specification, section 4.5). */
export async function adopt(caller: Context, request: AdoptRequest): Promise<StoredEndpoint> {
  const { record, inputs, adopted, takenOverAt } = request;
  const { moment, context } = momentOf(caller, inputs);
  const id = idOf(record);
  const book: Bookkeeping = { ...(adopted && { adopted }), ...(takenOverAt !== undefined && { takenOverAt }) };
  const changed = Object.keys(takeoverDifferences(toState(record), inputs)) as EndpointProperty[];
  // What the platform does not tell counts as sent only once it was: till then it is left out of the state.
  const unsent: Partial<EndpointInputs> = { ...inputs };
  for (const name of changed) delete unsent[name];
  let state = stateOf(record, unsent, { set: setIn(inputs), ...book });
  try {
    if (!adopted) {
      // What the interrupted run began may yet fail, which that run could tell nobody.
      const begun = await recoverCreate(context, record);
      const waited = await waitFor(context, record.projectId, begun.operations);
      assertEnded(id, state, waited);
    }
    if (changed.length === 0) return { id, state };
    const result = await patch(context, { record, inputs, changed, moment });
    state = stateOf(result.endpoint, inputs, book);
    assertEnded(id, state, result);
    const shown = await compareShown(context, { record: result.endpoint, inputs, sent: changed });
    state = stateOf(shown.record, inputs, { ...book, spelled: shown.spelled });
    if (shown.error) throw shown.error;
    return { id, state };
  } catch (error) {
    if (isKind(error, "not_found") && !(error instanceof PartialError)) throw error;
    throw partial(id, state, error);
  }
}
