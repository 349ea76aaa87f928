import { describe, expect, it } from "vitest";
import { create, update } from "../../../provider/pulumi/lifecycle";
import { bookOf, partial, useCreate, useEndpoint } from "./support";

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
    expect(error.message).toMatch(/\(start_compute\) was still "\w+" after \d s, all that the change had left of 30 s/);
    expect(bookOf(error.state).operations).toMatchObject([{ action: "start_compute" }]);
  });

  it("ends the wait for a turn, and nothing is sent then", async () => {
    const { bench, make, clock, emulator } = await useCreate({ lock: "project", operationMs: 10_000 });
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

  it("begins nothing once it is over", async () => {
    const { bench, make, clock, emulator } = await useCreate();
    expect(await bench.fails(make({}, { deadlineMs: clock.now() }))).toMatchObject({ kind: "timeout" });
    expect(emulator.admin.log({ route: "endpoints.create" })).toEqual([]);
  });

  it.each(["its answer comes", "its answer is lost"])(
    "keeps what was created though it is over when %s",
    async (when) => {
      const { bench, context, inputs, clock, emulator } = await useCreate({ operationMs: 20_000 });
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
