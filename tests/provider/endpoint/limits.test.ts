import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator";
import type { Api } from "../../../provider/platform/api";
import type { ApiOptions } from "../../../provider/platform/client";
import { isKind } from "../../../provider/platform/errors";
import { useBench } from "../../support/bench";
import { EnginePart, type Program } from "../../support/engine-part";
import { sampled, seed } from "../../support/random";

const AT_ONCE = 20;
const OPERATION_MS = 200;
const SLOWEST = 1.3;
const MOST_REFUSED = 0.05;
const SECOND = 1_000;
const MINUTE = 60_000;

const retryAfters = ["none", "seconds"] as const;
const limits = [
  // Fewer than a minute's calls pass at once; so there is a fleet that the limit holds back, too.
  { limit: { perMinute: 60 }, burst: 60, perMs: MINUTE, count: 20 },
  { limit: { perMinute: 60 }, burst: 60, perMs: MINUTE, count: 150 },
  { limit: { perMinute: 700 }, burst: 700, perMs: MINUTE, count: 200 },
  { limit: { perMinute: 700 }, burst: 700, perMs: MINUTE, count: 1_500 },
  { limit: { perSecond: 10 }, burst: 10, perMs: SECOND, count: 200 },
  { limit: { perSecond: 40 }, burst: 40, perMs: SECOND, count: 200 },
];

describe(`creating a fleet on an account with a rate limit (PGCOMPUTE_SEED=${seed})`, () => {
  const cases = limits.flatMap((one) => retryAfters.map((retryAfter) => ({ ...one, retryAfter })));

  it.each(sampled(cases, 5))(
    "of $limit ends without an error, in time and hardly refused: $count endpoints, Retry-After $retryAfter",
    async ({ limit, burst, perMs, count, retryAfter }) => {
      const freeMs = await unlimitedMs(count);
      const { errors, ms, calls, refused } = await create(count, { rateLimit: { ...limit, retryAfter } });
      expect(errors).toEqual([]);
      // A bucket gives its burst at once and the rest of the calls at its rate; a small fleet takes what it takes anyway.
      const dictatedMs = ((calls - refused - burst) * perMs) / burst;
      expect(ms).toBeLessThanOrEqual(SLOWEST * (dictatedMs > 0 ? dictatedMs : freeMs));
      // What is called besides the creates may not be what makes it slow.
      const leastMs = Math.max(freeMs, ((count + 2 - burst) * perMs) / burst);
      expect(ms).toBeLessThanOrEqual(SLOWEST * SLOWEST * leastMs);
      const isPublished = burst === 700 || burst === 40;
      expect(refused).toBeLessThanOrEqual((isPublished ? 1 : 2) * MOST_REFUSED * calls);
    },
  );

  it.each([1, 2.5, 10, 40])("never makes more than the %d calls a second that are configured", async (maximum) => {
    const count = Math.ceil(15 * maximum);
    const { errors, ms, calls, times } = await create(count, {}, { maxRequestsPerSecond: maximum });
    expect(errors).toEqual([]);
    const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + SECOND).length));
    expect(most).toBeLessThanOrEqual(Math.max(1, Math.floor(maximum)));
    // And it makes use of them.
    expect(ms).toBeLessThanOrEqual(
      (1.1 * SECOND * calls) / Math.min(maximum, Math.max(1, Math.floor(maximum))) + SECOND,
    );
  });
});

describe("creating a fleet in a project that does one thing at a time", () => {
  it.each([200, 2_000, 10_000])(
    "takes little longer than the operations of %i ms, and is refused twice an endpoint at most",
    async (operationMs) => {
      const count = 100;
      const { errors, ms, refusedOn } = await create(count, { lock: "project", operationMs });
      expect(errors).toEqual([]);
      expect(Math.max(...refusedOn)).toBeLessThanOrEqual(2);
      // One after the other, each seen 0.1 s late at most, since the first has told how long they take.
      expect(ms).toBeLessThanOrEqual(count * (operationMs + 100));
      expect(ms).toBeGreaterThanOrEqual(count * operationMs);
    },
  );
});

/** What so many endpoints take where there is no limit: the same each time, by the virtual clock. */
function unlimitedMs(count: number): Promise<number> {
  const known = unlimited.get(count) ?? create(count).then(({ ms }) => ms);
  unlimited.set(count, known);
  return known;
}

const unlimited = new Map<number, Promise<number>>();

/** Creates so many endpoints, each on a branch of its own, twenty at once; times on the virtual clock. */
async function create(count: number, options: EmulatorOptions = {}, api: Partial<ApiOptions> = {}) {
  const bench = await useBench({ operationMs: OPERATION_MS, ...options });
  const { admin, projectId } = bench.emulator;
  const program: Program = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `endpoint${at}`,
      // Otherwise the platform would suspend the first ones before the last are there, under the same lock.
      { projectId, branchId: bench.branch(), type: "read_write" as const, suspendTimeoutSeconds: -1 },
    ]),
  );
  admin.clearLog();
  const account = bench.account(api);
  /** By branch, how often its create was refused for what was under way. */
  const refusedOn = new Map<unknown, number>();
  const createEndpoint: Api["createEndpoint"] = async (project, body, callOptions) => {
    try {
      return await account.api.createEndpoint(project, body, callOptions);
    } catch (error) {
      if (isKind(error, "locked", "not_ready")) refusedOn.set(body.branchId, (refusedOn.get(body.branchId) ?? 0) + 1);
      throw error;
    }
  };
  const counting = { ...account, api: { ...account.api, createEndpoint } };
  const { errors } = await bench.run(new EnginePart(AT_ONCE).up(counting, program));
  const log = admin.log();
  return {
    errors,
    ms: bench.clock.elapsedMs(),
    calls: log.length,
    refused: log.filter(({ status }) => status === 429).length,
    times: log.map(({ at }) => at),
    refusedOn: [...refusedOn.values()],
  };
}
