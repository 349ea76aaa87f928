import { expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
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
