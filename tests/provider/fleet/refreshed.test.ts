import { describe, expect, it } from "vitest";
import { urnOf } from "../../engine-model/names";
import { FLEET_URN, useStack } from "../../engine-model/stack";
import type { Stored } from "../../engine-model/words";

type Used = Awaited<ReturnType<typeof useStack>>;

/** A refresh in a process of its own: it passes, and says nothing of plans. */
async function refreshed({ stack }: Used) {
  const run = await stack.refresh();
  expect(run.error?.message).toBeUndefined();
  expect(run.rows).toEqual([]);
  return run;
}

it("a refresh compares what it has read with the inputs of the last run, and refuses nothing where more members came than its inputs say, of which one is protected", async () => {
  const used = await useStack();
  const { bench, stack, program } = used;
  const { admin } = bench.emulator;
  const keys = ["a", "b", "c", "d"];
  const all = Object.fromEntries(keys.map((key) => [key, { branchId: bench.branch(), protect: key === "b" }]));
  const { a = {} } = all;
  expect((await stack.up(program({ a }))).error).toBeUndefined();
  const fault = admin.addFault({ route: "endpoints.create", skip: 2, effect: { kind: "status", status: 400 } });
  expect((await stack.up(program(all))).error?.message).toMatch(/^1 of 4 members failed/);
  admin.removeFault(fault);
  const made = Object.keys(stack.endpoints());
  expect(made).toHaveLength(3);

  expect((await refreshed(used)).changes).toEqual(
    Object.fromEntries(made.map((key) => [key, key === "a" ? "same" : "delete"])),
  );
  expect(Object.keys(stack.endpoints())).toEqual(made);
  expect((await stack.up(program(all))).error).toBeUndefined();
  expect(Object.keys(stack.endpoints())).toEqual(keys);
  expect((await stack.preview(program(all))).isChanged).toBe(false);
});

it.each(["main", "fleet"])("a Diff before any Check compares, and asks the platform nothing (%s)", async (name) => {
  const { bench, stack, admin, projectId, program } = await useStack();
  const place = { projectId, branchId: bench.branch() };
  await stack.up(name === "main" ? { main: { args: place } } : program({ a: place }));
  const stored = stack.engine.state.get(name) as Stored;
  const changed = { ...place, sizeCu: 2 };
  const inputs = name === "main" ? changed : { endpoints: { a: changed } };
  const { provider } = stack.process();
  const { id, inputs: oldInputs, state: oldOutputs } = stored;
  admin.clearLog();

  const asked = { urn: urnOf(name), id, oldInputs, oldOutputs, inputs, ignoreChanges: [] };
  expect(await bench.run(provider.diff(asked))).toMatchObject({ changes: true, replaces: false });
  expect(admin.log()).toEqual([]);
});

it("of a project that was deleted a fleet names the command that forgets what was in it, and nothing else", async () => {
  const { bench, stack, admin, program } = await useStack();
  const lost = admin.seedProject().project.id;
  const inLost = () => ({ projectId: lost, branchId: admin.seedBranch(lost).id });
  const stays = { branchId: bench.branch() };
  await stack.up(program({ stays, a: inLost(), b: inLost() }));
  admin.deleteProject(lost);
  // The project answers until the platform has done it.
  await bench.run(bench.clock.sleep(10_000));
  const others = program({ stays }, { maxDeletions: 9 });
  for (const run of ["preview", "up", "refresh"] as const) {
    const { error } = await (run === "refresh" ? stack.refresh() : stack[run](others));
    expect(error?.message).toMatch(/If project \S+ was deleted .*, take what it had out of the program/);
    expect(error?.message).toContain(`PGCOMPUTE_FORGET=${lost} pulumi up`);
    expect(error?.message).not.toContain(FLEET_URN);
  }
});

describe("an up with --refresh", () => {
  it("plans after the refresh as without one, and refuses what cannot be", async () => {
    const { bench, stack, program } = await useStack();
    const [a, b, c] = [bench.branch(), bench.branch(), bench.branch()];
    await stack.up(program({ a: { branchId: a }, b: { branchId: b }, c: { branchId: c } }));
    const process = stack.process();
    await stack.refresh({ process });
    const run = await stack.up(program({ a: { branchId: a } }), { process });
    expect(run.error?.message).toMatch(/^maxDeletions: of 3 members the plan deletes 2 \(b and c\)/);
  });

  it("lets a new fleet have an endpoint of one that leaves the program", async () => {
    const { bench, stack, projectId, program } = await useStack();
    const branchId = bench.branch();
    await stack.up(program({ a: { branchId } }));
    const { endpointId } = stack.endpoints().a ?? {};
    const process = stack.process();
    await stack.refresh({ process });
    const urn = FLEET_URN.replace("fleet", "others");
    const news = program({ x: { branchId, importId: `${projectId}/${endpointId}` } }).fleet.args;
    const { failures } = await bench.run(process.provider.check({ urn, news }));
    expect(failures).toEqual([]);
  });
});
