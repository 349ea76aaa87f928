import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor } from "../../../provider/lib/owner";
import { create, diff, update } from "../../../provider/pulumi/lifecycle";
import { urnOf, useBench } from "../../support/bench";
import { bookOf, partial } from "./support";

const failing: Fault = { on: "operation", action: "start_compute", count: 1, effect: { kind: "fail" } };

describe("taking up what an interrupted run created", () => {
  it("keeps an operation of it that fails, and mends that with the next run", async () => {
    const { inputs, context, run, on, post, fails, emulator } = await setUp();
    emulator.admin.addFault(failing);
    const { endpoint } = await run(post());
    const error = await partial(fails(create(context, inputs)));
    expect(error.kind).toBe("operation_failed");
    expect(error.id).toBe(`${inputs.projectId}/${endpoint.id}`);
    expect(bookOf(error.state).operations).toMatchObject([{ action: "start_compute", status: "failed" }]);

    const mended = await run(update(context, { id: error.id, state: error.state, inputs }));
    expect(bookOf(mended.state).operations).toBeUndefined();
    expect(on(inputs.branchId)).toMatchObject([{ id: endpoint.id, current_state: "active" }]);
  });

  it("does not take up the one that this very run replaces", async () => {
    const { projectId, branchId, run, on, emulator, context } = await setUp();
    const seed = { branch_id: branchId, type: "read_only", name: newOwnershipName(madeFor(urnOf("main"))) } as const;
    const { id } = emulator.admin.seedEndpoint(projectId, seed);
    context.run.identify(urnOf("main"), id);
    const inputs = { projectId, branchId, type: "read_only" } as const;
    const made = await run(create(context, inputs));
    expect(made.id).not.toBe(`${projectId}/${id}`);
    expect(on(branchId)).toHaveLength(2);
  });
});

describe("diff", () => {
  it("names what other runs created for a resource that has its own, with the command that deletes it", async () => {
    const { inputs, context, run, emulator, projectId, branchId } = await setUp();
    const { id, state } = await run(create(context, inputs));
    const planned = () => run(diff(context, { id, state, inputs }));
    expect((await planned()).messages).toEqual([]);
    const seed = { branch_id: branchId, type: "read_only" } as const;
    const stranger = emulator.admin.seedEndpoint(projectId, {
      ...seed,
      name: newOwnershipName(madeFor(urnOf("other"))),
    });
    const left = emulator.admin.seedEndpoint(projectId, { ...seed, name: newOwnershipName(madeFor(urnOf("main"))) });
    await run(context.account.project(projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    const { changes, messages } = await planned();
    expect(changes).toBe(false);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(`run: npx --no-install pgcompute endpoints delete ${projectId}/${left.id}`);
    expect(messages[0]).not.toContain(stranger.id);
  });
});

async function setUp() {
  const bench = await useBench();
  const account = bench.account({}, { adoptInterrupted: true });
  const { projectId } = bench.emulator;
  const inputs = { projectId, branchId: bench.branch(), type: "read_write" as const };
  return {
    ...bench,
    ...inputs,
    inputs,
    context: bench.context({ account }),
    /** What a run sent before it was killed. */
    post: () =>
      account.api.createEndpoint(projectId, {
        branch_id: inputs.branchId,
        type: inputs.type,
        name: newOwnershipName(madeFor(urnOf("main"))),
      }),
  };
}
