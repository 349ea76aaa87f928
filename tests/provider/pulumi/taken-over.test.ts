import { expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import type { StoredEndpoint } from "../../../provider/endpoint/stored";
import { PartialError } from "../../../provider/platform/errors";
import type { LifecycleContext } from "../../../provider/pulumi/call";
import { check, create, diff, read, remove, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { useEndpoint } from "../endpoint/support";

// A replacement by force that takes the old endpoint up, and a run that ends before the delete: the state has it twice.

type Used = Awaited<ReturnType<typeof useEndpoint>>;

/** What the program says now: the takeover changes the size. */
const wishOf = ({ inputs }: Used, adoptExisting: boolean): EndpointInputs => ({
  ...inputs,
  sizeCu: 2,
  ...(adoptExisting && { adoptExisting }),
});

/** Another run, in a process of its own. */
function nextRun({ bench }: Used, settings = {}) {
  return bench.context({ account: bench.account({}, settings) });
}

/** The state of before, and the one that the replacement by force has left in its place. */
async function takenOver(used: Used, isImported: boolean, fails: boolean | "before") {
  const { bench, emulator, endpointId, stored } = used;
  if (isImported) emulator.admin.changeEndpoint(endpointId, { name: "" });
  const imported = await bench.run(read(nextRun(used), { id: stored.id }));
  const old: StoredEndpoint = isImported ? { id: stored.id, state: imported?.state ?? {} } : stored;
  const news = wishOf(used, isImported);
  const forced = nextRun(used, { adoptInterrupted: !isImported });
  await bench.run(check(forced, { news }));
  if (fails) emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "fail" } });
  if (fails === "before") {
    const { projectId, admin } = emulator;
    admin.startOperation({ projectId, action: "start_compute", endpointId });
  }
  const step = create(forced, news).catch((error: unknown) => error);
  const live = (await bench.run(step)) as StoredEndpoint;
  expect(live instanceof PartialError).toBe(fails !== false);
  expect(live.id).toBe(old.id);
  return { old, live: { id: live.id, state: { ...live.state } }, news };
}

async function planned({ bench }: Used, context: LifecycleContext, live: StoredEndpoint, news: EndpointInputs) {
  await bench.run(check(context, { olds: { ...news }, news }));
  await bench.run(diff(context, { ...live, inputs: { ...news }, oldInputs: { ...news } }));
}

it.each([
  { isImported: false, fails: false },
  { isImported: false, fails: true },
  { isImported: false, fails: "before" as const },
  { isImported: true, fails: false },
  { isImported: true, fails: true },
])("is not deleted by a later run (imported $isImported, the takeover fails $fails)", async (how) => {
  const used = await useEndpoint({ sizeCu: 1 });
  const { bench, live: onPlatform } = used;
  const { old, live, news } = await takenOver(used, how.isImported, how.fails);
  const next = nextRun(used);
  await planned(used, next, live, news);
  await bench.run(remove(next, old));
  expect(onPlatform()).toBeDefined();
  expect(next.said.warnings.join()).toContain("not deleted");

  // Nor by one after an update, which the pending delete has outlived.
  const changed = await bench.run(update(nextRun(used), { ...live, inputs: { ...news, sizeCu: 1 }, oldInputs: {} }));
  const later = nextRun(used);
  await planned(used, later, changed, { ...news, sizeCu: 1 });
  await bench.run(remove(later, old));
  expect(onPlatform()).toBeDefined();
});

it("is deleted where the resource goes", async () => {
  const used = await useEndpoint({ sizeCu: 1 });
  const { old, live } = await takenOver(used, false, false);
  const { bench, inputs } = used;
  const destroy = nextRun(used);
  for (const one of [old, live]) await bench.run(remove(destroy, one));
  expect(bench.on(inputs.branchId)).toEqual([]);
});

it("is deleted where a later replacement by force has a new one", async () => {
  const used = await useEndpoint({ type: "read_only" });
  const { bench, inputs, endpointId } = used;
  const { live, news } = await takenOver(used, false, false);
  const forced = nextRun(used);
  await bench.run(check(forced, { news }));
  await bench.run(create(forced, news));
  await bench.run(remove(forced, live));
  expect(bench.on(inputs.branchId)).toHaveLength(1);
  expect(bench.on(inputs.branchId)[0]?.id).not.toBe(endpointId);
});
