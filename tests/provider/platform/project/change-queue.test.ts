import { describe, expect, it } from "vitest";
import type { EmulatorOptions, LockMode } from "../../../../emulator";
import { PartialError, PgComputeError } from "../../../../provider/platform/errors";
import { useBench } from "../../../support/bench";

// Specification, section 7.

const TIMEOUT_MS = 3_600_000;

describe("the queue of changes", () => {
  it.each([423, 422] as const)("waits for somebody else's operation on the branch (%i)", async (lockStatus) => {
    const { pass, create, run, bench, clock, emulator } = await setUp({ operationMs: 30_000, lockStatus });
    const branchId = bench.branch();
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", branchId });
    await run(pass(create(branchId)));
    expect(bench.on(branchId)).toHaveLength(1);
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(60_000);
    expect(refusals(emulator, lockStatus)).toBe(1);
  });

  it("does not take the project for locked where what was in the way has ended before the look", async () => {
    const { changes, bench, clock, emulator } = await setUp({ operationMs: 60_000 });
    const branchId = bench.branch();
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", branchId });
    let calls = 0;
    const attempt = async (): Promise<void> => {
      calls += 1;
      if (calls === 1) throw new PgComputeError("locked", "another operation is running");
    };
    await bench.run(changes.run({ branchIds: [bench.branch()] }, attempt, { timeoutMs: TIMEOUT_MS }));
    expect(calls).toBe(2);
    expect(clock.elapsedMs()).toBeLessThan(5_000);
  });

  it("does not wait for a neighbour's operation where its own was in the way and has ended before the look", async () => {
    const { changes, bench, clock, emulator } = await setUp({ operationMs: 1_000 });
    const { admin, projectId, endpointId, branchId } = emulator;
    admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } });
    admin.startOperation({ projectId, action: "check_availability", branchId });
    let calls = 0;
    const attempt = async (): Promise<number> => {
      calls += 1;
      if (calls > 1) return calls;
      admin.startOperation({ projectId, action: "check_availability", endpointId });
      await clock.sleep(3_000);
      throw new PgComputeError("locked", "another operation is running");
    };
    const passing = changes.run({ branchIds: [branchId], endpointId }, attempt, { timeoutMs: 600_000 });
    expect(await bench.run(passing)).toBe(2);
    expect(clock.elapsedMs()).toBeLessThan(10_000);
  });

  it("repeats a 422 once where what was in the way has ended before the look", async () => {
    const { changes, bench, clock, emulator } = await setUp({ operationMs: 1_000 });
    await clock.pass(60_000);
    const branchId = bench.branch();
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", branchId });
    const passing = (refusals: number) => {
      let calls = 0;
      const attempt = async (): Promise<number> => {
        calls += 1;
        if (calls > refusals) return calls;
        await clock.sleep(2_000);
        throw new PgComputeError("not_ready", `not ready, call ${calls}`);
      };
      return changes.run({ branchIds: [branchId] }, attempt, { timeoutMs: TIMEOUT_MS });
    };
    expect(await bench.run(passing(1))).toBe(2);
    // Nothing has happened there since then.
    await clock.pass(5_000);
    expect((await bench.fails(passing(9))).message).toBe("not ready, call 1");
  });

  it("does not take the project for locked where each refusal has something near that explains it", async () => {
    const { changes, bench, clock, emulator } = await setUp({ operationMs: 2_000 });
    const { admin, projectId } = emulator;
    const branchId = bench.branch();
    admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } });
    admin.startOperation({ projectId, action: "check_availability", branchId: bench.branch() });
    let calls = 0;
    const attempt = async (): Promise<number> => {
      calls += 1;
      if (calls > 4) return calls;
      admin.startOperation({ projectId, action: "check_availability", branchId });
      throw new PgComputeError("locked", "another operation is running");
    };
    expect(await bench.run(changes.run({ branchIds: [branchId] }, attempt, { timeoutMs: TIMEOUT_MS }))).toBe(5);
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
    await run(Promise.all(Array.from({ length: 10 }, () => pass(create(), 60_000))));
    expect(bench.emulator.admin.project(emulator.projectId).endpoints.length).toBeGreaterThan(10);
  });

  it("keeps the line where one who waits in it leaves", async () => {
    const { changes, bench, clock, emulator } = await setUp();
    const branchIds = [bench.branch()];
    let calls = 0;
    const refused = async () => {
      calls += 1;
      if (calls > 2) return;
      emulator.admin.startOperation({ projectId: emulator.projectId, action: "a", branchId: bench.branch() });
      throw new PgComputeError("locked", "another operation is running");
    };
    await bench.run(changes.run({ branchIds }, refused, { timeoutMs: TIMEOUT_MS }));
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
    const { pass, create, bench, clock, emulator } = await setUp({ lockStatus });
    const branchId = bench.branch();
    emulator.admin.addFault({ on: "operation", effect: { kind: "hang" } });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", branchId });
    const error = await bench.fails(pass(create(branchId), 30_000));
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
    const { pass, create, bench, clock, emulator } = await setUp({ lock, operationMs: 600_000 });
    const branchId = bench.branch();
    if (through === 0) {
      emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", branchId });
    }
    const controller = new AbortController();
    const works = Array.from({ length: 4 }, () => pass(create(branchId, "read_only"), TIMEOUT_MS, controller.signal));
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

function refusals(emulator: { admin: { counts(): { byStatus: Record<string, number> } } }, status = 423): number {
  return emulator.admin.counts().byStatus[String(status)] ?? 0;
}

async function setUp(options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const { emulator } = bench;
  const { projectId } = emulator;
  const account = bench.account();
  const { changes, waiter } = account.project(projectId);
  const { api } = account;
  type Change = { branchIds: string[]; endpointId?: string; send(): ReturnType<typeof api.createEndpoint> };
  return {
    ...bench,
    bench,
    account,
    changes,
    create(branchId: string = bench.branch(), type = "read_write"): Change {
      return { branchIds: [branchId], send: () => api.createEndpoint(projectId, { branchId, type }) };
    },
    update(endpointId: string, sizeCu: number): Change {
      const body = { autoscalingLimitMinCu: sizeCu, autoscalingLimitMaxCu: sizeCu };
      const branchIds = [emulator.admin.endpoint(endpointId).branch_id];
      return { branchIds, endpointId, send: () => api.updateEndpoint(projectId, endpointId, body) };
    },
    pass({ send, ...target }: Change, timeoutMs = TIMEOUT_MS, signal?: AbortSignal): Promise<string> {
      return changes.run(
        target,
        async () => {
          const { endpoint, operations } = await send();
          await waiter.wait(operations, { timeoutMs, signal });
          return endpoint.id;
        },
        { timeoutMs, signal },
      );
    },
  };
}
