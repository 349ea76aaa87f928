/** Tests many single endpoints at once on the virtual clock: their cost, and the effects of a rate limit or a lock. */
import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator";
import type { Account } from "../../../provider/platform/account";
import type { Api } from "../../../provider/platform/api";
import type { ApiOptions } from "../../../provider/platform/client";
import { isKind } from "../../../provider/platform/errors";
import { type Program, Stack } from "../../engine-model/stack";
import { useBench } from "../../support/bench";

const LOOKS_PER_SECOND = 2;
const SECOND = 1_000;

/**
 * A bench, a stack that works on `atOnce` endpoints at a time, and the cost of a run, with lookups of operations apart.
 */
async function open(atOnce: number, options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const { admin } = bench.emulator;
  return {
    ...{ bench, admin, stack: new Stack(bench, { atOnce, goesOn: true }) },
    async counted<R>(work: Promise<R>) {
      admin.clearLog();
      const beganMs = bench.clock.now();
      const result = await bench.run(work);
      const ms = bench.clock.now() - beganMs;
      const routes = Object.entries(admin.counts().byRoute);
      const isLook = ([route]: [string, number]) => route.startsWith("operations.");
      return {
        ...{ result, ms, log: admin.log(), calls: Object.fromEntries(routes.filter((one) => !isLook(one))) },
        looks: routes.filter(isLook).reduce((sum, [, count]) => sum + count, 0),
        looksAllowed: LOOKS_PER_SECOND * Math.ceil(ms / SECOND),
      };
    },
  };
}

/** A program of these places, each with what all have. */
function programOf(places: readonly object[], all: object = {}): Program {
  const args = (place: object) => ({ type: "read_write", ...place, ...all });
  return Object.fromEntries(places.map((place, at) => [`endpoint${at}`, { args: args(place) }]));
}

it("many endpoints are a thousand read replicas on one branch, which are told apart", async () => {
  const replicas = 1_000;
  const { bench, admin, counted, stack } = await open(50);
  const { projectId } = bench.emulator;
  const { id: branchId } = admin.seedBranch(projectId, { endpoint: {} });
  const place = { projectId, branchId, type: "read_only", sizeCu: 0.5 };
  const created = await counted(stack.up(programOf(Array(replicas).fill(place))));
  expect(created.result.messages).toEqual([]);
  expect(created.calls).toEqual({ "endpoints.list": 1, "endpoints.create": replicas });
  expect(created.looks).toBeLessThanOrEqual(created.looksAllowed);
  expect(bench.on(branchId)).toHaveLength(replicas + 1);
  expect(new Set(stack.known()).size).toBe(replicas);

  const news = programOf(Array(replicas).fill({ ...place, suspendTimeoutSeconds: 600 }));
  const updated = await counted(stack.up(news));
  expect(updated.calls).toEqual({ "endpoints.list": 1, "endpoints.update": replicas });
  expect(updated.looks).toBeLessThanOrEqual(updated.looksAllowed);
  expect(await counted(stack.preview(news))).toMatchObject({ calls: { "endpoints.list": 1 }, looks: 0 });

  // One is changed by somebody else and one deleted: a refresh finds both by one list, and one call for what is gone.
  const [changed = "", dropped = ""] = [...stack.engine.state.values()].map(({ state }) => String(state.endpointId));
  admin.changeEndpoint(changed, { suspend_timeout_seconds: 60 });
  admin.dropEndpoint(dropped);
  const refreshed = await counted(stack.refresh());
  expect(refreshed).toMatchObject({ calls: { "endpoints.list": 1, "endpoints.get": 1 }, looks: 0 });
  const found = [...stack.engine.state.values()];
  expect(found).toHaveLength(replicas - 1);
  expect(found.filter(({ state }) => state.suspendTimeoutSeconds === 60)).toHaveLength(1);

  const deleted = await counted(stack.up({}));
  expect(deleted.calls).toEqual({ "endpoints.delete": replicas - 1 });
  expect(bench.on(branchId)).toHaveLength(1);
});

/** Creates so many endpoints, each on a branch of its own, twenty at once. */
async function create(count: number, options: EmulatorOptions = {}, api: Partial<ApiOptions> = {}) {
  const { bench, stack, counted } = await open(20, { operationMs: 200, ...options });
  const { projectId } = bench.emulator;
  const places = Array.from({ length: count }, () => ({ projectId, branchId: bench.branch() }));
  /** By branch, how often its create was refused for what was under way. */
  const refusedOn = new Map<unknown, number>();
  const counting = (account: Account): Account => {
    const createEndpoint: Api["createEndpoint"] = async (project, body, callOptions) => {
      try {
        return await account.api.createEndpoint(project, body, callOptions);
      } catch (error) {
        if (isKind(error, "locked", "not_ready")) refusedOn.set(body.branchId, (refusedOn.get(body.branchId) ?? 0) + 1);
        throw error;
      }
    };
    return { ...account, api: { ...account.api, createEndpoint } };
  };
  // Otherwise the platform would suspend the first ones before the last are there, under the same lock.
  const program = programOf(places, { suspendTimeoutSeconds: -1 });
  const { result, ms, log } = await counted(stack.up(program, { account: counting(bench.account(api)) }));
  expect(result.messages).toEqual([]);
  const refused = log.filter(({ status }) => status === 429).length;
  return { ms, calls: log.length, refused, times: log.map(({ at }) => at), refusedOn: [...refusedOn.values()] };
}

describe("many creates", () => {
  // How well limits of other sizes are used: tests/unit/platform/http/limits.test.ts.
  it.each(["none", "seconds"] as const)(
    "take what a rate limit dictates, hardly refused: Retry-After %s",
    async (retryAfter) => {
      const [count, perMinute, slowest] = [150, 60, 1.3];
      const { ms, calls, refused } = await create(count, { rateLimit: { perMinute, retryAfter } });
      // A bucket gives its burst at once and the rest of the calls at its rate.
      const dictatedMs = (requests: number) => ((requests - perMinute) * 60 * SECOND) / perMinute;
      expect(ms).toBeLessThanOrEqual(slowest * dictatedMs(calls - refused));
      // What is called besides the creates may not be what makes it slow.
      expect(ms).toBeLessThanOrEqual(slowest * slowest * dictatedMs(count + 2));
      expect(refused).toBeLessThanOrEqual(0.1 * calls);
    },
  );

  it.each([0.4, 1, 1.9, 2.5, 2.9, 10, 40])(
    "never make more than the %d calls a second that are configured",
    async (maximum) => {
      const { ms, calls, times } = await create(Math.ceil(15 * maximum), {}, { maxRequestsPerSecond: maximum });
      // Of a fraction, the next whole number of calls in the time that it allows them.
      const together = Math.ceil(maximum);
      const spanMs = (SECOND * together) / maximum;
      const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length));
      expect(most).toBeLessThanOrEqual(together);
      // And they make use of them.
      expect(ms).toBeLessThanOrEqual((1.1 * SECOND * calls) / maximum + SECOND);
    },
  );

  it.each([200, 2_000, 10_000])(
    "in a project that does one thing at a time take little longer than its operations of %i ms, and each is refused twice at most",
    async (operationMs) => {
      const count = 100;
      const { ms, refusedOn } = await create(count, { lock: "project", operationMs });
      expect(Math.max(...refusedOn)).toBeLessThanOrEqual(2);
      // One after the other, each seen 0.1 s late at most, since the first has told how long they take.
      expect(ms).toBeLessThanOrEqual(count * (operationMs + 100));
      expect(ms).toBeGreaterThanOrEqual(count * operationMs);
    },
  );
});
