/** A thousand members on the virtual clock: how many calls they cost, and what a rate limit makes of them. */
import { describe, expect, it } from "vitest";
import { useFleet } from "./support";

const COUNT = 1_000;
const MOST_CALLS = 1_020;
const MINUTE = 60_000;

type Used = Awaited<ReturnType<typeof useFleet>>;

function programOf({ bench }: Used, branches: readonly string[], suspendTimeoutSeconds: number) {
  const endpoints = Object.fromEntries(branches.map((branchId, at) => [`pr-${at}`, { branchId }]));
  return { projectId: bench.emulator.projectId, defaults: { suspendTimeoutSeconds }, endpoints };
}

function branchesOf({ bench }: Used): string[] {
  return Array.from({ length: COUNT }, () => bench.branch());
}

describe("a fleet of a thousand", () => {
  it.each([200, 2_000])("costs hardly a call more than members, with operations of %i ms", async (operationMs) => {
    const used = await useFleet({ operationMs });
    const { bench, fleet } = used;
    const { admin } = bench.emulator;
    const branches = branchesOf(used);
    const steps = [
      () => fleet.up(programOf(used, branches, 600)),
      () => fleet.up(programOf(used, branches, 900)),
      () => fleet.destroy(),
    ];
    for (const step of steps) {
      admin.clearLog();
      expect((await step()).error).toBeUndefined();
      expect(admin.log().length).toBeGreaterThanOrEqual(COUNT);
      expect(admin.log().length).toBeLessThanOrEqual(MOST_CALLS);
    }
    expect(fleet.stored).toBeUndefined();
  });

  it.each(["none", "seconds"] as const)(
    "takes what 700 calls a minute dictate, Retry-After: %s",
    async (retryAfter) => {
      const used = await useFleet({ operationMs: 200, rateLimit: { perMinute: 700, retryAfter } });
      const { bench, fleet } = used;
      const program = programOf(used, branchesOf(used), 600);
      bench.emulator.admin.clearLog();
      const beganMs = bench.clock.elapsedMs();
      expect((await fleet.up(program)).error).toBeUndefined();
      const ms = bench.clock.elapsedMs() - beganMs;
      const log = bench.emulator.admin.log();
      const refused = log.filter(({ status }) => status === 429).length;
      // The burst at once, the rest at the limit's rate.
      const dictatedMs = ((log.length - refused - 700) * MINUTE) / 700;
      expect(ms).toBeLessThanOrEqual(1.3 * dictatedMs);
      expect(log.length - refused).toBeLessThanOrEqual(1.15 * COUNT);
      expect(refused).toBeLessThanOrEqual(0.05 * log.length);
    },
  );
});
