import { describe, expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { diff } from "../../../provider/pulumi/lifecycle";
import { useEndpoint } from "./support";

// Specification, sections 3.2 and 4.5.
describe("diff", () => {
  it("replaces a replica that moves to a branch with an endpoint, and moves it elsewhere", async () => {
    const { planned, bench, emulator } = await setUp({ type: "read_only" });
    expect((await planned({ branchId: emulator.branchId })).properties.branchId?.replaces).toMatch(
      /has another endpoint by then/,
    );
    expect((await planned({ branchId: bench.branch() })).properties.branchId?.replaces).toBeUndefined();
  });

  it("moves a replica that a run has moved already and could not record", async () => {
    const { planned, bench, context, inputs, endpointId, emulator } = await setUp({ type: "read_only" });
    const branchId = bench.branch();
    emulator.admin.changeEndpoint(endpointId, { branch_id: branchId });
    await bench.run(context.account.project(inputs.projectId).cache.snapshot({ sinceMs: context.account.clock.now() }));
    expect((await planned({ branchId })).properties).toEqual({
      branchId: { change: "update", before: inputs.branchId, after: branchId },
    });
  });

  it("needs no platform to compare", async () => {
    const { planned, emulator } = await setUp();
    emulator.admin.addFault({ effect: { kind: "status", status: 401 } });
    expect((await planned({ sizeCu: 2 })).changes).toBe(true);
  });
});

async function setUp(changes: Partial<EndpointInputs> = {}) {
  const bench = await useEndpoint({ sizeCu: 1, ...changes });
  const { context, stored, inputs, run, clock } = bench;
  return {
    ...bench,
    planned: async (news: Record<string, unknown>, request: Partial<Parameters<typeof diff>[1]> = {}, afterMs = 0) => {
      await clock.pass(afterMs);
      return run(diff(context, { ...stored, inputs: { ...inputs, ...news }, oldInputs: { ...inputs }, ...request }));
    },
  };
}
