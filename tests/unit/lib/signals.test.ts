import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { joinSignals, onAbort } from "../../../provider/lib/clock";

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
