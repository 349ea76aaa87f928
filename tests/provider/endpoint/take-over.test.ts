/** Tests takeovers that only single endpoints have; those of members too: tests/provider/fleet/takeovers.test.ts. */
import { describe, expect, it, vi } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor } from "../../../provider/lib/owner";
import { create, diff } from "../../../provider/pulumi/endpoint/lifecycle";
import { urnOf } from "../../support/bench";
import { useOne } from "./support";

describe("create by taking over", () => {
  it.each(["gone", "moved away"])("creates one where only an old list still shows one, which is %s", async (how) => {
    const { run, make, bench, emulator, context } = await useOne();
    const { projectId, admin } = emulator;
    const branchId = bench.branch();
    const { id } = admin.seedEndpoint(projectId, { branch_id: branchId });
    await run(context.account.project(projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    if (how === "gone") admin.dropEndpoint(id);
    else admin.changeEndpoint(id, { branch_id: bench.branch() });
    expect((await run(make({ branchId, adoptExisting: true }))).id).not.toContain(id);
    expect(bench.on(branchId)).toHaveLength(1);
  });

  it("leaves alone what another resource of the program has", async () => {
    const { run, make, bench, inputs, emulator, context } = await useOne();
    const { projectId, admin } = emulator;
    const taken = admin.seedEndpoint(projectId, { branch_id: inputs.branchId }).id;
    await run(context.account.project(projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    context.run.record(urnOf("leaver")).phase = "kept";
    context.run.identify(urnOf("leaver"), taken);
    const error = await bench.fails(make({ adoptExisting: true }));
    expect(error).toMatchObject({ kind: "conflict" });
    expect(error.message).toContain(taken);
  });

  it("leaves alone what turns out to be another resource's while it is asked for", async () => {
    const { make, bench, inputs, emulator, context } = await useOne();
    const { projectId, admin } = emulator;
    // Somebody else has moved it here since the preview, and the platform shows no names.
    const moved = admin.seedEndpoint(projectId, { branch_id: inputs.branchId }).id;
    const { cache } = context.account.project(projectId);
    const readById = cache.readById.bind(cache);
    vi.spyOn(cache, "readById").mockImplementationOnce((id, options) => {
      context.run.record(urnOf("owner")).phase = "kept";
      context.run.identify(urnOf("owner"), id);
      return readById(id, options);
    });
    const error = await bench.fails(make({ adoptExisting: true }));
    expect(error).toMatchObject({ kind: "conflict" });
    expect(error.message).toContain(moved);
    expect(context.run.otherOwnerOf(moved, urnOf("main"))).toBe(urnOf("owner"));
  });
});

/** Checks of a replica, on a branch where runs that were killed have left some that bear a resource's name. */
async function useLeft(settings: Parameters<typeof useOne>[1] = {}) {
  const used = await useOne({}, settings);
  const { admin, projectId } = used.emulator;
  const { branchId } = used.inputs;
  return {
    ...used,
    news: { ...used.inputs, type: "read_only" as const },
    leave: (owner = "main") =>
      admin.seedEndpoint(projectId, {
        branch_id: branchId,
        type: "read_only",
        name: newOwnershipName(madeFor(urnOf(owner))),
      }).id,
    named: (id: string) => expect.stringMatching(`\\n +npx --no-install pgcompute endpoints delete ${projectId}/${id}`),
  };
}

describe("a replica that an interrupted run left", () => {
  it.each([false, true])("is named, and the program goes on (adoptInterrupted: %s)", async (adoptInterrupted) => {
    const { checked, context, leave, named, news } = await useLeft({ adoptInterrupted });
    const id = leave();
    expect((await checked({ news })).failures).toEqual([]);
    expect(context.said.warnings).toEqual(adoptInterrupted ? [] : [named(id)]);
    // What the state has is no orphan: the engine shows it as the old inputs, or Diff has named it before.
    context.said.warnings.length = 0;
    expect((await checked({ olds: news, news: { ...news, sizeCu: 2 } })).failures).toEqual([]);
    context.run.identify(urnOf("main"), id);
    context.run.record(urnOf("main")).compared = { inPlace: false };
    expect((await checked({ news: { ...news, sizeCu: 2 } })).failures).toEqual([]);
    expect(context.said.warnings).toEqual([]);
  });

  it("is named by a comparison of a resource that has its own, which changes nothing", async () => {
    const { context, run, clock, leave, named, news } = await useLeft();
    const { id, state } = await run(create(context, news));
    const planned = () => run(diff(context, { id, state, inputs: news }));
    expect((await planned()).messages).toEqual([]);
    await clock.pass(60_000);
    leave("other");
    const left = leave();
    await run(context.account.project(news.projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    expect(await planned()).toMatchObject({ changes: false, messages: [named(left)] });
  });
});

it("a branch that is taken is looked at again before that is refused, for somebody may have made room", async () => {
  const { checked, clock, emulator, inputs } = await useOne();
  const { id } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: inputs.branchId, name: "by-hand" });
  expect((await checked({ news: inputs })).failures).toHaveLength(1);
  emulator.admin.dropEndpoint(id);
  await clock.pass(20_000);
  expect((await checked({ news: inputs })).failures).toEqual([]);
});

it("a takeover is foretold with what it does, and refused where that would wait for an idle moment for ever", async () => {
  const { checked, emulator, inputs, context } = await useOne();
  const { projectId, admin } = emulator;
  const { id } = admin.seedEndpoint(projectId, { branch_id: inputs.branchId, suspend_timeout_seconds: -1 });
  const news = { ...inputs, adoptExisting: true, sizeCu: 2 };
  const never = { property: "restartWhen", reason: expect.stringContaining(`${id} never suspends as it is now`) };
  expect((await checked({ news: { ...news, restartWhen: "idle" } })).failures).toEqual([never]);
  expect((await checked({ news })).failures).toEqual([]);
  expect(context.said.warnings).toEqual([expect.stringMatching(`^takes over endpoint ${projectId}/${id}; restarts`)]);
});
