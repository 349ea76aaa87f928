import { expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import type { StoredEndpoint } from "../../../provider/endpoint/stored";
import type { LifecycleContext } from "../../../provider/pulumi/call";
import { check, create, diff } from "../../../provider/pulumi/lifecycle";
import { urnOf } from "../../support/bench";
import { useCreate } from "./support";

// What an option such as `replaceOnChanges` replaces: Diff plans it in place, and a second Check shows nothing old.

type Used = Awaited<ReturnType<typeof useCreate>>;
type Inputs = Partial<EndpointInputs>;

/** Plans a change that the engine makes a replacement; gives what the second Check has against it. */
async function replaced({ run }: Used, context: LifecycleContext, made: StoredEndpoint, olds: Inputs, news: Inputs) {
  expect((await run(check(context, { olds, news }))).failures).toEqual([]);
  const planned = await run(diff(context, { ...made, inputs: news, oldInputs: olds }));
  expect(planned).toMatchObject({ changes: true, replaces: false });
  return (await run(check(context, { news }))).failures;
}

it.each([true, undefined])("refuses what was taken over, which stays (adoptExisting now %s)", async (adoptExisting) => {
  const used = await useCreate();
  const { bench, run, make, inputs, emulator } = used;
  const olds = { ...inputs, branchId: emulator.branchId, sizeCu: 1, adoptExisting: true };
  const made = await run(make(olds));
  const { adoptExisting: _, ...others } = olds;
  const news = { ...others, sizeCu: 2, ...(adoptExisting && { adoptExisting }) };
  const failures = await replaced(used, bench.context(), made, olds, news);
  const reason = expect.stringMatching(new RegExp(`^endpoint ${emulator.endpointId} .* was taken over`));
  expect(failures).toEqual([{ property: "branchId", reason }]);
});

it.each([true, false])(
  "leaves its branch at the end of the run, where it would move in place (by force %s)",
  async (byForce) => {
    const used = await useCreate();
    const { bench, run, make, inputs } = used;
    const made = await run(make());
    const context = bench.context();
    const news = { ...inputs, branchId: bench.branch() };
    if (byForce) expect(await replaced(used, context, made, inputs, news)).toEqual([]);
    else expect((await run(check(context, { olds: inputs, news }))).failures).toEqual([]);
    context.run.claims.done(context.urn);
    const { failures } = await run(check({ ...context, urn: urnOf("next") }, { news: inputs }));
    const reason = expect.stringContaining("removes only at the end of the run");
    expect(failures).toEqual(byForce ? [{ property: "branchId", reason }] : []);
  },
);

it("names the options that keep the old endpoint where it is", async () => {
  const used = await useCreate();
  const { bench, run, make, inputs } = used;
  const olds = { ...inputs, sizeCu: 1 };
  const made = await run(make(olds));
  const context = bench.context();
  const news = { ...olds, sizeCu: 2 };
  expect(await replaced(used, context, made, olds, news)).toEqual([]);
  const error = await bench.fails(create(context, news));
  expect(error).toMatchObject({ kind: "conflict" });
  expect(error.message).toMatch(/`deleteBeforeReplace: false` .*`retainOnDelete: true`/);
});
