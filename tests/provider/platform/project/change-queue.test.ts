import { describe, expect, it } from "vitest";
import type { EmulatorOptions, LockMode } from "../../../../emulator";
import { PartialError, PgComputeError } from "../../../../provider/platform/errors";
import type { ChangeOptions } from "../../../../provider/platform/project/change-queue";
import { useBench } from "../../../support/bench";

// Specification, section 7.

const TIMEOUT_MS = 3_600_000;

describe("the queue of changes", () => {
  it.each([423, 422] as const)("waits for somebody else's operation on the branch (%i)", async (lockStatus) => {
    const { pass, create, busy, run, bench, clock, emulator } = await setUp({ operationMs: 30_000, lockStatus });
    const branchId = bench.branch();
    busy({ branchId });
    await run(pass(create(branchId)));
    expect(bench.on(branchId)).toHaveLength(1);
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(60_000);
    expect(emulator.admin.counts().byStatus[lockStatus]).toBe(1);
  });

  it("says on the row after 2 s what locks the branch, and how long it has", async () => {
    const { pass, create, busy, run, bench } = await setUp({ operationMs: 30_000 });
    const branchId = bench.branch();
    const said: string[] = [];
    busy({ branchId });
    await run(pass(create(branchId), { onWait: (line) => said.push(line) }));
    const lines = [2, 12, 22, 32].map(
      (s) => `waiting for check_availability of another change, which locks this one, ${s} s`,
    );
    expect(said).toEqual(lines);
  });

  it("does not take the project for locked where what was in the way has ended before the look", async () => {
    const { attempted, busy, bench, clock } = await setUp({ operationMs: 60_000 });
    busy({ branchId: bench.branch() });
    expect(await bench.run(attempted([bench.branch()], 1))).toBe(2);
    expect(clock.elapsedMs()).toBeLessThan(5_000);
  });

  it("does not wait for a neighbour's operation where its own was in the way and has ended before the look", async () => {
    const { attempted, busy, hang, bench, clock, emulator } = await setUp({ operationMs: 1_000 });
    const { endpointId, branchId } = emulator;
    hang();
    busy({ branchId });
    const before = async () => {
      busy({ endpointId });
      await clock.sleep(3_000);
    };
    expect(await bench.run(attempted([branchId], 1, { endpointId, before }))).toBe(2);
    expect(clock.elapsedMs()).toBeLessThan(10_000);
  });

  it("repeats a 422 once where what was in the way has ended before the look", async () => {
    const { attempted, busy, bench, clock } = await setUp({ operationMs: 1_000 });
    await clock.pass(60_000);
    const branchId = bench.branch();
    busy({ branchId });
    const passing = (refusals: number) =>
      attempted([branchId], refusals, { kind: "not_ready", before: () => clock.sleep(2_000) });
    expect(await bench.run(passing(1))).toBe(2);
    // Nothing has happened there since then.
    await clock.pass(5_000);
    expect((await bench.fails(passing(9))).message).toBe("refused, call 1");
  });

  it("does not take the project for locked where each refusal has something near that explains it", async () => {
    const { attempted, busy, hang, bench, clock } = await setUp({ operationMs: 2_000 });
    const branchId = bench.branch();
    hang();
    busy({ branchId: bench.branch() });
    expect(await bench.run(attempted([branchId], 4, { before: () => busy({ branchId }) }))).toBe(5);
    expect(clock.elapsedMs()).toBeLessThan(30_000);
  });

  it("never repeats a change that has got as far as an endpoint", async () => {
    const { changes, bench, emulator } = await setUp();
    const cause = new PgComputeError("locked", "another operation is running");
    let calls = 0;
    const call = async (): Promise<never> => {
      calls += 1;
      throw new PartialError(`${emulator.projectId}/ep-made-1`, {}, cause);
    };
    const passing = changes.run({ branchIds: [] }, call, { timeoutMs: TIMEOUT_MS });
    expect(await bench.fails(passing)).toBeInstanceOf(PartialError);
    expect(calls).toBe(1);
  });

  it("does not count the wait for its turn as a wait for what is in its way", async () => {
    const { pass, create, run, bench, emulator } = await setUp({ lock: "project", operationMs: 10_000 });
    await run(Promise.all(Array.from({ length: 10 }, () => pass(create(), { timeoutMs: 60_000 }))));
    expect(bench.emulator.admin.project(emulator.projectId).endpoints.length).toBeGreaterThan(10);
  });

  it("keeps the line where one who waits in it leaves", async () => {
    const { changes, attempted, busy, bench, clock } = await setUp();
    const branchIds = [bench.branch()];
    await bench.run(attempted(branchIds, 2, { before: () => busy({ branchId: bench.branch() }) }));
    const said: string[] = [];
    const turn = (name: string, signal?: AbortSignal) => {
      const attempt = async () => {
        said.push(name);
        await clock.sleep(10_000);
        said.push(`${name} ends`);
      };
      return changes.run({ branchIds }, attempt, { timeoutMs: TIMEOUT_MS, signal });
    };
    const leaving = new AbortController();
    const all = Promise.allSettled([turn("one"), turn("two", leaving.signal), turn("three")]);
    await clock.pass(1_000);
    leaving.abort();
    await bench.run(all);
    expect(said).toEqual(["one", "one ends", "three", "three ends"]);
  });

  it("takes a 422 without anything under way for the last word", async () => {
    const { changes, run, bench, emulator, account, clock } = await setUp();
    const { projectId, endpointId, branchId } = emulator;
    await clock.pass(5_000);
    const error = await bench.fails(
      changes.run({ branchIds: [branchId], endpointId }, () => account.api.deleteEndpoint(projectId, endpointId), {
        timeoutMs: TIMEOUT_MS,
      }),
    );
    expect(error).toMatchObject({ kind: "not_ready" });
    await run(Promise.resolve());
    expect(emulator.admin.log({ route: "endpoints.delete" })).toHaveLength(1);
  });

  it.each([423, 422] as const)("gives up with the platform's words when the time is over (%i)", async (lockStatus) => {
    const { pass, create, busy, hang, bench, clock } = await setUp({ lockStatus });
    const branchId = bench.branch();
    hang();
    busy({ branchId });
    const error = await bench.fails(pass(create(branchId), { timeoutMs: 30_000 }));
    expect(error).toMatchObject({ kind: "locked", status: lockStatus });
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(30_000);
    expect(clock.elapsedMs()).toBeLessThan(40_000);
    expect(clock.sleeping()).toBe(0);
  });

  it.each<[string, LockMode, number]>([
    ["its branch", "endpoint", 0],
    // The first to come has the turn and its answer; only its wait is cut short.
    ["its turn", "project", 1],
  ])("ends at once when it is cancelled while waiting for %s", async (_, lock, through) => {
    const { pass, create, busy, bench, clock } = await setUp({ lock, operationMs: 600_000 });
    const branchId = bench.branch();
    if (through === 0) busy({ branchId });
    const controller = new AbortController();
    const works = Array.from({ length: 4 }, () => pass(create(branchId, "read_only"), { signal: controller.signal }));
    const settled = Promise.allSettled(works);
    await clock.pass(30_000);
    const beganMs = clock.now();
    controller.abort();
    const ends = await bench.run(settled);
    expect(clock.now()).toBe(beganMs);
    const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
    expect(errors.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 - through }, () => "cancelled"));
    expect(clock.sleeping()).toBe(0);
  });
});

async function setUp(options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const { emulator } = bench;
  const { projectId } = emulator;
  const account = bench.account();
  const { changes, waiter } = account.project(projectId);
  const { api } = account;
  type Change = { branchIds: string[]; send(): ReturnType<typeof api.createEndpoint> };
  return {
    ...bench,
    ...{ bench, account, changes },
    /** Something is under way there. */
    busy: (place: { branchId?: string; endpointId?: string }) =>
      emulator.admin.startOperation({ projectId, action: "check_availability", ...place }),
    /** The next operation does not end. */
    hang: () => emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } }),
    /** A change that is refused so often, and how many calls it took. */
    attempted(branchIds: string[], refusals: number, { endpointId, kind = "locked", before }: Attempt = {}) {
      let calls = 0;
      const attempt = async (): Promise<number> => {
        calls += 1;
        if (calls > refusals) return calls;
        await before?.();
        throw new PgComputeError(kind, `refused, call ${calls}`);
      };
      return changes.run({ branchIds, ...(endpointId && { endpointId }) }, attempt, { timeoutMs: TIMEOUT_MS });
    },
    create(branchId: string = bench.branch(), type = "read_write"): Change {
      return { branchIds: [branchId], send: () => api.createEndpoint(projectId, { branchId, type }) };
    },
    pass({ send, ...target }: Change, options: Partial<ChangeOptions> = {}): Promise<string> {
      const { timeoutMs = TIMEOUT_MS, signal } = options;
      const attempt = async () => {
        const { endpoint, operations } = await send();
        await waiter.wait(operations, { timeoutMs, signal });
        return endpoint.id;
      };
      return changes.run(target, attempt, { timeoutMs, ...options });
    },
  };
}

interface Attempt {
  endpointId?: string;
  kind?: "locked" | "not_ready";
  /** What happens before each refusal. */
  before?(): unknown;
}
