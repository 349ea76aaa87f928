import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor } from "../../../provider/lib/owner";
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
