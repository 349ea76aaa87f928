import { describe, expect, it } from "vitest";
import { RecentOperations } from "../../../../provider/platform/project/recent-operations";
import type { OperationRecord, Page } from "../../../../provider/platform/records";
import { createVirtualClock } from "../../../support/virtual-clock";

const PROJECT = "quiet-lake-12345678";
const CREATED = "2024-05-01T10:00:00Z";

/** Five hundred a second, the newest first. */
function operation(at: number, status = "running"): OperationRecord {
  const createdAt = new Date(Date.parse(CREATED) - 1_000 * Math.floor(at / 500)).toISOString();
  const place = { id: `op-${at}`, projectId: PROJECT, branchId: `br-${at}`, endpointId: `ep-${at}` };
  return { ...place, action: "apply_config", status, failuresCount: 0, createdAt, updatedAt: createdAt };
}

/** A platform with so many operations, the first of which are open; each page waits until it is let through. */
function platformWith({ open, ended = 0 }: { open: number; ended?: number }) {
  const all = Array.from({ length: open + ended }, (_, at) => operation(at, at < open ? "running" : "finished"));
  const signals: (AbortSignal | undefined)[] = [];
  const api = {
    platformTime: () => undefined,
    async listOperations(
      _: string,
      { limit = 0, cursor = "0" }: { limit?: number; cursor?: string } = {},
      { signal }: { signal?: AbortSignal } = {},
    ): Promise<Page<OperationRecord>> {
      signals.push(signal);
      const end = Number(cursor) + limit;
      const page = { items: all.slice(Number(cursor), end) };
      return end < all.length ? { ...page, cursor: String(end) } : page;
    },
  };
  return { signals, operations: new RecentOperations(api, createVirtualClock(), PROJECT) };
}

function targetOf(at: number) {
  return { endpointId: `ep-${at}`, branchIds: [`br-${at}`] };
}

describe("the recent operations of a project", () => {
  it("are read as far down as the target's, and no further", async () => {
    const { operations, signals } = platformWith({ open: 1_000 });
    expect((await operations.look(targetOf(450))).map(({ id }) => id)).toContain("op-450");
    expect(signals).toHaveLength(3);
  });

  it("are read down to a page of which all have ended, and down to a bound", async () => {
    const some = platformWith({ open: 250, ended: 5_000 });
    expect(await some.operations.look(targetOf(9_999))).toHaveLength(600);
    expect(some.signals).toHaveLength(3);
    const many = platformWith({ open: 9_000 });
    expect(await many.operations.look(targetOf(9_999))).toHaveLength(4_000);
    expect(many.signals).toHaveLength(20);
  });

  it("are read down to the moment since which a target's count though they have ended, and no further", async () => {
    const { operations, signals } = platformWith({ open: 10, ended: 5_000 });
    // A change has several, and a page may end between them.
    const made = { ...targetOf(1), sinceMs: Date.parse(CREATED) };
    expect((await operations.look(made)).map(({ id }) => id)).toContain("op-499");
    expect(signals).toHaveLength(3);
    await operations.look({ ...targetOf(9_999), sinceMs: Date.parse(CREATED) + 1_000 });
    expect(signals).toHaveLength(4);
  });

  it("are looked at together by all who come while a look is under way, and after they have come", async () => {
    const { operations, signals } = platformWith({ open: 100 });
    const first = operations.look(targetOf(0));
    await Promise.resolve();
    const others = Array.from({ length: 99 }, (_, at) => operations.look(targetOf(at + 1)));
    await Promise.all([first, ...others]);
    expect(signals).toHaveLength(2);
  });

  it("are given up when the last who waits has left, and not before", async () => {
    const { operations, signals } = platformWith({ open: 10 });
    const stops = [new AbortController(), new AbortController()];
    const looks = stops.map(({ signal }, at) => operations.look(targetOf(at), signal));
    const settled = Promise.allSettled(looks);
    stops[0]?.abort();
    // Who comes after the last one has left gets a look of its own.
    stops[1]?.abort();
    const later = await operations.look(targetOf(3));
    expect(later).toHaveLength(10);
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(signals).toHaveLength(1);

    const [leaving, staying] = [new AbortController(), new AbortController()];
    const left = operations.look(targetOf(1), leaving.signal).catch((error: Error) => error);
    const stayed = operations.look(targetOf(2), staying.signal);
    leaving.abort();
    expect(await left).toMatchObject({ kind: "cancelled" });
    expect(await stayed).toHaveLength(10);
    expect(signals.at(-1)?.aborted).toBe(false);
  });
});
