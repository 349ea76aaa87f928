import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { onAbort, systemClock } from "../../../provider/lib/clock";

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
