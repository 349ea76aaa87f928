import { describe, expect, it } from "vitest";
import { BOOKKEEPING, bookkeepingOf } from "../../../provider/endpoint/state";
import { neon } from "../../../provider/platform/profiles/profiles";
import { PartialFailure } from "../../engine-model/deployment/resource";
import { justBefore, type Stored, useMain } from "../../engine-model/stack";

// Specification, section 4.3.

describe("create", () => {
  it("sends the least, waits for the start, and tells what there is", async () => {
    const { stack, admin, main, branchId, projectId, stored, live } = await useMain();
    await stack.up(main(), { beforeStep: justBefore("create", () => admin.clearLog()) });
    const { id, state = {} }: Partial<Stored> = stored() ?? {};
    expect(id).toBe(`${projectId}/${live().id}`);
    expect(live()).toMatchObject({ current_state: "active", autoscaling_limit_min_cu: 0.25 });
    expect(state).toMatchObject({ endpointId: live().id, maxConnections: 112, branchId });
    expect(state[BOOKKEEPING]).toEqual({ v: 2, set: ["projectId", "branchId", "type"] });
    expect(admin.counts().byRoute["endpoints.create"]).toBe(1);
    expect(admin.counts().byRoute["endpoints.list"]).toBeUndefined();
  });

  it.each(["skipped", "failed"] as const)(
    "says what a start comes to that the platform has %s",
    async (activeLimit) => {
      const options = { platform: "neon", activeComputes: 1, activeLimit } as const;
      const { stack, main, single, branch } = await useMain(options, { profile: neon });
      const { messages, said } = await stack.up({ ...main(), second: single(branch()) });
      const limit = "Neon has at most 20 ";
      if (activeLimit === "skipped") {
        expect(messages).toEqual([]);
        expect(said.slice(1)).toEqual([
          `info second: starts at its first connection: the platform has skipped its start; ${limit}of a project active at a time`,
        ]);
      } else {
        expect(messages).toEqual([expect.stringContaining(`${limit}computes of a project active at a time`)]);
        expect(messages[0]).toContain("then run `pulumi up` again");
      }
    },
  );

  it.each([{ maxSizeCu: 16, checks: "refuse" }, { checks: "warn" }] as const)(
    "says of a refused size that the platform's limit is lower, with %o",
    async (settings) => {
      const { stack, main } = await useMain({}, settings);
      const { messages } = await stack.up(main({ sizeCu: 8 }));
      expect(messages).toEqual([
        expect.stringMatching(/400.*The platform's own limit is lower than the configured one .* above 7 CU\.$/),
      ]);
    },
  );

  it("refuses at once all that a maximum breaks, also what is left where the limit is raised", async () => {
    const { stack, main } = await useMain();
    const { messages } = await stack.up(main({ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 18 }));
    expect(messages.join()).toMatch(/18 CU is above the largest.*autoscaling goes to 16 CU, and the maximum is 18 CU/s);
  });

  it("says of another refusal what is said of all, where a size is above the known ones too", async () => {
    const { stack, admin, main } = await useMain({}, { maxSizeCu: 16 });
    await stack.up(main());
    admin.addFault({ route: "endpoints.update", effect: { kind: "status", status: 400 } });
    const { messages } = await stack.up(main({ suspendTimeoutSeconds: 600 }));
    expect(messages).toEqual([expect.not.stringContaining("own limit")]);
  });

  it("waits an outage out after a lost answer, so that the id is not lost to it", async () => {
    const { bench, stack, admin, main, branchId, idsOn } = await useMain();
    const beforeStep = justBefore("create", () => {
      admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
      admin.addFault({ effect: { kind: "status", status: 502 }, skip: 1 });
      void bench.clock.sleep(45_000).then(() => admin.clearFaults());
    });
    expect((await stack.up(main(), { beforeStep })).messages).toEqual([]);
    expect(idsOn(branchId)).toEqual([stack.ids().main]);
  });
});

it("create that is interrupted still takes the answer of a request that is under way", async () => {
  const { bench, stack, admin, main, branchId, idsOn, stored } = await useMain({ operationMs: 60_000 });
  const { clock } = bench;
  const interrupt = new AbortController();
  const beganMs = clock.now();
  admin.addFault({ route: "endpoints.create", effect: { kind: "delay", ms: 5_000, when: "after" } });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const begin = async () => {
    while (idsOn(branchId).length === 0) await turn();
    interrupt.abort();
    await turn();
    // The platform holds its answer back on its own clock: nothing sleeps on the provider's.
    admin.advance(5_000);
  };
  const { error } = await stack.up(main(), {
    beforeStep: justBefore("create", () => void begin()),
    signal: interrupt.signal,
  });
  expect(error).toBeInstanceOf(PartialFailure);
  expect(error).toMatchObject({ message: expect.stringContaining("interrupted") });
  expect(clock.now() - beganMs).toBe(5_000);
  expect(idsOn(branchId)).toEqual([stack.ids().main]);
  expect(bookkeepingOf(stored()?.state ?? {}).operations).toHaveLength(1);
  expect(clock.sleeping()).toBe(0);
});
