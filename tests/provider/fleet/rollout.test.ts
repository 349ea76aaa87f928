/** Tests waves: the number of unavailable members after each change on the emulator, their order, and the stop. */
import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator";
import type { ApiOptions } from "../../../provider/platform/client";
import { PartialFailure } from "../../engine-model/deployment/resource";
import { settle } from "../../engine-model/person";
import { useStack, type Values } from "../../engine-model/stack";

const SECOND = 1_000;
const MINUTE = 60_000;

/** A fleet of so many members at 1 CU, and what is seen of its changes from then on. */
async function useWaves(count: number, defaults: Values = {}, options: EmulatorOptions = {}) {
  const { bench, stack, admin, projectId, ...used } = await useStack(options);
  const all = used.members(count);
  const keyOf = new Map<string, string>();
  const program = (changes: Values = {}, rollout?: Values, members: Record<string, Values> = {}) => {
    const entries = Object.entries(all).map(([key, member]) => [key, { ...member, ...members[key] }]);
    const more = { defaults: { sizeCu: 1, ...defaults, ...changes }, ...(rollout && { rollout }) };
    return used.program(Object.fromEntries(entries), more);
  };
  if ((await stack.up(program())).error) throw new Error("the fleet was to be created");
  for (const [key, { endpointId }] of Object.entries(stack.endpoints())) keyOf.set(String(endpointId), key);
  const changed = new Set<string>();
  const seen = { most: 0, first: [] as string[] };
  const gone = new Set<string>();
  const isAway = (id: string) => gone.has(id) || admin.endpoint(id).pending_state !== undefined;
  const onRequest: ApiOptions["onRequest"] = ({ method, path, status = 0 }) => {
    const [id = ""] = path.match(/ep-[\w-]+/) ?? [];
    if (method === "GET" || status >= 400) return;
    if (method === "POST" && id === "") {
      // A replacement's: the old one is away until this one is there.
      for (const one of gone) changed.delete(one);
      gone.clear();
      changed.add(admin.project(projectId).endpoints.at(-1)?.id ?? "");
    }
    if (!keyOf.has(id)) return;
    if (seen.first.length < 20) seen.first.push(keyOf.get(id) ?? "");
    changed.add(id);
    if (method === "DELETE") gone.add(id);
    for (const one of changed) if (!isAway(one)) changed.delete(one);
    seen.most = Math.max(seen.most, changed.size);
  };
  stack.onRequest = onRequest;
  admin.clearLog();
  return {
    ...{ bench, stack, admin, projectId, program, seen },
    idOf: (key: string) => String(stack.endpoints()[key]?.endpointId),
    sizes: () =>
      Object.values(stack.endpoints()).map(
        ({ endpointId }) => admin.endpoint(String(endpointId)).autoscaling_limit_max_cu,
      ),
  };
}

it("waves of hundreds are never larger than maxUnavailable, under a rate limit as well", async () => {
  const { stack, program, seen, sizes, admin } = await useWaves(
    300,
    {},
    { operationMs: 200, rateLimit: { perMinute: 900, retryAfter: "none" } },
  );
  const run = await stack.up(program({ sizeCu: 2 }, { maxUnavailable: "2%", canary: ["pr-150", "pr-7"] }));
  expect(run.error).toBeUndefined();
  expect(seen.most).toBe(6);
  expect(seen.first.slice(0, 2).sort()).toEqual(["pr-150", "pr-7"]);
  expect(new Set(sizes())).toEqual(new Set([2]));
  const message = expect.stringMatching(/^wave \d+ of 50, \d+ of 300 done, /);
  expect(run.rows).toContainEqual(expect.objectContaining({ level: "status", name: "fleet", message }));
  expect(run.rows).toContainEqual(expect.objectContaining({ level: "status", message: "canary, 0 of 300 done" }));
  expect(run.said).toContain(
    "info fleet: what may cut connections goes in order: pr-7 and pr-150 first (rollout.canary), then 50 waves of at most 6 members",
  );
  expect(admin.counts().byRoute["endpoints.update"]).toBeGreaterThanOrEqual(300);
});

describe("waves", () => {
  it.each([
    ["a number", 5, 5],
    ["per cent, rounded down", "15%", 4],
    ["per cent that come to less than one", "1%", 1],
    ["all", "100%", 30],
    ["what Kubernetes has, where the program does not say", undefined, 7],
  ])("are as large as %s", async (_, maxUnavailable, most) => {
    const { stack, program, seen, sizes } = await useWaves(30);
    expect((await stack.up(program({ sizeCu: 2 }, { maxUnavailable }))).error).toBeUndefined();
    expect(seen.most).toBe(most);
    expect(new Set(sizes())).toEqual(new Set([2]));
  });

  it("are not asked for by a program without rollout, nor for what cuts no connections", async () => {
    const { stack, program, seen } = await useWaves(30);
    await stack.up(program({ sizeCu: 2 }));
    expect(seen.most).toBe(30);
    seen.most = 0;
    await stack.up(program({ sizeCu: 2, suspendTimeoutSeconds: 600 }, { maxUnavailable: 1 }));
    expect(seen.most).toBeGreaterThan(20);
  });

  it("are no change by themselves, and stay in the inputs through a refresh", async () => {
    const { stack, program } = await useWaves(3);
    const news = program({}, { maxUnavailable: 1 });
    expect((await stack.preview(news)).isChanged).toBe(false);
    await stack.up(news);
    await stack.refresh();
    expect(stack.stored()?.inputs.rollout).toEqual({ maxUnavailable: 1 });
  });

  it("stop after maxFailures, name what was not begun, and do the rest", async () => {
    const { stack, program, seen, admin, idOf, sizes } = await useWaves(20);
    const endpointId = idOf("pr-0");
    admin.addFault({ on: "operation", action: "suspend_compute", endpointId, effect: { kind: "fail" } });
    const delays = Object.fromEntries([15, 16].map((at) => [`pr-${at}`, { sizeCu: 1, suspendTimeoutSeconds: 900 }]));
    const news = program({ sizeCu: 2 }, { maxUnavailable: 2, canary: ["pr-0"] }, delays);
    const { error } = await stack.up(news);
    if (!(error instanceof PartialFailure)) throw error;
    expect(error.message).toMatch(
      /^1 of 20 members failed; 17 were not begun \(.*\); no more of them begin, since 1 member failed \(rollout.maxFailures is 1\)/,
    );
    expect(sizes().filter((size) => size === 2)).toHaveLength(1);
    expect(admin.endpoint(idOf("pr-15")).suspend_timeout_seconds).toBe(900);
    // The next run goes on.
    admin.clearFaults();
    seen.most = 0;
    expect((await stack.up(news)).error).toBeUndefined();
    expect(sizes().filter((size) => size === 2)).toHaveLength(18);
    expect(seen.most).toBeLessThanOrEqual(2);
  });

  it("keep what each has changed that fails after the one that stops them", async () => {
    const { stack, program, admin, idOf } = await useWaves(4);
    const strikes = { on: "operation", action: "start_compute" } as const;
    admin.addFault({ ...strikes, endpointId: idOf("pr-0"), effect: { kind: "fail" } });
    admin.addFault({ ...strikes, endpointId: idOf("pr-1"), effect: { kind: "hang" } });
    const { error } = await stack.up(program({ sizeCu: 2 }, { maxUnavailable: 2 }), { timeoutMs: 30 * SECOND });
    expect(error?.message).toMatch(/^2 of 4 members failed; 2 were not begun/);
    const kept = Object.values(stack.endpoints()).map(({ sizeCu }) => sizeCu);
    expect(kept).toEqual([2, 2, 1, 1]);
  });

  it("go on below maxFailures, without the place of what has not come back", async () => {
    const { stack, program, seen, admin, idOf, sizes } = await useWaves(12);
    const hangs = { on: "operation", action: "start_compute", effect: { kind: "hang" } } as const;
    admin.addFault({ ...hangs, endpointId: idOf("pr-5") });
    admin.addFault({ route: "endpoints.update", count: 1, effect: { kind: "status", status: 400, message: "no" } });
    const rollout = { maxUnavailable: 3, maxFailures: 3 };
    const { error } = await stack.up(program({ sizeCu: 2 }, rollout));
    expect(error?.message).toMatch(/^2 of 12 members failed/);
    expect(seen.most).toBe(3);
    expect(sizes().filter((size) => size === 2)).toHaveLength(11);
  });

  it("end where all places are taken by what has not come back", async () => {
    const { stack, program, seen, admin, sizes } = await useWaves(8);
    admin.addFault({ on: "operation", action: "start_compute", count: 2, effect: { kind: "hang" } });
    const { error } = await stack.up(program({ sizeCu: 2 }, { maxUnavailable: 2, maxFailures: 5 }));
    expect(error?.message).toMatch(/since 2 of the 2 that may be away \(rollout.maxUnavailable\) have not come back/);
    expect(seen.most).toBe(2);
    expect(sizes().filter((size) => size === 2)).toHaveLength(2);
  });

  // A replacement cuts connections whatever is waited for.
  it.each<[string, Values]>([
    ["at once", {}],
    ["in an idle moment", { restartWhen: "idle" }],
  ])(
    "of who restarts %s end where the replacements have not come that were to follow what is deleted",
    async (_, when) => {
      const { stack, program, admin } = await useWaves(8, { type: "read_only", ...when });
      admin.addFault({ route: "endpoints.create", effect: { kind: "status", status: 400, message: "no" } });
      const news = program({ type: "read_write" }, { maxUnavailable: 2, maxFailures: 5 });
      Object.assign(news.fleet.args, { maxDeletions: 8 });
      const { error } = await stack.up(news);
      expect(error?.message).toMatch(/since 2 of the 2 that may be away \(rollout.maxUnavailable\) have not come back/);
      expect(admin.counts().byRoute["endpoints.delete"]).toBe(2);
    },
  );

  it("are one where a single member is cut, and say so", async () => {
    const { stack, program } = await useWaves(2);
    const members = { "pr-0": { sizeCu: 1, suspendTimeoutSeconds: 900 } };
    const { rows } = await stack.up(program({ sizeCu: 2 }, { maxUnavailable: 1 }, members));
    expect(rows.map(({ message }) => message)).toContainEqual(expect.stringContaining("wave 1 of 1, 1 of 1 done"));
  });

  it("count each member's time from its beginning", async () => {
    const { bench, stack, program, sizes } = await useWaves(6, {}, { operationMs: 5 * SECOND });
    const beganMs = bench.clock.now();
    const run = await stack.up(program({ sizeCu: 2 }, { maxUnavailable: 1 }), { timeoutMs: 30 * SECOND });
    expect(run.error).toBeUndefined();
    expect(bench.clock.now() - beganMs).toBeGreaterThan(60 * SECOND);
    expect(new Set(sizes())).toEqual(new Set([2]));
  });

  it("give no place to who waits for an idle moment, and that it does not come is no failure", async () => {
    const { stack, program, seen, admin, idOf, sizes, bench } = await useWaves(10, { suspendTimeoutSeconds: 60 });
    for (const key of ["pr-0", "pr-1", "pr-2"]) admin.connect({ endpointId: idOf(key), connections: 1 });
    void bench.clock.sleep(3 * MINUTE).then(() => admin.disconnect({ endpointId: idOf("pr-1") }));
    const idle = Object.fromEntries([0, 1].map((at) => [`pr-${at}`, { restartWhen: "idle" }]));
    const run = await stack.up(program({ sizeCu: 2 }, { maxUnavailable: 1 }, idle));
    expect(run.error?.message).toMatch(/^1 of 10 members failed\./);
    expect((run.error as PartialFailure).reasons?.[1]).toMatch(/^pr-0: .* was in use for the \d+ s .*nothing was sent/);
    const waits = run.rows.filter(({ level, name }) => level === "status" && name === "fleet/pr-0");
    expect(waits.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^waits until idle: last active \d\d:\d\d UTC$/),
    );
    expect(sizes().filter((size) => size === 2)).toHaveLength(9);
    expect(admin.endpoint(idOf("pr-1")).dropped_connections).toBe(0);
    // What may be cut is.
    expect(admin.endpoint(idOf("pr-2")).dropped_connections).toBe(1);
    expect(seen.most).toBe(1);
    expect(seen.first.indexOf("pr-9")).toBeLessThan(seen.first.indexOf("pr-1"));
  });

  it("end for who waits for an idle moment, too", async () => {
    const { stack, program, admin, idOf, bench } = await useWaves(3, { suspendTimeoutSeconds: 60 });
    admin.connect({ endpointId: idOf("pr-0"), connections: 1 });
    admin.addFault({ on: "operation", action: "suspend_compute", endpointId: idOf("pr-1"), effect: { kind: "fail" } });
    const beganMs = bench.clock.now();
    const idle = { "pr-0": { restartWhen: "idle" } };
    const { error } = await stack.up(program({ sizeCu: 2 }, { maxUnavailable: 1, canary: ["pr-1"] }, idle));
    expect(error?.message).toMatch(/2 were not begun \(pr-0 and pr-2\)/);
    expect(bench.clock.now() - beganMs).toBeLessThan(MINUTE);
  });
});

describe("members that wait for each other", () => {
  /** Three members of which each comes to where the next one leaves. */
  async function useChain(maxUnavailable: number) {
    const used = await useWaves(8);
    const branches = Object.values(used.program().fleet.args.endpoints).map(({ branchId }) => branchId);
    const next = [branches[1], branches[2], used.bench.branch()];
    const chain = Object.fromEntries(next.map((branchId, at) => [`pr-${at}`, { branchId }]));
    return { ...used, news: used.program({ sizeCu: 2 }, { maxUnavailable }, chain) };
  }

  it("are one where an endpoint that has gone comes to the branch of another, which moves", async () => {
    const { stack, bench, program } = await useWaves(3, {}, {});
    const [one, two] = Object.values(program().fleet.args.endpoints).map(({ branchId }) => branchId);
    bench.emulator.admin.dropEndpoint(String(stack.endpoints()["pr-0"]?.endpointId));
    const moved = { "pr-0": { branchId: two }, "pr-1": { branchId: bench.branch() } };
    const refused = await stack.preview(program({}, { maxUnavailable: 1 }, moved));
    expect(refused.error?.message, String(one)).toMatch(/Set `rollout\.maxUnavailable: 2`/);
    expect((await stack.up(program({}, { maxUnavailable: 2 }, moved))).error).toBeUndefined();
  });

  it("go together where as many may be away as the refusal says", async () => {
    const refused = await useChain(2);
    expect((await refused.stack.preview(refused.news)).error?.message).toMatch(
      /rollout\.maxUnavailable: members pr-\d, pr-\d and pr-\d wait for each other[\s\S]*Set `rollout\.maxUnavailable: 3`/,
    );
    const { stack, news, seen, sizes } = await useChain(3);
    expect((await stack.up(news)).error).toBeUndefined();
    expect(seen.most).toBeLessThanOrEqual(3);
    expect(new Set(sizes())).toEqual(new Set([2]));
  });
});

/** A fleet of three of which an earlier run has left one with a restart that never ends. */
async function useOpenRestart() {
  const used = await useWaves(3);
  const { stack, program, admin } = used;
  admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "hang" } });
  await stack.up(program({}, { maxUnavailable: 1 }, { "pr-0": { sizeCu: 2 } }), { timeoutMs: 30 * SECOND });
  admin.clearFaults();
  return used;
}

describe("waves of a run that was killed", () => {
  it.each([20, 26, 33, 40])("count what that has left open, and go on (killed at call %i)", async (call) => {
    const { stack, program, seen, sizes } = await useWaves(16, {}, { operationMs: 20 * SECOND });
    const news = program({ sizeCu: 2 }, { maxUnavailable: 3 });
    await stack.up(news, { death: { call, moment: "after" } });
    const left = sizes().filter((size) => size === 2).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(16);
    // Others come first than those that the killed run has begun with.
    const rollout = { maxUnavailable: 3, canary: ["pr-14", "pr-15"] };
    expect((await stack.up(program({ sizeCu: 2 }, rollout))).error).toBeUndefined();
    expect(seen.most).toBeLessThanOrEqual(3);
    expect(new Set(sizes())).toEqual(new Set([2]));
  });

  it("wait for what that has left open until they are interrupted, and then say so", async () => {
    const { stack, program, bench } = await useOpenRestart();
    const interrupt = new AbortController();
    void bench.clock.sleep(30 * SECOND).then(() => interrupt.abort());
    const rest = program({ sizeCu: 2 }, { maxUnavailable: 1 });
    const { error } = await stack.up(rest, { signal: interrupt.signal });
    expect(error?.message).toMatch(/3 of 3 members were not begun \(.*\); interrupted before it was done/);
    expect(error?.message).not.toMatch(/maxUnavailable/);
  });

  it("end where what that has left open does not end, and say who has not come back", async () => {
    const { stack, program, sizes } = await useOpenRestart();
    const rest = program({}, { maxUnavailable: 1 }, { "pr-0": { sizeCu: 2 }, "pr-1": { sizeCu: 2 } });
    const { error } = await stack.up(rest, { timeoutMs: 30 * SECOND });
    expect(error?.message).toMatch(/since 1 of the 1 that may be away \(rollout\.maxUnavailable\) have not come back/);
    expect(sizes()[1]).toBe(1);
  });

  it("wait for no availability check, which cuts no connections", async () => {
    const { stack, program, projectId, admin, idOf, sizes } = await useWaves(2);
    admin.addFault({ on: "operation", action: "check_availability", effect: { kind: "hang" } });
    admin.startOperation({ projectId, action: "check_availability", endpointId: idOf("pr-1") });
    const news = program({}, { maxUnavailable: 1 }, { "pr-0": { sizeCu: 2 } });
    expect((await stack.up(news, { timeoutMs: 30 * SECOND })).error).toBeUndefined();
    expect(sizes()).toEqual([2, 1]);
  });

  it("go on with the one command where the create of a replacement was cut off", async () => {
    const used = await useWaves(4, { type: "read_only" });
    const { stack, program, admin } = used;
    const news = program({ type: "read_write" }, { maxUnavailable: 1 });
    Object.assign(news.fleet.args, { maxDeletions: 4 });
    let call = 1;
    // The first create, right after it was answered.
    for (const isCut = () => admin.counts().byRoute["endpoints.create"] === 1; !isCut(); call += 1) {
      if (call > 40) throw new Error("no create was cut off");
      await stack.up(news, { death: { call, moment: "after" } });
    }
    expect(await settle(used, news)).toEqual(["take up"]);
  });
});
