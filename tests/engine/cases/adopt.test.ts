import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor } from "../../../provider/lib/owner";
import { pluginHost as host, urnOf } from "../support/hosts";
import { actionsFor, changesCalled, endpointIdOf, failuresOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 1.

const bench = useBench();

describe("taking over", () => {
  it("takes over the endpoint that a primary branch is born with, and lets it go on destroy", async () => {
    const { admin } = bench.emulator;
    const { project, branches, endpoints } = admin.seedProject({
      endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 900 },
    });
    const [projectId, branchId = "", endpointId = ""] = [project.id, branches[0]?.id, endpoints[0]?.id];
    const [seeded, empty] = [bench.branch(), bench.branch()];
    const { id } = admin.seedEndpoint(bench.projectId, { branch_id: seeded, suspend_timeout_seconds: 60 });
    const adoptExisting = true;
    // One of which the program says nothing else, and one that is not there yet.
    const others = {
      seeded: { args: { projectId: bench.projectId, branchId: seeded, adoptExisting, restartTrigger: "1" } },
      empty: { args: { projectId: bench.projectId, branchId: empty, adoptExisting, sizeCu: 1 } },
    };
    const program = await bench.program(host);
    const main = (args: Record<string, unknown>) => ({ main: { args: { projectId, branchId, ...args } } });
    const adopting = program.is({ ...main({ adoptExisting, poolerEnabled: true }), ...others });

    admin.clearLog();
    expect((await adopting.preview()).changes).toMatchObject({ create: 3 });
    expect(changesCalled(bench)).toEqual([]);
    const up = await adopting.up();
    expect(said(up, "main")).toContain(`adopts endpoint ${projectId}/${endpointId}; destroy will release it`);
    expect(changesCalled(bench).sort()).toEqual(["PATCH endpoints.update", "POST endpoints.create"]);
    expect(admin.endpoint(endpointId)).toMatchObject({
      pooler_enabled: true,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: 900,
    });
    expect(stored(program.project, host, "main").id).toBe(`${projectId}/${endpointId}`);
    expect(endpointIdOf(stored(program.project, host, "seeded"))).toBe(id);
    expect(actionsFor(bench, id)).toEqual([]);
    expect(endpointsOn(bench, empty)).toMatchObject([{ autoscaling_limit_min_cu: 1, current_state: "active" }]);

    // It stays one that was taken over through updates and refreshes, and when the program stops asking for that.
    const plain = program.is({ ...main({ sizeCu: 2 }), ...others });
    expect(opsOf(await plain.up(), "main")).toEqual(["update"]);
    expect(admin.endpoint(endpointId)).toMatchObject({ pooler_enabled: false, autoscaling_limit_min_cu: 2 });
    await plain.refresh();
    expect((await plain.preview()).changes).toMatchObject({ same: 3 });
    admin.clearLog();
    const destroyed = await plain.destroy();
    expect(said(destroyed, "main")).toContain(`releases endpoint ${projectId}/${endpointId}`);
    // What was created is deleted.
    expect(changesCalled(bench)).toEqual(["DELETE endpoints.delete"]);
    expect(endpointsOn(bench, empty)).toEqual([]);
    expect(admin.endpoint(endpointId)).toMatchObject({ id: endpointId });
    expect(endpointsOn(bench, seeded)).toMatchObject([{ id, suspend_timeout_seconds: 60 }]);
  });

  it("takes up what an interrupted run created, when told to, and owns it", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const urn = urnOf(program.project, host, "main");
    const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, name: newOwnershipName(madeFor(urn)) });
    const declared = {
      main: { args: { projectId, branchId, sizeCu: 2 } },
      // A run ends at the first that is refused.
      replica: { args: { projectId, branchId, type: "read_only" }, options: { dependsOn: ["main"] } },
    };
    const replica = admin.seedEndpoint(projectId, {
      branch_id: branchId,
      type: "read_only",
      name: newOwnershipName(madeFor(urnOf(program.project, host, "replica"))),
    });

    // One that asks for an adoption: what such a run created is the resource's own all the same.
    const other = bench.branch();
    const askingUrn = urnOf(program.project, host, "asking");
    const asked = admin.seedEndpoint(projectId, { branch_id: other, name: newOwnershipName(madeFor(askingUrn)) });
    const asking = { asking: { args: { projectId, branchId: other, adoptExisting: true } } };

    const refused = await program.is(declared).preview({ expectFailure: true });
    expect(failuresOf(refused, "main")).toHaveLength(1);
    expect(refused.failure).toContain(`${id} (0.25 CU, idle)`);
    expect(refused.failure).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");

    const env = { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
    const stack = program.is({ ...declared, ...asking });
    const up = await stack.up({ env });
    expect(said(up, "main")).toContain("which an interrupted run created for this resource");
    expect(endpointsOn(bench, branchId).map((one) => one.id)).toEqual([id, replica.id]);
    expect(endpointIdOf(stored(program.project, host, "replica"))).toBe(replica.id);
    expect(admin.endpoint(id)).toMatchObject({ autoscaling_limit_min_cu: 2 });
    expect(endpointIdOf(stored(program.project, host, "asking"))).toBe(asked.id);
    await stack.destroy();
    expect([branchId, other].flatMap((one) => endpointsOn(bench, one))).toEqual([]);
  });
});
