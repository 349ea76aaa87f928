import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor } from "../../../provider/lib/owner";
import { neon } from "../../../provider/platform/profiles/profiles";
import { check } from "../../../provider/pulumi/check";
import { urnOf } from "../../support/bench";
import { useCheck } from "./support";

describe("check of a branch that has an endpoint", () => {
  it("names the occupant and the ways on", async () => {
    const { checked, bench, emulator, inputs } = await useCheck();
    emulator.admin.seedEndpoint(emulator.projectId, { branch_id: bench.branch(), name: "by-hand" });
    const { failures } = await checked({ news: { ...inputs, branchId: emulator.branchId } });
    expect(failures).toHaveLength(1);
    const { property, reason } = failures[0] ?? { property: "", reason: "" };
    expect(property).toBe("branchId");
    for (const part of [emulator.endpointId, "0.25 CU", "adoptExisting: true", "dependsOn", "pulumi import"]) {
      expect(reason).toContain(part);
    }
  });

  it.each([{ adoptExisting: true }, { type: "read_only" }])("lets %j through", async (changes) => {
    const { checked, emulator, inputs } = await useCheck();
    const news = { ...inputs, branchId: emulator.branchId, ...changes };
    expect((await checked({ news })).failures).toEqual([]);
  });

  it("takes up what an interrupted run left only when it is told to", async () => {
    for (const adoptInterrupted of [false, true]) {
      const { checked, bench, emulator, inputs } = await useCheck({ adoptInterrupted });
      const branchId = bench.branch();
      const name = newOwnershipName(madeFor(urnOf("main")));
      emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, name });
      const { failures } = await checked({ news: { ...inputs, branchId } });
      expect(failures).toHaveLength(adoptInterrupted ? 0 : 1);
      if (!adoptInterrupted) expect(failures[0]?.reason).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    }
  });

  it.each([false, true])(
    "names a replica that an interrupted run left, and lets the program go on (adoptInterrupted: %s)",
    async (adoptInterrupted) => {
      const { checked, bench, emulator, inputs, context } = await useCheck({ adoptInterrupted });
      const branchId = bench.branch();
      const name = newOwnershipName(madeFor(urnOf("main")));
      const { id } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, type: "read_only", name });
      const news = { ...inputs, branchId, type: "read_only" };
      expect((await checked({ news })).failures).toEqual([]);
      const command = `pgcompute endpoints delete ${emulator.projectId}/${id}`;
      expect(context.said.warnings.join("\n").includes(command)).toBe(!adoptInterrupted);
      // What the state has is no orphan: the engine shows it as the old inputs, or Diff has named it before.
      context.said.warnings.length = 0;
      expect((await checked({ olds: news, news: { ...news, sizeCu: 2 } })).failures).toEqual([]);
      context.run.identify(urnOf("main"), id);
      context.run.record(urnOf("main")).compared = { inPlace: false };
      expect((await checked({ news: { ...news, sizeCu: 2 } })).failures).toEqual([]);
      expect(context.said.warnings).toEqual([]);
    },
  );

  it.each(["read_write", "read_only"])("names what an interrupted run left on another branch (%s)", async (type) => {
    const { checked, bench, emulator, inputs, context } = await useCheck();
    const before = bench.branch();
    const seed = { branch_id: before, type: type as "read_only", name: newOwnershipName(madeFor(urnOf("main"))) };
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, seed);
    expect((await checked({ news: { ...inputs, type } })).failures).toEqual([]);
    expect(context.said.warnings).toHaveLength(1);
    expect(context.said.warnings[0]).toContain(`pgcompute endpoints delete ${emulator.projectId}/${id}`);
    expect(context.said.warnings[0]).toContain(before);
  });

  it("looks again before it refuses, for somebody may have made room", async () => {
    const { checked, bench, clock, emulator, inputs } = await useCheck();
    const branchId = bench.branch();
    const occupant = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, name: "by-hand" }).id;
    expect((await checked({ news: { ...inputs, branchId } })).failures).toHaveLength(1);
    emulator.admin.dropEndpoint(occupant);
    await clock.pass(20_000);
    expect((await checked({ news: { ...inputs, branchId } })).failures).toEqual([]);
  });
});

// Specification, section 1.
describe("check within one program", () => {
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

  it("counts what else the project has, and refuses for that by a fresh list alone", async () => {
    const { context, run, inputs, bench, emulator } = await useCheck({ profile: neon, plan: "free" });
    const { admin, projectId } = emulator;
    const seed = (given = {}) =>
      admin.seedEndpoint(projectId, { branch_id: inputs.branchId, type: "read_only", ...given }).id;
    const news = { ...inputs, type: "read_only" };
    const reasons = async (name: string, olds = {}) =>
      (await run(check({ ...context, urn: urnOf(name) }, { olds, news }))).failures.map(({ reason }) => reason);
    seed({ branch_id: bench.branch() });
    seed({ name: newOwnershipName(madeFor(urnOf("left")), () => "0000000a") });
    const others = seed();
    const refused = `Neon's free plan has 3 read replicas in a project, and ${projectId} would have 4 with those that are there: remove 1 first (a run deletes last)`;
    expect(await reasons("there", news)).toEqual([]);
    expect(await reasons("left")).toEqual([]);
    admin.clearLog();
    await bench.clock.pass(1_000);
    expect(await reasons("new")).toEqual([refused]);
    expect(admin.log().map(({ path }) => path)).toEqual([expect.stringMatching(/\/endpoints/)]);
    admin.dropEndpoint(others);
    // What has come since the first list may be what this run has created.
    seed();
    await bench.clock.pass(1_000);
    expect(await reasons("new")).toEqual([]);
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
});
