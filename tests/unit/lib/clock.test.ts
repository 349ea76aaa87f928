import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { joinSignals, onAbort, pause, systemClock } from "../../../provider/lib/clock";
import { createVirtualClock } from "../../support/virtual-clock";

afterEach(() => vi.useRealTimers());

describe("the machine's clock", () => {
  it("goes on from where it was when somebody sets it back", () => {
    const beforeMs = systemClock.now();
    const setBack = vi.spyOn(Date, "now").mockReturnValue(beforeMs - 3_600_000);
    expect(systemClock.now()).toBeGreaterThanOrEqual(beforeMs);
    setBack.mockRestore();
    expect(Math.abs(beforeMs - Date.now())).toBeLessThan(60_000);
  });

  it("sleeps for 24 days where it is to sleep longer than a timer takes, and wakes at once when it is interrupted", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const sleep = systemClock.sleep(2 ** 40, controller.signal).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(2 ** 31 - 2);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort("stop");
    expect(await sleep).toBe("stop");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a pause", () => {
  it("says that it waits and for what, where it is long", async () => {
    const clock = createVirtualClock();
    const said: string[] = [];
    const onWait = (message: string) => said.push(message);
    const beganMs = clock.now();
    await clock.run(pause(clock, { ms: 30_000, reason: "the platform asks for it", onWait }));
    await clock.run(pause(clock, { ms: 500, reason: "nobody notices", onWait }));
    expect(clock.now() - beganMs).toBe(30_500);
    expect(said).toEqual(["waiting 30 s: the platform asks for it"]);
  });

  it("ends at once when it is interrupted, also before it begins", async () => {
    const clock = createVirtualClock();
    await expect(pause(clock, { ms: 0, reason: "a test", signal: AbortSignal.abort("stop") })).rejects.toBe("stop");
  });
});

describe("onAbort", () => {
  it("tells as many as there are, without a warning of Node", async () => {
    const controller = new AbortController();
    const warned = Promise.race([once(process, "warning"), new Promise((resolve) => setTimeout(resolve, 20, "none"))]);
    const listener = vi.fn();
    for (let one = 0; one < 50; one += 1) onAbort(controller.signal, () => listener(one));
    controller.abort();
    expect(listener).toHaveBeenCalledTimes(50);
    expect(await warned).toBe("none");
  });

  it("tells nobody who has let go, and needs no signal", () => {
    const controller = new AbortController();
    const listener = vi.fn();
    onAbort(controller.signal, listener)();
    onAbort(undefined, listener)();
    controller.abort();
    expect(listener).not.toHaveBeenCalled();
  });
});

describe("joined signals", () => {
  it("are aborted with either, or from the start", () => {
    for (const which of [0, 1]) {
      const both = [new AbortController(), new AbortController()] as const;
      const { signal } = joinSignals(both[0].signal, both[1].signal);
      expect(signal.aborted).toBe(false);
      both[which]?.abort();
      expect(signal.aborted).toBe(true);
      expect(joinSignals(both[0].signal, both[1].signal).signal.aborted).toBe(true);
    }
  });

  it("let go of both", () => {
    const own = new AbortController();
    const joined = joinSignals(own.signal, undefined);
    joined.release();
    own.abort();
    expect(joined.signal.aborted).toBe(false);
  });
});
