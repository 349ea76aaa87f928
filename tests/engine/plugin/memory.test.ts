import { describe, expect, it } from "vitest";
import { aloneSteps, liveAlone } from "../../bench/plugin-alone";

const COUNT = 1_000;
const MOST_MB = 150;

// Without the engine, which only waits longer between the calls: the garbage of a fleet piles up fastest here.
describe("the plugin's memory", () => {
  it(`stays under ${MOST_MB} MB in every step of a thousand endpoints' life`, async () => {
    const { runs } = await liveAlone({ count: COUNT, parallel: 50, operationMs: 50 });
    expect(runs.map(({ step }) => step)).toEqual(aloneSteps);
    for (const { step, calls, peakMb } of runs) {
      expect(calls).toBeGreaterThan(step === "refresh" || step === "no change" ? 0 : COUNT);
      expect(peakMb).toBeGreaterThan(0);
      expect(peakMb).toBeLessThan(MOST_MB);
    }
  });
});
