import { describe, expect, it } from "vitest";
import { neon } from "../../../provider/platform/profiles/profiles";
import { useStack, type Values } from "../support/stack";

const late = { pace: "late" } as const;

it("an endpoint that comes into a fleet by importId is not deleted with the resource that the program no longer has", async () => {
  const { projectId, single, fleet, idsOn, engine, branch } = await useStack();
  const branchId = branch();
  await engine.up({ main: single(branchId) });
  const { main = "" } = engine.ids();
  const { errors, said } = await engine.up({ f: fleet({ a: { branchId, importId: `${projectId}/${main}` } }) });
  expect(errors).toEqual({});
  expect(said.join("\n")).toMatch(
    /becomes the fleet's own; it was created for "main"[\s\S]*spares it only in a run[\s\S]*is not deleted, because "f\/a" .* has it, too/,
  );
  expect([idsOn(branchId), engine.ids()]).toEqual([[main], { "f/a": main }]);
});

it("is refused before the old fleet, or resource, is deleted, where nothing of its plan was refused by a preview", async () => {
  const { projectId, admin, single, fleet, idsOn, engine, branch } = await useStack({ endpointNames: false });
  const [here, there, contested, free] = [branch(), branch(), branch(), branch()];
  await engine.up({ f: fleet({ a: { branchId: here } }), main: single(there), aa: single(contested) });
  const deleteBeforeReplace = true;
  // Which resource has the occupant is not known yet.
  const main = { ...single(contested), deleteBeforeReplace };
  const stopped = await engine.up({ main, aa: single(free) }, { replace: ["main"] });
  expect(stopped.errors.main).toMatch(/Let "main" wait for "aa"|already has a read-write endpoint/);
  expect(idsOn(there)).toEqual([engine.ids().main]);

  const other = branch();
  admin.seedEndpoint(projectId, { branch_id: other });
  const f = fleet({ a: { branchId: here }, b: { branchId: other } }, { deleteBeforeReplace });
  expect((await engine.up({ f }, { replace: ["f"] })).errors.f).toMatch(/already has a read-write endpoint/);
  expect(idsOn(here)).toEqual([engine.ids()["f/a"]]);
});

describe("the replicas that a plan has in a project", () => {
  const settings = { profile: neon, plan: "free" } as const;
  const replicas = (branchId: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, { branchId, type: "read_only" }]));

  it.each([
    ["the single ones first", "refuse"],
    ["the fleet first", "refuse"],
    ["and only warned of", "warn"],
  ] as const)("are those of single endpoints and of a fleet, %s", async (how, checks) => {
    const { bench, projectId, single, fleet, engine } = await useStack();
    const { branchId } = bench.emulator;
    const one = single(branchId, { type: "read_only" });
    const [singles, f] = [{ one, two: one, three: one }, { f: fleet(replicas(branchId, 1)) }];
    const program = how === "the fleet first" ? { ...f, ...singles } : { ...singles, ...f };
    const { errors, said } = await engine.preview(program, { ...late, settings: { ...settings, checks } });
    const reason = `Neon's free plan has 3 read replicas in a project, and the program has 4 in ${projectId}: remove 1`;
    expect(Object.values(errors)).toEqual(checks === "warn" ? [] : [expect.stringContaining(reason)]);
    if (checks === "warn") expect(said).toContainEqual(expect.stringMatching(`^warn .*type: ${reason}$`));
  });

  it("are those, too, that others have made, and that the fleet deletes last", async () => {
    const { bench, admin, projectId, fleet, engine } = await useStack();
    const { branchId } = bench.emulator;
    const [first, second] = [1, 2].map(
      () => admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only" }).id,
    );
    const of = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, { branchId, type: "read_only" }]));
    const refused = async (endpoints: Values) => {
      await bench.clock.pass(1_000);
      return (await engine.preview({ f: fleet(endpoints) }, { settings })).errors.f;
    };
    expect(await refused(of("r0"))).toBeUndefined();
    expect(await refused({ ...of("r1"), r0: { ...of("r0").r0, importId: `${projectId}/${first}` } })).toBeUndefined();
    expect(await refused(of("r0", "r1"))).toContain(
      `and ${projectId} would have 4 with those that are there: remove 1 first`,
    );
    admin.dropEndpoint(second ?? "");
    await bench.clock.pass(1_000);
    expect((await engine.up({ f: fleet(of("r0", "r1")) }, { settings })).errors).toEqual({});
    expect(await refused(of("r0", "r1"))).toBeUndefined();
    // One comes before the other one goes.
    expect(await refused(of("r0", "r2"))).toContain("would have 4");
    admin.dropEndpoint(first ?? "");
    expect(await refused(of("r0", "r2"))).toBeUndefined();
  });

  it("refuse one that is replaced where there are more already, and none that stays", async () => {
    const { bench, admin, projectId, single, engine, branch } = await useStack();
    const one = single(bench.emulator.branchId, { type: "read_only" });
    const there = { two: one, three: one, last: one };
    await engine.up({ one, ...there });
    expect((await engine.preview({ one, ...there }, { settings })).errors).toEqual({});
    const occupied = branch();
    admin.seedEndpoint(projectId, { branch_id: occupied });
    const { errors } = await engine.preview({ one: single(occupied, { type: "read_only" }), ...there }, { settings });
    expect(errors).toEqual({ one: expect.stringContaining("would have 4") });
  });

  it("do not refuse a fleet that has more, and is to have fewer", async () => {
    const { bench, fleet, engine } = await useStack();
    const { branchId } = bench.emulator;
    await engine.up({ f: fleet(replicas(branchId, 8)) });
    expect((await engine.preview({ f: fleet(replicas(branchId, 5)) }, { settings })).errors).toEqual({});
  });
});
