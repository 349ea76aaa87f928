import { describe, expect, it, vi } from "vitest";
import type { Fault } from "../../../emulator";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { madeFor } from "../../../provider/lib/owner";
import { check, create, diff, update } from "../../../provider/pulumi/lifecycle";
import { previewCreate } from "../../../provider/pulumi/preview";
import { urnOf, useBench } from "../../support/bench";
import { bookOf, partial, useCreate } from "./support";

describe("create by taking over", () => {
  it("takes the branch's endpoint as it is, and says that it will not be deleted", async () => {
    const { run, make, emulator, context } = await useCreate();
    const { projectId, branchId, endpointId } = emulator;
    const { id, state } = await run(make({ branchId, adoptExisting: true }));
    expect(id).toBe(`${projectId}/${endpointId}`);
    expect(state[BOOKKEEPING]).toMatchObject({ adopted: true });
    expect(context.said.info.join()).toMatch(/destroy will release it, not delete it/);
    expect(emulator.admin.log({ method: "PATCH" })).toEqual([]);
    expect(context.run.record(urnOf("main"))).toMatchObject({ endpointId, takenOverAt: expect.any(Number) });
  });

  it("keeps what it took over when the change fails", async () => {
    const { make, bench, emulator } = await useCreate();
    emulator.admin.addFault({ route: "endpoints.update", effect: { kind: "status", status: 500 } });
    const error = await partial(bench.fails(make({ branchId: emulator.branchId, adoptExisting: true, sizeCu: 2 })));
    expect(error.state).toMatchObject({ sizeCu: 0.25, [BOOKKEEPING]: { adopted: true } });
  });

  it("does not count as set what it could not send, where the platform does not tell it", async () => {
    const { run, make, bench, inputs, context, emulator } = await useCreate({ removedFields: "ignored" });
    const { admin, branchId, endpointId } = emulator;
    admin.addFault({ route: "endpoints.update", effect: { kind: "status", status: 403 } });
    const wanted = { branchId, adoptExisting: true, poolerEnabled: true };
    const error = await partial(bench.fails(make(wanted)));
    expect(error.state).not.toHaveProperty("poolerEnabled");
    admin.clearFaults();
    admin.configure({ removedFields: "kept" });
    context.run.clear();
    const account = bench.account();
    const { state } = await run(update({ ...context, account }, { ...error, inputs: { ...inputs, ...wanted } }));
    expect(admin.endpoint(endpointId).pooler_enabled).toBe(true);
    expect(state).toMatchObject({ poolerEnabled: true, [BOOKKEEPING]: { adopted: true } });
  });

  it("creates one where there is none, or where only an old list still shows one", async () => {
    const { run, make, bench, inputs, emulator, context } = await useCreate();
    const { state } = await run(make({ adoptExisting: true }));
    expect(state[BOOKKEEPING]).not.toHaveProperty("adopted");

    const other = bench.branch();
    const gone = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: other }).id;
    await run(context.account.project(inputs.projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    emulator.admin.dropEndpoint(gone);
    const made = await run(make({ branchId: other, adoptExisting: true }));
    expect(made.id).not.toContain(gone);
    expect(bench.on(other)).toHaveLength(1);
  });

  it("leaves alone what has moved away, and what another resource of the program has", async () => {
    const { run, make, bench, inputs, emulator, context } = await useCreate();
    const { projectId, admin } = emulator;
    const moved = bench.branch();
    const other = admin.seedEndpoint(projectId, { branch_id: moved }).id;
    await run(context.account.project(projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    admin.changeEndpoint(other, { branch_id: bench.branch() });
    expect((await run(make({ branchId: moved, adoptExisting: true }))).id).not.toContain(other);

    const taken = admin.seedEndpoint(projectId, { branch_id: inputs.branchId }).id;
    await run(context.account.project(projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    context.run.record(urnOf("leaver")).phase = { kind: "new", inputs: {} };
    context.run.identify(urnOf("leaver"), taken);
    const error = await bench.fails(make({ adoptExisting: true }));
    expect(error).toMatchObject({ kind: "conflict" });
    expect(error.message).toContain(taken);
  });

  it("leaves alone what turns out to be another resource's while it is asked for", async () => {
    const { make, bench, inputs, emulator, context } = await useCreate();
    const { projectId, admin } = emulator;
    // Somebody else has moved it here since the preview, and the platform shows no names.
    const moved = admin.seedEndpoint(projectId, { branch_id: inputs.branchId }).id;
    const { cache } = context.account.project(projectId);
    const confirm = cache.confirm.bind(cache);
    vi.spyOn(cache, "confirm").mockImplementationOnce((id, options) => {
      context.run.record(urnOf("owner")).phase = { kind: "new", inputs: {} };
      context.run.identify(urnOf("owner"), id);
      return confirm(id, options);
    });
    const error = await bench.fails(make({ adoptExisting: true }));
    expect(error).toMatchObject({ kind: "conflict" });
    expect(error.message).toContain(moved);
    expect(context.run.otherOwnerOf(moved, urnOf("main"))).toBe(urnOf("owner"));
  });

  it.each(["read_write", "read_only"] as const)(
    "takes up what an interrupted run left, when told to (%s)",
    async (type) => {
      const { run, make, bench, inputs, emulator } = await useCreate({}, { adoptInterrupted: true });
      const { projectId } = emulator;
      const leftover = emulator.admin.seedEndpoint(projectId, {
        branch_id: inputs.branchId,
        type,
        name: newOwnershipName(madeFor(urnOf("main"))),
      });
      const { id, state } = await run(make({ type, sizeCu: 2 }));
      expect(id).toBe(`${projectId}/${leftover.id}`);
      expect(state[BOOKKEEPING]).not.toHaveProperty("adopted");
      expect(bench.on(inputs.branchId)).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    },
  );

  it("says in the preview what taking up a replica changes", async () => {
    const { run, inputs, emulator, context } = await useCreate({}, { adoptInterrupted: true });
    const { projectId, admin } = emulator;
    const name = newOwnershipName(madeFor(urnOf("main")));
    const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
    const { id } = admin.seedEndpoint(projectId, { branch_id: inputs.branchId, type: "read_only", name, ...size });
    const news = { ...inputs, type: "read_only" as const, sizeCu: 2 };
    expect((await run(check(context, { news }))).failures).toEqual([]);
    expect([...context.said.warnings, ...context.said.info].join()).toMatch(
      new RegExp(`takes over endpoint ${projectId}/${id}.*restarts the endpoint`),
    );
    expect(await run(previewCreate(context, news))).toMatchObject({ endpointId: id, sizeCu: 2 });
    expect((await run(create(context, news))).id).toBe(`${projectId}/${id}`);
  });
});

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
