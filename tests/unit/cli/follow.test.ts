import { expect, it } from "vitest";
import { followOperations } from "../../../cli/operations/command";
import type { OperationRecord } from "../../../provider/platform/records";
import { nowMs, operation } from "./support/live";

/** The operations of a list that one look reads, whose first is the most recent and all of which are known. */
async function readBy(known: OperationRecord[]): Promise<string[]> {
  const read: string[] = [];
  const stop = new AbortController();
  await followOperations("p-1", known, {
    api: {
      async *allOperations() {
        for (const one of known) {
          read.push(one.id);
          yield one;
        }
      },
    },
    clock: {
      now: () => nowMs,
      // The second look is one too many.
      sleep: async () => (read.length > 0 ? stop.abort() : undefined),
    },
    signal: stop.signal,
    onChange: () => {},
    onTrouble: () => {},
  });
  return read;
}

const recent = operation("start_compute", "2026-01-31T11:00:00Z");
const failed = { ...operation("apply_config", "2026-01-31T10:00:00Z"), status: "failed" };

it.each([
  ["under way", { ...failed, status: "running" }, true],
  ["failed, and was tried again just now", { ...failed, retryAt: "2026-01-31T11:59:30Z" }, true],
  ["failed, and was tried again long ago", { ...failed, retryAt: "2026-01-31T10:01:00Z" }, false],
  ["failed", failed, false],
])("a look reads on to an operation only while it can change: one that %s", async (_, old, isRead) => {
  expect(await readBy([recent, old])).toEqual([recent, ...(isRead ? [old] : [])].map(({ id }) => id));
});
