import { describe, expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { withBookkeeping } from "../../../provider/endpoint/state";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { diff } from "../../../provider/pulumi/lifecycle";
import { useEndpoint } from "./support";

// Specification, sections 3.2 and 4.5.
describe("diff", () => {
  it.each<[string, Record<string, unknown>, Record<string, string>, boolean]>([
    ["nothing", {}, {}, false],
    ["a size", { sizeCu: 2 }, { sizeCu: "update" }, false],
    ["a size not known yet", { sizeCu: UNKNOWN }, { sizeCu: "update" }, false],
    ["a type", { type: "read_only" }, { type: "update, replaces" }, true],
    ["a project", { projectId: "other-project-1" }, { projectId: "update, replaces" }, false],
    ["a new setting", { poolerEnabled: true }, { poolerEnabled: "add" }, false],
    ["a branch without endpoints", { branchId: "br-free" }, { branchId: "update" }, true],
  ])("plans %s", async (_, news, expected, deletesFirst) => {
    const { planned } = await setUp();
    const { properties, changes, deleteBeforeReplace } = await planned(news);
    const texts = Object.entries(properties).map(([name, { change, replaces }]) => [
      name,
      replaces === undefined ? change : `${change}, replaces`,
    ]);
    expect(Object.fromEntries(texts)).toEqual(expected);
    expect(changes).toBe(texts.length > 0);
    if (texts.some(([, text]) => text?.includes("replaces"))) expect(deleteBeforeReplace).toBe(deletesFirst);
  });

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

  it("keeps values to itself that the program keeps secret", async () => {
    const { planned, bench } = await setUp();
    const { impact, messages } = await planned(
      { sizeCu: 4, branchId: bench.branch(), suspendTimeoutSeconds: 777 },
      { secret: new Set(["sizeCu", "branchId", "suspendTimeoutSeconds"]) },
    );
    expect(impact).toMatchObject({ restarts: true });
    expect(messages.join(" ")).toMatch(/restarts the endpoint.*secret are not shown/);
    expect(messages.join(" ")).not.toMatch(/1802|777|4 CU|br-/);
  });

  it("reports a change while operations are kept, and says which", async () => {
    const { planned, stored } = await setUp();
    const operation = { id: "op-1", action: "start_compute", status: "running", createdAt: "2024-05-01T10:00:00Z" };
    const state = withBookkeeping(stored.state, { operations: [operation] });
    const { changes, properties, messages } = await planned({}, { state });
    expect({ changes, properties }).toEqual({ changes: true, properties: {} });
    expect(messages.join()).toMatch(/operation op-1 \(start_compute\) was still "running"/);
    const ended = withBookkeeping(stored.state, { operations: [{ ...operation, status: "failed" }] });
    expect((await planned({}, { state: ended })).messages.join()).toMatch(/\(start_compute\) was "failed" at the end/);
  });

  it.each(["projectId", "type"])("replaces for a %s that is not known yet, and says that", async (property) => {
    const { planned, stored } = await setUp();
    const { properties } = await planned({ [property]: UNKNOWN });
    const before = stored.state[property];
    expect(properties).toEqual({
      [property]: { change: "update", before, after: UNKNOWN, replaces: expect.any(String) },
    });
    expect(Object.values(properties)[0]?.replaces).toContain(
      `${property} is not known yet, and an endpoint cannot change`,
    );
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
