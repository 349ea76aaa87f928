import { describe, expect, it } from "vitest";
import { PlatformClock } from "../../../../provider/platform/http/send";

const NOW = Date.UTC(2025, 0, 1, 12, 0, 0, 700);

function useClock() {
  let nowMs = NOW;
  const clock = new PlatformClock({ now: () => nowMs, sleep: async () => {} });
  return { clock, pass: (ms: number) => (nowMs += ms) };
}

describe("the platform's clock", () => {
  it("is not known before an answer has told", () => {
    expect(useClock().clock.now()).toBeUndefined();
  });

  it.each([0, 5, -5])("goes on from the last answer, on a machine that is %i hours off", (hours) => {
    const { clock, pass } = useClock();
    const platformMs = NOW - hours * 3_600_000;
    clock.learn(new Date(platformMs).toUTCString());
    pass(2_500);
    // The tenths that a Date leaves out.
    expect(clock.now()).toBe(platformMs + 2_500 - 700);
    clock.learn(new Date(platformMs + 2_500).toUTCString());
    expect(clock.now()).toBe(platformMs + 2_500 - 200);
  });

  it.each([undefined, "", "1", "2025-01-01T12:00:00Z", "Wed, no date at all", "1735732800"])(
    "learns nothing from %j",
    (date) => {
      const { clock } = useClock();
      clock.learn(date);
      expect(clock.now()).toBeUndefined();
    },
  );
});
