import type { Clock } from "../../provider/lib/clock";
import type { Api } from "../../provider/platform/api";
import { isKind } from "../../provider/platform/errors";
import { isOpen } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";

/** Milliseconds between two looks. */
const FOLLOW_GAP_MS = 2_000;

const CALL_SIZE = 100;

/** What following needs from outside. */
export interface Following {
  api: Pick<Api, "allOperations">;
  clock: Clock;
  signal: AbortSignal;
  /** An operation that is new, or whose status is. In the order in which they began. */
  onChange(operation: OperationRecord): void;
  /** A look that failed, and may work again; the next one is made as usual. */
  onTrouble(message: string): void;
}

/**
 * Tells of every new operation and every new status until the signal is aborted. `known` are the operations that were told
 * of already. Throws what cannot heal by itself.
 */
export async function followOperations(
  projectId: string,
  known: readonly OperationRecord[],
  following: Following,
): Promise<void> {
  const { clock, signal, onChange, onTrouble } = following;
  const seen = new Map(known.map((operation) => [operation.id, operation]));
  while (!signal.aborted) {
    await clock.sleep(FOLLOW_GAP_MS, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      const changed = await look(projectId, seen, following);
      for (const operation of changed.reverse()) onChange(operation);
    } catch (error) {
      if (signal.aborted) return;
      if (!isKind(error, "server", "unreachable", "answer_lost", "bad_answer", "rate_limited")) throw error;
      onTrouble(error.message);
    }
  }
}

/** What changed, most recent first. Reads on until all is known, and everything that was still open has been met. */
async function look(projectId: string, seen: Map<string, OperationRecord>, { api, clock, signal }: Following) {
  const open = new Set([...seen.values()].filter((one) => isOpen(one, clock.now())).map(({ id }) => id));
  const oldest = Math.min(...[...open].map((id) => Date.parse(seen.get(id)?.createdAt ?? "")));
  const changed: OperationRecord[] = [];
  const first = seen.size === 0;
  for await (const operation of api.allOperations(projectId, { limit: CALL_SIZE }, { signal })) {
    const before = seen.get(operation.id);
    if (before?.status !== operation.status) changed.push(operation);
    open.delete(operation.id);
    // An operation that the platform no longer lists must not make every look read the whole list.
    const past = open.size === 0 || Date.parse(operation.createdAt) < oldest;
    if (past && (before !== undefined || (first && changed.length >= CALL_SIZE))) break;
  }
  for (const operation of changed) seen.set(operation.id, operation);
  return changed;
}
