import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor } from "../../../provider/lib/owner";
import { neon } from "../../../provider/platform/profiles/profiles";
import { check } from "../../../provider/pulumi/check";
import { urnOf } from "../../support/bench";
import { useCheck } from "./support";

// Specification, section 1.
describe("check within one program", () => {
  it("refuses the second of two on one branch, naming the first", async () => {
    const { context, run, inputs } = await useCheck();
    const as = (name: string) => ({ ...context, urn: urnOf(name) });
    expect((await run(check(as("one"), { news: inputs }))).failures).toEqual([]);
    const { failures } = await run(check(as("two"), { news: inputs }));
    expect(failures[0]?.reason).toContain(`the resource "one" (${urnOf("one")})`);
  });

  it.each(["refuse", "warn"] as const)("counts the replicas of a project against the plan: %s", async (checks) => {
    const { context, run, inputs } = await useCheck({ profile: neon, plan: "free", checks });
    const of = (name: string) =>
      run(check({ ...context, urn: urnOf(name) }, { news: { ...inputs, type: "read_only" } }));
    for (const name of ["one", "two", "three"]) expect((await of(name)).failures).toEqual([]);
    const reason = `Neon's free plan has 3 read replicas in a project, and the program has 4 in ${inputs.projectId}: remove 1`;
    const { failures } = await of("four");
    expect(failures.map((one) => one.reason)).toEqual(checks === "warn" ? [] : [reason]);
    expect(context.said.warnings).toEqual(checks === "warn" ? [`type: ${reason}`] : []);
  });

  it("lets one take the branch that another of the same program leaves before", async () => {
    const { context, run, bench, emulator, inputs } = await useCheck();
    const left = bench.branch();
    emulator.admin.seedEndpoint(emulator.projectId, { branch_id: left });
    const leaver = { ...context, urn: urnOf("leaver") };
    const olds = { ...inputs, branchId: left, type: "read_write" };
    await run(check(leaver, { olds, news: { ...olds, branchId: bench.branch() } }));
    const comer = () => run(check({ ...context, urn: urnOf("comer") }, { news: { ...inputs, branchId: left } }));
    // Until the step of the one that leaves was answered, nothing says which of them comes first.
    expect((await comer()).failures[0]?.reason).toContain("`dependsOn: [leaver]`");
    context.run.claims.done(leaver.urn);
    expect((await comer()).failures).toEqual([]);
  });

  it("replaces one that goes to the branch that another leaves while replicas stay on it", async () => {
    const { context, run, bench, emulator, inputs } = await useCheck();
    const left = bench.branch();
    emulator.admin.seedEndpoint(emulator.projectId, { branch_id: left });
    emulator.admin.seedEndpoint(emulator.projectId, { branch_id: left, type: "read_only" });
    const olds = { ...inputs, branchId: left, type: "read_write" };
    await run(check({ ...context, urn: urnOf("leaver") }, { olds, news: { ...olds, branchId: bench.branch() } }));
    context.run.claims.done(urnOf("leaver"));
    const mover = { olds: { ...inputs, type: "read_write" }, news: { ...inputs, branchId: left } };
    expect((await run(check({ ...context, urn: urnOf("mover") }, mover))).failures).toEqual([]);
    expect(context.run.claims.of(urnOf("mover"))?.arrival).toBe("replace");
  });

  it("sees that the branch a resource leaves has somebody else's endpoint by now", async () => {
    const { context, run, bench, emulator, inputs } = await useCheck();
    const left = bench.branch();
    const occupant = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: left, name: "by-hand" }).id;
    const olds = { ...inputs, branchId: left, type: "read_write" };
    context.run.identify(urnOf("leaver"), "ep-gone-elsewhere-1");
    await run(check({ ...context, urn: urnOf("leaver") }, { olds, news: { ...olds, branchId: bench.branch() } }));
    context.run.claims.done(urnOf("leaver"));
    const { failures } = await run(check({ ...context, urn: urnOf("comer") }, { news: { ...inputs, branchId: left } }));
    expect(failures[0]?.reason).toContain(occupant);
  });

  it("refuses it where the other gives the branch up only afterwards", async () => {
    const { context, run, bench, emulator, inputs } = await useCheck();
    const other = emulator.admin.seedProject().project.id;
    const elsewhere = emulator.admin.seedBranch(other).id;
    const left = bench.branch();
    emulator.admin.seedEndpoint(emulator.projectId, { branch_id: left });
    const olds = { ...inputs, branchId: left, type: "read_write" };
    await run(
      check({ ...context, urn: urnOf("leaver") }, { olds, news: { ...olds, projectId: other, branchId: elsewhere } }),
    );
    const { failures } = await run(check({ ...context, urn: urnOf("comer") }, { news: { ...inputs, branchId: left } }));
    expect(failures[0]?.reason).toMatch(/"leaver".*in a second run/);
  });

  it.each([
    [{ sizeCu: 1 }, {}, /no longer sets a size.*stays as it is \(1 CU\)/],
    [{ passwordlessAccess: true }, {}, /no longer sets passwordlessAccess.*stays true/],
  ])("warns of what has no default to go back to: %j", async (old, news, warning) => {
    const { checked, context, inputs } = await useCheck();
    await checked({ olds: { ...inputs, type: "read_write", ...old }, news: { ...inputs, ...news } });
    expect(context.said.warnings.join("\n")).toMatch(warning);
  });
});

describe("check of passwordlessAccess, which the platform takes without effect", () => {
  it.each([true, false])("warns where a program sets or changes it, and no more after that (%s)", async (value) => {
    const { checked, context, inputs } = await useCheck();
    const program = { ...inputs, type: "read_write", passwordlessAccess: value };
    await checked({ news: program });
    await checked({ olds: { ...program, passwordlessAccess: !value }, news: program });
    const warning = expect.stringMatching(/^the platform ignores passwordlessAccess for now/);
    expect(context.said.warnings).toEqual([warning, warning]);
    await checked({ olds: program, news: program });
    expect(context.said.warnings).toHaveLength(2);
  });
});

describe("check of a replica of which earlier ones are there", () => {
  const replica = async () => {
    const tools = await useCheck();
    const { emulator, bench, inputs } = tools;
    const branchId = bench.branch();
    const seed = () =>
      emulator.admin.seedEndpoint(emulator.projectId, {
        branch_id: branchId,
        type: "read_only",
        name: newOwnershipName(madeFor(urnOf("main"))),
      }).id;
    return { ...tools, seed, news: { ...inputs, branchId, type: "read_only" } };
  };

  it("lets a replacement through that was not compared, where there is nothing but what it replaces", async () => {
    const { checked, seed, news } = await replica();
    seed();
    expect((await checked({ olds: news, news })).failures).toEqual([]);
    expect((await checked({ olds: {}, news })).failures).toEqual([]);
    seed();
  });

  it("does not speak of what is older than its own, which waits to be deleted", async () => {
    const { checked, context, clock, seed, news } = await replica();
    seed();
    await clock.pass(60_000);
    context.run.identify(urnOf("main"), seed());
    await checked({ olds: {}, news });
    expect(context.said.warnings).toEqual([]);
    await clock.pass(400_000);
    const orphan = seed();
    expect((await checked({ olds: {}, news })).failures).toEqual([]);
    expect(context.said.warnings.join()).toContain(`pgcompute endpoints delete ${news.projectId}/${orphan}`);
  });

  it("does not ask about what another resource has, nor about what only a list still shows", async () => {
    const { checked, context, emulator, seed, news, run } = await replica();
    const others = seed();
    context.run.record(urnOf("renamed")).phase = { kind: "new", inputs: {} };
    context.run.identify(urnOf("renamed"), others);
    const gone = seed();
    await run(context.account.project(news.projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    emulator.admin.dropEndpoint(gone);
    expect((await checked({ news })).failures).toEqual([]);
  });
});
