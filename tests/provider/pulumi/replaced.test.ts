import { expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { madeFor } from "../../../provider/lib/owner";
import { check, create, diff, remove } from "../../../provider/pulumi/lifecycle";
import { urnOf } from "../../support/bench";
import { useEndpoint } from "../endpoint/support";

// Replacements as the engine asks for them: Check with what was, Diff, Check with nothing old, then Delete and Create.

type Used = Awaited<ReturnType<typeof useEndpoint>>;
type Inputs = Partial<EndpointInputs>;

/** A resource of another name that the state has as `main`, in a run that is about to replace it. */
async function renamed({ bench, context, stored, inputs }: Used, news: Inputs) {
  const renamedTo = bench.context({ account: context.account, urn: urnOf("renamed") });
  expect((await bench.run(check(renamedTo, { olds: inputs, news }))).failures).toEqual([]);
  expect(await bench.run(diff(renamedTo, { ...stored, inputs: news, oldInputs: inputs }))).toMatchObject({
    deleteBeforeReplace: true,
  });
  return { renamedTo, oldName: { ...renamedTo, urn: urnOf("main") } };
}

it.each<[string, Inputs]>([
  ["a change of its type", { type: "read_only" }],
  ["an option of the program", { sizeCu: 2 }],
])("deletes under its old name a renamed resource that is replaced for %s", async (_, changes) => {
  const used = await useEndpoint({ sizeCu: 1 });
  const { bench, stored, inputs, endpointId } = used;
  const news = { ...inputs, ...changes };
  const { renamedTo, oldName } = await renamed(used, news);
  expect((await bench.run(check(renamedTo, { news }))).failures).toEqual([]);
  await bench.run(remove(oldName, stored));
  expect(renamedTo.said.warnings).toEqual([]);
  expect(bench.on(inputs.branchId)).toEqual([]);
  expect((await bench.run(create(renamedTo, news))).id).not.toContain(endpointId);
  expect(bench.on(inputs.branchId)).toHaveLength(1);
});

it("deletes nothing under another name of a resource that keeps its endpoint, or has another by now", async () => {
  const used = await useEndpoint({ sizeCu: 1 });
  const { bench, stored, inputs, live } = used;
  const news = { ...inputs, sizeCu: 2 };
  const { renamedTo, oldName } = await renamed(used, news);
  await bench.run(remove(oldName, stored));
  expect(live()).toBeDefined();

  expect((await bench.run(check(renamedTo, { news }))).failures).toEqual([]);
  bench.emulator.admin.dropEndpoint(stored.id.split("/")[1] ?? "");
  const made = await bench.run(create(renamedTo, news));
  await bench.run(remove(oldName, made));
  expect(bench.on(inputs.branchId)).toHaveLength(1);
});

// An option such as `replacementTrigger` replaces without a Diff.

it("says what a replacement without a comparison needs, and does, where the old endpoint is to go first", async () => {
  const { bench, context, stored, inputs, endpointId } = await useEndpoint();
  const run = bench.context({ account: context.account });
  for (const olds of [inputs, {}]) {
    expect((await bench.run(check(run, { olds: { ...olds }, news: inputs }))).failures).toEqual([]);
  }
  expect(run.said.warnings.join()).toMatch(/host name changes.* takes the option `deleteBeforeReplace: true`/);
  const error = await bench.fails(create(run, inputs));
  expect(error).toMatchObject({ kind: "conflict" });
  expect(error.message).toContain(endpointId);
  expect(error.message).toContain("Set `deleteBeforeReplace: true`");
  await bench.run(remove(run, stored));
  expect((await bench.run(create(run, inputs))).id).not.toBe(stored.id);
});

it("says what a replacement of a replica without a comparison does, which needs nothing", async () => {
  const { bench, context, inputs } = await useEndpoint({ type: "read_only" });
  const run = bench.context({ account: context.account });
  for (const olds of [inputs, {}]) await bench.run(check(run, { olds: { ...olds }, news: inputs }));
  expect(run.said.warnings.join()).toMatch(/host name changes$/);
});

it("does not take its own endpoint over that it is to replace", async () => {
  const { bench, stored, inputs, endpointId, emulator } = await useEndpoint();
  emulator.admin.changeEndpoint(endpointId, { name: "" });
  const news = { ...inputs, adoptExisting: true };
  const run = bench.context({ account: bench.account() });
  for (const olds of [inputs, {}]) await bench.run(check(run, { olds: { ...olds }, news }));
  expect(await bench.fails(create(run, news))).toMatchObject({ kind: "conflict" });
  await bench.run(remove(run, stored));
  expect((await bench.run(create(run, news))).state).not.toMatchObject({ [BOOKKEEPING]: { adopted: true } });
});

it("does not take its own endpoint up that it is to replace, where interrupted creates are", async () => {
  const { bench, stored, inputs } = await useEndpoint();
  const run = bench.context({ account: bench.account({}, { adoptInterrupted: true }) });
  for (const olds of [inputs, {}]) await bench.run(check(run, { olds: { ...olds }, news: inputs }));
  expect(await bench.fails(create(run, inputs))).toMatchObject({ kind: "conflict" });
  await bench.run(remove(run, stored));
  expect((await bench.run(create(run, inputs))).id).not.toBe(stored.id);
});

it("refuses in the preview what a killed replacement has left in its own place, with the command that takes it up", async () => {
  const { bench, stored, inputs, endpointId, emulator } = await useEndpoint({ sizeCu: 1 });
  const { admin, projectId } = emulator;
  admin.dropEndpoint(endpointId);
  const name = newOwnershipName(madeFor(urnOf("main")));
  const { id } = admin.seedEndpoint(projectId, { branch_id: inputs.branchId, name });
  const news = { ...inputs, sizeCu: 2 };
  const planned = async (adoptInterrupted: boolean) => {
    const run = bench.context({ account: bench.account({}, { adoptInterrupted }) });
    await bench.run(check(run, { olds: { ...inputs }, news }));
    await bench.run(diff(run, { ...stored, inputs: { ...news }, oldInputs: { ...inputs } }));
    const { failures } = await bench.run(check(run, { news }));
    return { run, failures };
  };
  const reason = expect.stringMatching(new RegExp(`${id} [^]*run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up`));
  expect((await planned(false)).failures).toEqual([{ property: "branchId", reason }]);
  const { run, failures } = await planned(true);
  expect(failures).toEqual([]);
  expect((await bench.run(create(run, news))).id).toBe(`${projectId}/${id}`);
});

it("warns of what ignoreChanges keeps in the comparison and not in the replacement, and of nothing else", async () => {
  const { bench, context, stored, inputs } = await useEndpoint({ sizeCu: 1, pgSettings: { work_mem: "8MB" } });
  const warned = async (ignored: Inputs) => {
    const run = bench.context({ account: context.account });
    const news: Inputs = { ...inputs, type: "read_only", sizeCu: 2, pgSettings: { work_mem: "8MB" } };
    // The engine puts back what is ignored, but not for the second Check.
    await bench.run(check(run, { olds: { ...inputs }, news: { ...news, ...ignored } }));
    await bench.run(diff(run, { ...stored, inputs: { ...news, ...ignored }, oldInputs: { ...inputs } }));
    await bench.run(check(run, { news }));
    return run.said.warnings.join();
  };
  expect(await warned({ sizeCu: 1 })).toMatch(
    /does not follow ignoreChanges: the new endpoint gets sizeCu as the program says/,
  );
  expect(await warned({})).toBe("");
});

it("is refused on an occupied branch before its old endpoint is deleted, where no endpoint bears a name", async () => {
  const { bench, context, inputs, stored } = await useEndpoint({}, { endpointNames: false });
  const branchId = bench.branch();
  bench.emulator.admin.seedEndpoint(inputs.projectId, { branch_id: branchId });
  const next = bench.context({ account: bench.account(), urn: context.urn });
  const news = { ...inputs, branchId };
  const first = (await bench.run(check(next, { olds: inputs, news }))).failures;
  expect(first).toEqual([]);
  await bench.run(diff(next, { ...stored, inputs: news, oldInputs: inputs }));
  // The engine asks for the delete next.
  const { failures } = await bench.run(check(next, { news }));
  expect(failures).toEqual([
    { property: "branchId", reason: expect.stringContaining("already has a read-write endpoint") },
  ]);
});
