import { expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { madeFor } from "../../../provider/lib/owner";
import { check, create, diff, remove } from "../../../provider/pulumi/endpoint/lifecycle";
import { useStack, type Verb } from "../../engine-model/stack";
import { urnOf } from "../../support/bench";
import { useEndpoint } from "../endpoint/support";

// Replacements as the engine asks for them: Check with what was, Diff, Check with nothing old, then Delete and Create.

type Inputs = Partial<EndpointInputs>;

// An option such as `replacementTrigger` replaces without a Diff.

it.each(["read_write", "read_only"] as const)(
  "says what a replacement without a comparison needs (%s)",
  async (type) => {
    const { bench, context, stored, inputs } = await useEndpoint({ type });
    const run = bench.context({ account: context.account });
    for (const olds of [inputs, {}]) await bench.run(check(run, { olds: { ...olds }, news: inputs }));
    const isReplica = type === "read_only";
    expect(run.said.warnings.join()).toMatch(
      isReplica ? /host name changes$/ : /host name changes.* takes the option `deleteBeforeReplace: true`/,
    );
    if (isReplica) return;
    expect((await bench.fails(create(run, inputs))).message).toContain("Set `deleteBeforeReplace: true`");
    await bench.run(remove(run, stored));
    expect((await bench.run(create(run, inputs))).id).not.toBe(stored.id);
  },
);

it("says at the create that what was taken over stays, where no comparison came before its delete", async () => {
  const { bench, context, stored, inputs } = await useEndpoint();
  const run = bench.context({ account: context.account });
  for (const olds of [inputs, {}]) await bench.run(check(run, { olds: { ...olds }, news: inputs }));
  const book = stored.state[BOOKKEEPING] as object;
  await bench.run(remove(run, { ...stored, state: { ...stored.state, [BOOKKEEPING]: { ...book, adopted: true } } }));
  expect((await bench.fails(create(run, inputs))).message).toMatch(
    /was taken over, so a replacement does not delete it/,
  );
});

it.each<[string, Inputs]>([
  ["by its type", { type: "read_only" }],
  ["by an option, before its successor comes", { sizeCu: 2 }],
])("is deleted under its former name where it is renamed and replaced %s", async (_, more) => {
  const { branch, single, idsOn, stack } = await useStack();
  const branchId = branch();
  await stack.up({ old: single(branchId) });
  const { old } = stack.ids();
  const main = { ...single(branchId, more), was: "old", replaceOnChanges: ["sizeCu"] };
  expect((await stack.up({ main })).errors).toEqual({});
  expect(idsOn(branchId)).toEqual([stack.ids().main]);
  expect(stack.ids().main).not.toBe(old);
});

it("is not deleted first where somebody else has come to the new place since the plan", async () => {
  const { bench, branch, single, idsOn, stack, admin, projectId } = await useStack();
  const [from, to] = [branch(), branch()];
  await stack.up({ main: single(from) });
  const main = { ...single(to), deleteBeforeReplace: true };
  const beforeStep = async (verb: Verb) => {
    if (verb !== "remove") return;
    admin.seedEndpoint(projectId, { branch_id: to });
    await bench.clock.sleep(1);
  };
  const { errors } = await stack.up({ main }, { replace: ["main"], beforeStep });
  expect(errors.main).toMatch(/already has a read-write endpoint/);
  expect(errors.main).not.toMatch(/no state has this one yet/);
  expect(idsOn(from)).toEqual([stack.ids().main]);
});

it("is deleted by a later run, whose endpoint has the new place", async () => {
  const { bench, context, stored, inputs, emulator } = await useEndpoint();
  const branchId = bench.branch();
  const { id: endpointId } = emulator.admin.seedEndpoint(inputs.projectId, { branch_id: branchId });
  const next = bench.context({ account: context.account });
  await bench.run(check(next, { olds: { ...inputs }, news: inputs }));
  const old = { id: `${inputs.projectId}/${endpointId}`, state: { ...stored.state, branchId, endpointId } };
  await bench.run(remove(next, old));
  expect(bench.on(branchId)).toEqual([]);
});

it("is deleted beside a read-write endpoint where it is a read replica", async () => {
  const { bench, context, stored, inputs, emulator } = await useEndpoint({ type: "read_only" });
  const { id } = emulator.admin.seedEndpoint(inputs.projectId, { branch_id: inputs.branchId });
  const next = bench.context({ account: context.account });
  for (const olds of [inputs, {}]) await bench.run(check(next, { olds: { ...olds }, news: inputs }));
  await bench.run(remove(next, stored));
  expect(bench.on(inputs.branchId).map((one) => one.id)).toEqual([id]);
});

it("is not left running in the end where a replacement by force adopts what it has itself created", async () => {
  const { branch, single, idsOn, stack } = await useStack({ endpointNames: false });
  const branchId = branch();
  const main = single(branchId, { adoptExisting: true });
  await stack.up({ main });
  const { errors } = await stack.up({ main }, { replace: ["main"] });
  expect(errors.main).toMatch(
    /is not deleted before pulumi destroy is run; to get a new endpoint, run:\n +pulumi destroy/,
  );
  expect(idsOn(branchId)).toEqual([stack.ids().main]);
  expect((await stack.up({})).errors).toEqual({});
  expect(idsOn(branchId)).toEqual([]);
});

it.each([
  ["over", { adoptExisting: true }, {}],
  ["up, where interrupted creates are", {}, { adoptInterrupted: true }],
])("does not take its own endpoint %s that it is to replace", async (_, more, settings) => {
  const { bench, stored, inputs, endpointId, emulator } = await useEndpoint();
  // Only what bears no name is adopted.
  if ("adoptExisting" in more) emulator.admin.changeEndpoint(endpointId, { name: "" });
  const news = { ...inputs, ...more };
  const run = bench.context({ account: bench.account({}, settings) });
  for (const olds of [inputs, {}]) await bench.run(check(run, { olds: { ...olds }, news }));
  expect(await bench.fails(create(run, news))).toMatchObject({ kind: "conflict" });
  await bench.run(remove(run, stored));
  const made = await bench.run(create(run, news));
  expect(made.id).not.toBe(stored.id);
  expect(made.state).not.toMatchObject({ [BOOKKEEPING]: { adopted: true } });
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
  const reason = expect.stringMatching(new RegExp(`${id} [^]*run:\\n +PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up`));
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
  const error = await bench.fails(diff(next, { ...stored, inputs: news, oldInputs: inputs }));
  expect(error).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("already has a read-write endpoint"),
  });
});
