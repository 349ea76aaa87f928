import { describe, expect, it } from "vitest";
import { useBench } from "../../support/bench";

describe("the virtual clock", () => {
  it("lets hours pass between real calls, for the provider and the emulator alike", async () => {
    const { clock, emulator, run, account } = await useBench({ operationMs: 3_600_000 });
    const { api } = account();
    const work = async () => {
      const { operations } = await api.startEndpoint(emulator.projectId, emulator.endpointId);
      const id = operations[0]?.id ?? "";
      const before = await api.getOperation(emulator.projectId, id);
      await clock.sleep(3_600_000);
      return [before.status, (await api.getOperation(emulator.projectId, id)).status];
    };
    expect(await run(work())).toEqual(["scheduling", "finished"]);
    expect(clock.elapsedMs()).toBe(3_600_000);
    expect(clock.calling()).toBe(0);
    expect(clock.sleeping()).toBe(0);
  });

  it("lets no time pass while a call is under way", async () => {
    const { clock, emulator, run, account } = await useBench();
    const { api } = account();
    const seen: number[] = [];
    const work = Promise.all([
      clock.sleep(10).then(() => seen.push(clock.elapsedMs())),
      ...Array.from({ length: 20 }, () =>
        api.listEndpoints(emulator.projectId).then(() => seen.push(clock.elapsedMs())),
      ),
    ]);
    await run(work);
    expect(seen).toEqual([...Array.from({ length: 20 }, () => 0), 10]);
  });

  it("wakes sleepers in the order of their time, and those that are aborted at once", async () => {
    const { clock, run } = await useBench();
    const order: string[] = [];
    const controller = new AbortController();
    const sleeper = (ms: number, signal?: AbortSignal) =>
      clock.sleep(ms, signal).then(
        () => order.push(`${ms}`),
        () => order.push(`${ms} aborted`),
      );
    const work = Promise.all([sleeper(30), sleeper(10), sleeper(20), sleeper(99, controller.signal)]);
    controller.abort();
    await run(work);
    expect(order).toEqual(["99 aborted", "10", "20", "30"]);
    expect(clock.elapsedMs()).toBe(30);
  });

  it("passes a span of time and stops at its end", async () => {
    const { clock } = await useBench();
    let woken = false;
    const sleeping = clock.sleep(50).then(() => {
      woken = true;
    });
    await clock.pass(49);
    expect([woken, clock.elapsedMs(), clock.sleeping()]).toEqual([false, 49, 1]);
    await clock.pass(1);
    await sleeping;
    expect([woken, clock.elapsedMs(), clock.sleeping()]).toEqual([true, 50, 0]);
  });

  it("says so when the work waits for nothing", async () => {
    const { run } = await useBench();
    await expect(run(new Promise(() => {}))).rejects.toThrow("no clock and no call");
  });
});
