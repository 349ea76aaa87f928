import { afterEach, describe, expect, it, vi } from "vitest";
import { pause, systemClock } from "../../../provider/lib/clock";
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

  it.each([2 ** 31, 999_999_999_000])("sleeps %i ms, which are more than a timer takes", async (ms) => {
    vi.useFakeTimers();
    let awake = false;
    void systemClock.sleep(ms).then(() => {
      awake = true;
    });
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(awake).toBe(true);
  });

  it("wakes at once when it is interrupted, and leaves no timer", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const sleep = systemClock.sleep(2 ** 40, controller.signal).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(2 ** 32);
    controller.abort("stop");
    expect(await sleep).toBe("stop");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a pause", () => {
  it.each<[number, number | undefined, number, boolean]>([
    [5_000, undefined, 5_000, true],
    [5_000, 9_000, 5_000, true],
    [3_600_000, 4_000, 4_000, false],
    [Number.POSITIVE_INFINITY, 4_000, 4_000, false],
    [5_000, -1, 0, false],
    [0, 0, 0, true],
  ])("of %s ms with a deadline in %s lasts %s", async (ms, deadlineInMs, lastsMs, isWhole) => {
    const clock = createVirtualClock();
    const beganMs = clock.now();
    const deadlineMs = deadlineInMs === undefined ? undefined : beganMs + deadlineInMs;
    expect(await clock.run(pause(clock, { ms, reason: "a test", deadlineMs }))).toBe(isWhole);
    expect(clock.now() - beganMs).toBe(lastsMs);
  });

  it("says that it waits and for what, where it is long", async () => {
    const clock = createVirtualClock();
    const said: string[] = [];
    const onWait = (message: string) => said.push(message);
    await clock.run(
      pause(clock, { ms: 90_000, reason: "the platform asks for it", deadlineMs: clock.now() + 30_000, onWait }),
    );
    await clock.run(pause(clock, { ms: 500, reason: "nobody notices", onWait }));
    expect(said).toEqual(["waiting 30 s: the platform asks for it"]);
  });

  it("ends at once when it is interrupted, also before it begins", async () => {
    const clock = createVirtualClock();
    await expect(pause(clock, { ms: 0, reason: "a test", signal: AbortSignal.abort("stop") })).rejects.toBe("stop");
  });
});
