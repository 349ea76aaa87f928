import { describe, expect, it } from "vitest";
import type { CallEffect } from "../../../emulator";
import type { LifecycleContext as Context } from "../../../provider/pulumi/call";
import { create, remove, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { bookOf, partial, useEndpoint, useOne } from "./support";

const SPAN_MS = 30_000;

describe("the time that the user gives a change", () => {
  it("bounds all its waits together, and what is open then is kept", async () => {
    const { bench, context, stored, inputs, clock } = await useEndpoint({}, { operationMs: 20_000 });
    const beganMs = clock.now();
    const bounded = { ...context, timeoutMs: SPAN_MS, deadlineMs: beganMs + SPAN_MS };
    // A restart suspends and starts, and each has an operation of its own.
    const news = { ...inputs, restartTrigger: "one" };
    const error = await partial(bench.fails(update(bounded, { ...stored, inputs: news })));
    expect(clock.now() - beganMs).toBe(SPAN_MS);
    expect(error.message).toMatch(
      /\(start_compute\) was still "\w+" after \d+ s, all that the change had left of 30 s/,
    );
    expect(bookOf(error.state).operations).toMatchObject([{ action: "start_compute" }]);
  });

  it("ends the wait for a turn, and nothing is sent then", async () => {
    const { bench, make, clock, emulator } = await useOne({ lock: "project", operationMs: 10_000 });
    // Two refusals each, and all know that the project lets one change through at a time.
    const others = Array.from({ length: 10 }, () => make({ branchId: bench.branch() }));
    await clock.pass(5_000);
    const branchId = bench.branch();
    const beganMs = clock.now();
    const waiting = make({ branchId }, { timeoutMs: SPAN_MS, deadlineMs: beganMs + SPAN_MS }).catch((error) => ({
      error,
      ms: clock.now() - beganMs,
    }));
    await bench.run(Promise.all(others));
    expect(await waiting).toMatchObject({ ms: SPAN_MS, error: { kind: "timeout" } });
    expect(bench.on(branchId)).toEqual([]);
    expect(emulator.admin.project(emulator.projectId).endpoints).toHaveLength(11);
  });

  it.each(["its answer comes", "its answer is lost"])(
    "keeps what was created though it is over when %s",
    async (when) => {
      const { bench, context, inputs, clock, emulator } = await useOne({ operationMs: 20_000 });
      const account = bench.account({
        onRequest: ({ method }) => {
          if (method === "POST") emulator.admin.advance(SPAN_MS + 1_000);
        },
      });
      if (when === "its answer is lost")
        emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
      emulator.admin.addFault({ on: "operation", effect: { kind: "hang" } });
      const deadlineMs = clock.now() + SPAN_MS;
      const error = await partial(bench.fails(create({ ...context, account, timeoutMs: SPAN_MS, deadlineMs }, inputs)));
      expect(error).toMatchObject({
        kind: "operation_timeout",
        id: `${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`,
      });
      expect(error.message).toMatch(/was still "\w+" when all of the change's \d+ s were over/);
      expect(bookOf(error.state).operations?.length).toBeGreaterThan(0);
      expect(clock.now()).toBe(deadlineMs + 1_000);
    },
  );
});

/** An endpoint, and changes whose answer is lost on a platform that lets nothing through for the next five minutes. */
async function useLost(verb: "create" | "update" | "delete") {
  const one = await useEndpoint({ sizeCu: 1 });
  const { bench, inputs, stored, clock } = one;
  const { admin } = one.emulator;
  const retryAfter = { form: "seconds", seconds: 300 } as const;
  admin.addFault({ route: `endpoints.${verb}`, count: 1, effect: { kind: "reset", when: "before" } });
  admin.addFault({ method: "GET", count: 1, effect: { kind: "status", status: 429, retryAfter } });
  const beganMs = clock.now();
  const verbs = {
    create: (context: Context) => create(context, { ...inputs, branchId: bench.branch(), type: "read_only" }),
    update: (context: Context) => update(context, { ...stored, inputs: { ...inputs, sizeCu: 2 } }),
    delete: (context: Context) => remove(context, stored),
  };
  return { ...one, change: verbs[verb], elapsedMs: () => clock.now() - beganMs };
}

describe.each(["create", "update", "delete"] as const)("the look after a %s whose answer was lost", (verb) => {
  it("ends five seconds after the run was interrupted, and says what it waits for", async () => {
    const { bench, context, change, clock, elapsedMs } = await useLost(verb);
    const interrupt = new AbortController();
    const said: string[] = [];
    const reporter = { ...context.reporter, status: (message: string) => said.push(message) };
    const failed = bench.fails(change({ ...context, reporter, signal: interrupt.signal }));
    void clock.sleep(10_000).then(() => interrupt.abort());
    expect(await failed).toMatchObject({ kind: "cancelled" });
    expect(elapsedMs()).toBe(15_000);
    expect(said).toContain("waiting for the account's rate limit");
    expect(clock.sleeping()).toBe(0);
  });

  it("ends with the time that the user gave the change", async () => {
    const { bench, context, change, clock, elapsedMs } = await useLost(verb);
    const error = await bench.fails(change({ ...context, timeoutMs: 30_000, deadlineMs: clock.now() + 30_000 }));
    expect(error.message).toMatch(/answered 429|rate limit left no turn/);
    expect(elapsedMs()).toBeLessThanOrEqual(35_000);
  });
});

it.each([3_600, 999_999_999])(
  "a create that is answered 503 with Retry-After: %i does not sleep past the timeout, and is not repeated at once",
  async (seconds) => {
    const { bench, make, emulator, clock } = await useOne();
    const retryAfter = { form: "seconds", seconds } as const;
    emulator.admin.addFault({ route: "endpoints.create", effect: { kind: "status", status: 503, retryAfter } });
    expect(await bench.fails(make({}, { timeoutMs: 4_000 }))).toMatchObject({ kind: "server" });
    expect(clock.elapsedMs()).toBeLessThanOrEqual(4_000);
    expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(1);
  },
);

/** Between two of the repeats, which are 5 s apart by then. */
const NEARLY_OVER_MS = 29_000;

const LOST: CallEffect = { kind: "reset", when: "after" };
const asksForPause = { retryAfter: { form: "seconds", seconds: 300 } } as const;

/** A create with a lost answer whose endpoint no list shows, and whose repeats meet the lock of its own start. */
async function useLocked(effect = LOST) {
  const one = await useOne({ lock: "project", operationMs: 600_000 });
  const { emulator, clock } = one;
  const { admin } = emulator;
  admin.addFault({ route: "endpoints.create", count: 1, effect });
  for (const route of ["branches.endpoints", "endpoints.list", "operations.list"])
    admin.addFault({ route, effect: { kind: "stale-list", ageMs: 600_000 } });
  return {
    ...one,
    /** Does something while the create waits for the lock, for the last time; from then on the lists show all. */
    async atLast(act: () => void): Promise<void> {
      await clock.sleep(NEARLY_OVER_MS);
      admin.clearFaults();
      act();
    },
    /** The answers to its requests. */
    answers: () => admin.log({ route: "endpoints.create" }).map(({ status }) => status),
  };
}

describe("a create whose repeats are refused because of what its lost request began", () => {
  it.each([502, 429])("says what may be there where the last look is answered %i", async (status) => {
    const { bench, make, atLast, answers, clock, emulator, inputs } = await useLocked();
    void atLast(() => emulator.admin.addFault({ method: "GET", effect: { kind: "status", status } }));
    const { message } = await bench.fails(make({}, { timeoutMs: SPAN_MS, deadlineMs: clock.now() + SPAN_MS }));
    expect(message).toContain(`under the name ${bench.on(inputs.branchId)[0]?.name}`);
    expect(message).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    expect(new Set(answers())).toEqual(new Set([0, 423]));
  });

  it.each<[string, CallEffect, number[]]>([
    ["waits for the lock", LOST, [0, 423]],
    ["pauses before the first repeat", { kind: "status", status: 503, when: "after", ...asksForPause }, [503]],
  ])("keeps its endpoint where it is interrupted while it %s", async (_, effect, statuses) => {
    const { bench, make, atLast, answers, emulator, inputs } = await useLocked(effect);
    const interrupt = new AbortController();
    void atLast(() => interrupt.abort());
    const error = await partial(bench.fails(make({}, { signal: interrupt.signal })));
    expect(error).toMatchObject({
      kind: "cancelled",
      id: `${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`,
    });
    expect(new Set(answers())).toEqual(new Set(statuses));
  });

  it("takes five seconds for its last look where it is interrupted, and no more", async () => {
    const { bench, make, atLast, clock, emulator } = await useLocked();
    const interrupt = new AbortController();
    void atLast(() => {
      emulator.admin.addFault({ method: "GET", effect: { kind: "status", status: 429, ...asksForPause } });
      interrupt.abort();
    });
    const beganMs = clock.now();
    const error = await bench.fails(make({}, { signal: interrupt.signal }));
    expect(error).toMatchObject({ kind: "cancelled", remedy: { kind: "maybe_created" } });
    expect(clock.now() - beganMs).toBe(NEARLY_OVER_MS + 5_000);
    expect(clock.sleeping()).toBe(0);
  });
});
