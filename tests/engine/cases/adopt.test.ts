import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { ownerOf } from "../../../provider/pulumi/run/run";
import { hosts, urnOf } from "../support/hosts";
import { actionsFor, changesCalled, endpointIdOf, failuresOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 1.

const bench = useBench();

describe.each(hosts)("taking over by the $name host", (host) => {
  it("takes over the endpoint that a primary branch is born with, and lets it go on destroy", async () => {
    const { admin } = bench.emulator;
    const { project, branches, endpoints } = admin.seedProject({
      endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 900 },
    });
    const [projectId, branchId = "", endpointId = ""] = [project.id, branches[0]?.id, endpoints[0]?.id];
    const program = await bench.program(host);
    const adopting = (args: Record<string, unknown>) =>
      program.is({ main: { args: { projectId, branchId, adoptExisting: true, ...args } } });

    admin.clearLog();
    expect((await adopting({ poolerEnabled: true }).preview()).changes).toMatchObject({ create: 1 });
    expect(changesCalled(bench)).toEqual([]);
    const up = await adopting({ poolerEnabled: true }).up();
    expect(said(up, "main")).toContain(`takes over endpoint ${projectId}/${endpointId}; on destroy it is released`);
    expect(changesCalled(bench)).toEqual(["PATCH endpoints.update"]);
    expect(admin.endpoint(endpointId)).toMatchObject({
      pooler_enabled: true,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: 900,
    });
    expect(stored(program.project, host, "main").id).toBe(`${projectId}/${endpointId}`);
    expect((await adopting({ poolerEnabled: true }).up()).changes).toMatchObject({ same: 1 });

    // It stays one that was taken over through updates and refreshes, and when the program stops asking for that.
    const plain = program.is({ main: { args: { projectId, branchId, sizeCu: 2 } } });
    expect(opsOf(await plain.up(), "main")).toEqual(["update"]);
    expect(admin.endpoint(endpointId)).toMatchObject({ pooler_enabled: false, autoscaling_limit_min_cu: 2 });
    await plain.refresh();
    expect((await plain.up()).changes).toMatchObject({ same: 1 });
    admin.clearLog();
    const destroyed = await plain.destroy();
    expect(said(destroyed, "main")).toContain(`releases endpoint ${projectId}/${endpointId}`);
    expect(changesCalled(bench)).toEqual([]);
    expect(admin.endpoint(endpointId)).toMatchObject({ id: endpointId });
  });

  it("changes nothing where the program says nothing else, and creates where there is none", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const [seeded, empty] = [bench.branch(), bench.branch()];
    const { id } = admin.seedEndpoint(projectId, { branch_id: seeded, suspend_timeout_seconds: 60 });
    const program = await bench.program(host);
    const stack = program.is({
      seeded: { args: { projectId, branchId: seeded, adoptExisting: true, restartTrigger: "1" } },
      empty: { args: { projectId, branchId: empty, adoptExisting: true, sizeCu: 1 } },
    });
    await stack.up();
    expect(endpointIdOf(stored(program.project, host, "seeded"))).toBe(id);
    expect(actionsFor(bench, id)).toEqual([]);
    expect(endpointsOn(bench, empty)).toMatchObject([{ autoscaling_limit_min_cu: 1, current_state: "active" }]);
    expect((await stack.up()).changes).toMatchObject({ same: 2 });
    await stack.destroy();
    expect(endpointsOn(bench, seeded)).toMatchObject([{ id, suspend_timeout_seconds: 60 }]);
    expect(endpointsOn(bench, empty)).toEqual([]);
  });

  it("takes up what an interrupted run created, when told to, and owns it", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const urn = urnOf(program.project, host, "main");
    const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, name: newOwnershipName(ownerOf(urn)) });
    const stack = program.is({
      main: { args: { projectId, branchId, sizeCu: 2 } },
      // A run ends at the first that is refused.
      replica: { args: { projectId, branchId, type: "read_only" }, options: { dependsOn: ["main"] } },
    });
    const replica = admin.seedEndpoint(projectId, {
      branch_id: branchId,
      type: "read_only",
      name: newOwnershipName(ownerOf(urnOf(program.project, host, "replica"))),
    });

    const refused = await stack.preview({ expectFailure: true });
    expect(failuresOf(refused, "main")).toHaveLength(1);
    expect(refused.failure).toContain(`${id} (0.25 CU, idle)`);
    expect(refused.failure).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");

    const env = { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
    const up = await stack.up({ env });
    expect(said(up, "main")).toContain("which an interrupted run created for this resource");
    expect(endpointsOn(bench, branchId).map((one) => one.id)).toEqual([id, replica.id]);
    expect(endpointIdOf(stored(program.project, host, "replica"))).toBe(replica.id);
    expect(admin.endpoint(id)).toMatchObject({ autoscaling_limit_min_cu: 2 });
    expect((await stack.up()).changes).toMatchObject({ same: 2 });
    await stack.destroy();
    expect(endpointsOn(bench, branchId)).toEqual([]);
  });
});
