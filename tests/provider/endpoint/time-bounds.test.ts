import { describe, expect, it } from "vitest";
import type { CallEffect } from "../../../emulator";
import { bookkeepingOf } from "../../../provider/endpoint/state";
import { PartialFailure } from "../../engine-model/deployment/resource";
import { justBefore, type Options, Stack, useMade, useMain, useStack } from "../../engine-model/stack";

type Admin = Awaited<ReturnType<typeof useMain>>["admin"];

const SPAN_MS = 30_000;
const LOST = { route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } } as const;

const asksForPause = { retryAfter: { form: "seconds", seconds: 300 } } as const;
const lockedProject = { lock: "project", operationMs: 10_000 } as const;

describe("the time that the user gives a change", () => {
  it("bounds all its waits together, and what is open then is kept", async () => {
    const { bench, stack, main, stored } = await useMade({}, { operationMs: 20_000 });
    const beganMs = bench.clock.now();
    // A restart suspends and starts, and each has an operation of its own.
    const { error } = await stack.up(main({ restartTrigger: "one" }), { timeoutMs: SPAN_MS });
    expect(bench.clock.now() - beganMs).toBe(SPAN_MS);
    expect(error).toBeInstanceOf(PartialFailure);
    expect(error?.message).toMatch(
      /\(start_compute\) was still "\w+" after \d+ s, all that the change had left of 30 s/,
    );
    expect(bookkeepingOf(stored()?.state ?? {}).operations).toMatchObject([{ action: "start_compute" }]);
  });

  it("ends the wait for a turn, and nothing is sent then", async () => {
    const { bench, stack, admin, projectId, single, branches, branch } = await useStack(lockedProject);
    const { clock } = bench;
    const account = bench.account();
    // Two refusals each, and all know that the project lets one change through at a time.
    const others = Object.fromEntries(branches(10).map((other, at) => [`other-${at}`, single(other)]));
    const first = stack.up(others, { account, pace: "late" });
    await clock.pass(5_000);
    const branchId = branch();
    const beganMs = clock.now();
    const bounded = new Stack(bench).up({ main: single(branchId) }, { account, timeoutMs: SPAN_MS });
    const waiting = bounded.then(({ error }) => ({ error, ms: clock.now() - beganMs }));
    expect((await first).messages).toEqual([]);
    expect(await waiting).toMatchObject({ ms: SPAN_MS, error: { message: expect.stringContaining("time") } });
    expect(bench.on(branchId)).toEqual([]);
    expect(admin.project(projectId).endpoints).toHaveLength(11);
  });

  it.each(["its answer comes", "its answer is lost"])(
    "keeps what was created though it is over when %s",
    async (when) => {
      const { bench, stack, admin, main, branchId, idsOn, stored } = await useMain({ operationMs: 20_000 });
      stack.onRequest = ({ method }) => void (method === "POST" && admin.advance(SPAN_MS + 1_000));
      if (when === "its answer is lost") admin.addFault(LOST);
      admin.addFault({ on: "operation", effect: { kind: "hang" } });
      const beganMs = bench.clock.now();
      const { error } = await stack.up(main(), { timeoutMs: SPAN_MS });
      expect(error).toBeInstanceOf(PartialFailure);
      expect(error).toMatchObject({ message: expect.stringContaining("was still") });
      expect(idsOn(branchId)).toEqual([stack.ids().main]);
      expect(error?.message).toMatch(/was still "\w+" when all of the change's \d+ s were over/);
      expect(bookkeepingOf(stored()?.state ?? {}).operations?.length).toBeGreaterThan(0);
      expect(bench.clock.now() - beganMs).toBe(SPAN_MS + 1_000);
    },
  );
});

describe.each(["create", "update", "delete"] as const)("the look after a %s whose answer was lost", (verb) => {
  /** A change whose answer is lost on a platform that lets nothing through for the next five minutes. */
  async function useLost() {
    const used = await useMade({ sizeCu: 1 });
    const { bench, stack, admin, single, branch, main } = used;
    const programs = {
      create: { ...main(), other: single(branch(), { type: "read_only" }) },
      update: main({ sizeCu: 2 }),
      delete: {},
    };
    let beganMs = bench.clock.now();
    const begin = (began: () => void) => {
      const route = `endpoints.${verb}` as const;
      admin.addFault({ route, count: 1, effect: { kind: "reset", when: "before" } });
      admin.addFault({ method: "GET", count: 1, effect: { kind: "status", status: 429, ...asksForPause } });
      beganMs = bench.clock.now();
      began();
    };
    return {
      ...used,
      change: (options: Options, began = () => {}) =>
        stack.up(programs[verb], { ...options, beforeStep: justBefore(verb, () => begin(began)) }),
      elapsedMs: () => bench.clock.now() - beganMs,
    };
  }

  it("ends five seconds after the run was interrupted, and says what it waits for", async () => {
    const { bench, change, elapsedMs } = await useLost();
    const interrupt = new AbortController();
    const interrupted = () => void bench.clock.sleep(10_000).then(() => interrupt.abort());
    const { error, rows } = await change({ signal: interrupt.signal }, interrupted);
    expect(error).toMatchObject({ message: expect.stringContaining("interrupted") });
    expect(elapsedMs()).toBe(15_000);
    expect(rows.map(({ message }) => message)).toContain("waiting for the account's rate limit");
    expect(bench.clock.sleeping()).toBe(0);
  });

  it("ends with the time that the user gave the change", async () => {
    const { change, elapsedMs } = await useLost();
    const { error } = await change({ timeoutMs: SPAN_MS });
    expect(error?.message).toMatch(/answered 429|rate limit left no turn/);
    expect(elapsedMs()).toBeLessThanOrEqual(35_000);
  });
});

it.each([3_600, 999_999_999])(
  "a create that is answered 503 with Retry-After: %i does not sleep past the timeout, and is not repeated at once",
  async (seconds) => {
    const { bench, stack, admin, main } = await useMain();
    const retryAfter = { form: "seconds", seconds } as const;
    admin.addFault({ route: "endpoints.create", effect: { kind: "status", status: 503, retryAfter } });
    expect((await stack.up(main(), { timeoutMs: 4_000 })).error).toMatchObject({
      message: expect.stringMatching(/answered 5\d\d/),
    });
    expect(bench.clock.elapsedMs()).toBeLessThanOrEqual(4_000);
    expect(admin.log({ route: "endpoints.create" })).toHaveLength(1);
  },
);

describe("a create whose repeats are refused because of what its lost request began", () => {
  /** Between two of the repeats, which are 5 s apart by then. */
  const NEARLY_OVER_MS = 29_000;

  /**
   * Runs a create with a lost answer whose endpoint no list shows, and whose repeats meet the lock of its own start.
   * `act` is done while it waits for the lock for the last time; from then on the lists show all.
   */
  async function runLocked(act: (admin: Admin) => void, options: Options, effect: CallEffect = LOST.effect) {
    const used = await useMain({ ...lockedProject, operationMs: 600_000 });
    const { bench, stack, admin, main } = used;
    let beganMs = 0;
    const begin = () => {
      beganMs = bench.clock.now();
      admin.addFault({ ...LOST, effect });
      for (const route of ["branches.endpoints", "endpoints.list", "operations.list"])
        admin.addFault({ route, effect: { kind: "stale-list", ageMs: 600_000 } });
      void bench.clock.sleep(NEARLY_OVER_MS).then(() => {
        admin.clearFaults();
        act(admin);
      });
    };
    const { error } = await stack.up(main(), { ...options, beforeStep: justBefore("create", begin) });
    const statuses = new Set(admin.log({ route: "endpoints.create" }).map(({ status }) => status));
    return { ...used, error, statuses, elapsedMs: bench.clock.now() - beganMs };
  }

  it.each([502, 429])("says what may be there where the last look is answered %i", async (status) => {
    const failing = (admin: Admin) => void admin.addFault({ method: "GET", effect: { kind: "status", status } });
    const { error, statuses, bench, branchId } = await runLocked(failing, { timeoutMs: SPAN_MS });
    expect(error?.message).toContain(`under the name ${bench.on(branchId)[0]?.name}`);
    expect(error?.message).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    expect(statuses).toEqual(new Set([0, 423]));
  });

  it.each<[string, CallEffect, number[]]>([
    ["waits for the lock", LOST.effect, [0, 423]],
    ["pauses before the first repeat", { kind: "status", status: 503, when: "after", ...asksForPause }, [503]],
  ])("keeps its endpoint where it is interrupted while it %s", async (_, effect, expected) => {
    const interrupt = new AbortController();
    const options = { signal: interrupt.signal };
    const { error, statuses, stack, idsOn, branchId } = await runLocked(() => interrupt.abort(), options, effect);
    expect(error).toBeInstanceOf(PartialFailure);
    expect(error).toMatchObject({ message: expect.stringContaining("interrupted") });
    expect(idsOn(branchId)).toEqual([stack.ids().main]);
    expect(statuses).toEqual(new Set(expected));
  });

  it("takes five seconds for its last look where it is interrupted, and no more", async () => {
    const interrupt = new AbortController();
    const act = (admin: Admin) => {
      admin.addFault({ method: "GET", effect: { kind: "status", status: 429, ...asksForPause } });
      interrupt.abort();
    };
    const { error, elapsedMs, bench } = await runLocked(act, { signal: interrupt.signal });
    expect(error).toMatchObject({ message: expect.stringMatching(/interrupted[\s\S]*so it may exist/) });
    expect(elapsedMs).toBe(NEARLY_OVER_MS + 5_000);
    expect(bench.clock.sleeping()).toBe(0);
  });
});
