import type { Api } from "../api/api";
import { isKind } from "../api/errors";
import type { OperationRecord } from "../api/records";

const MAX_PAGE = 1_000;
const SPARE = 100;
const PER_WANTED = 4;

/**
 * Looks at several operations of a project with as few calls as it can: a lone one by id (specification, section 4.2),
 * several from the list, newest first, until all were met or the list is past the oldest (section 4.1). What the list
 * does not show is asked for by id before it is called vanished.
 */
export async function findOperations(
  api: Pick<Api, "getOperation" | "listOperations">,
  projectId: string,
  wanted: readonly OperationRecord[],
  onCall: () => void = () => {},
): Promise<Map<string, OperationRecord | "vanished">> {
  const found = new Map<string, OperationRecord | "vanished">();
  if (wanted.length > 1) await fromList(api, projectId, wanted, found, onCall);
  for (const { id } of wanted) {
    if (found.has(id)) continue;
    onCall();
    found.set(id, await byId(api, projectId, id));
  }
  return found;
}

async function fromList(
  api: Pick<Api, "listOperations">,
  projectId: string,
  wanted: readonly OperationRecord[],
  found: Map<string, OperationRecord | "vanished">,
  onCall: () => void,
): Promise<void> {
  const missing = new Set(wanted.map((operation) => operation.id));
  const oldest = Math.min(...wanted.map(({ createdAt }) => Date.parse(createdAt)));
  const limit = Math.min(MAX_PAGE, SPARE + PER_WANTED * wanted.length);
  let cursor: string | undefined;
  do {
    onCall();
    const page = await api.listOperations(projectId, cursor === undefined ? { limit } : { limit, cursor });
    for (const operation of page.operations) {
      if (missing.delete(operation.id)) found.set(operation.id, operation);
    }
    const last = page.operations.at(-1);
    // Timestamps are whole seconds, so the page has to be strictly past the oldest.
    if (!last || Date.parse(last.createdAt) < oldest || page.operations.length < limit || page.cursor === cursor)
      return;
    cursor = page.cursor;
  } while (missing.size > 0 && cursor !== undefined);
}

async function byId(
  api: Pick<Api, "getOperation">,
  projectId: string,
  operationId: string,
): Promise<OperationRecord | "vanished"> {
  try {
    return await api.getOperation(projectId, operationId);
  } catch (error) {
    if (isKind(error, "not_found")) return "vanished";
    throw error;
  }
}
