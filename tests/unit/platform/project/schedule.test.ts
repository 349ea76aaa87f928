import { describe, expect, it } from "vitest";
import { MAX_POLL_GAP_MS, PollBudget, pollGapMs } from "../../../../provider/platform/project/schedule";
import { createVirtualClock } from "../../../support/virtual-clock";

// Specification, section 8.
describe("pollGapMs", () => {
  it.each([1, 100, 500, 1_000, 3_000, 10_000, 60_000, 600_000])("sees the end of %i ms soon enough", (durationMs) => {
    let at = 0;
    while (at < durationMs) at += pollGapMs(at);
    expect(at - durationMs).toBeLessThanOrEqual(Math.min(300 + 0.25 * durationMs, MAX_POLL_GAP_MS));
  });

  it("is never longer than the specification's interval", () => {
    expect(pollGapMs(3_600_000)).toBe(5_000);
  });
});

describe("PollBudget", () => {
  it("lets no more than two calls a second through, after a short burst", async () => {
    const clock = createVirtualClock();
    const budget = new PollBudget(clock);
    let calls = 0;
    const endMs = clock.now() + 60_000;
    const spend = async () => {
      while (clock.now() < endMs) {
        const ms = budget.waitMs();
        if (ms > 0) await clock.sleep(ms);
        else {
          budget.spend();
          calls += 1;
        }
      }
    };
    await clock.run(spend());
    expect(calls).toBeLessThanOrEqual(120);
    expect(calls).toBeGreaterThan(100);
  });
});
