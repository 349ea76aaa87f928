import { describe, expect, it } from "vitest";
import { pluginHost as host, hosts } from "../support/hosts";
import { changesCalled, endpointIdOf, opsOf, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, sections 4.3, 4.6 and 6.

const bench = useBench();

// Each host is told of a timeout in its own way.
describe.each(hosts)("what takes too long by the $name host", (host) => {
  it("is kept, and the next up waits on instead of creating again: a create, an update and a delete, each by its own bound", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const bounded = (sizeCu: number, timeouts: object) =>
      program.is({ main: { args: { projectId, branchId, sizeCu }, options: { customTimeouts: timeouts } } });
    const first = bounded(1, { create: "1s", update: "1s", delete: "20m" });
    admin.configure({ operationMsByAction: { start_compute: 3_600_000 } });
    admin.clearLog();
    const failed = await first.up({ expectFailure: true });
    admin.configure({ operationMsByAction: {} });
    const [endpoint] = endpointsOn(bench, branchId);
    const [operation] = admin.project(projectId).operations;
    expect(failed.failure).toContain(
      `endpoint ${projectId}/${endpoint?.id}: operation ${operation?.id} (start_compute) was still "scheduling" after 1 s`,
    );
    expect(stored(program.project, host, "main").id).toBe(`${projectId}/${endpoint?.id}`);

    // A refresh in between must not make the open operation forgotten.
    await first.refresh();
    const planned = await first.preview();
    expect(planned.changes).toMatchObject({ update: 1 });
    expect(planned.text).toContain(`operation ${operation?.id} (start_compute) was still`);
    admin.advance(3_600_000);
    expect((await first.up()).changes).toMatchObject({ update: 1, create: 0 });
    expect(endpointsOn(bench, branchId)).toMatchObject([{ id: endpoint?.id, current_state: "active" }]);
    expect(changesCalled(bench)).toEqual(["POST endpoints.create"]);

    const endpointId = endpoint?.id ?? "";
    const hang = { on: "operation", endpointId, effect: { kind: "slow", operationMs: 3_600_000 } } as const;
    admin.addFault({ ...hang, action: "apply_config", count: 1 });
    const sized = bounded(2, { update: "1s", delete: "20m" });
    expect((await sized.up({ expectFailure: true })).failure).toMatch(
      /\(apply_config\) was still "scheduling" after 1 s\. Run `pulumi up` again/,
    );
    admin.advance(3_600_000);
    admin.clearLog();
    expect(opsOf(await sized.up(), "main")).toEqual(["update"]);
    // A delete is bounded by the timeout that the program had last, though nothing else has changed.
    const last = bounded(2, { update: "1s", delete: "2s" });
    await last.up();
    expect(changesCalled(bench)).toEqual([]);
    expect(admin.endpoint(endpointId)).toMatchObject({ autoscaling_limit_min_cu: 2, current_state: "active" });
    expect((await last.preview()).changes).toMatchObject({ update: 0, same: 1 });

    admin.addFault({ ...hang, action: "suspend_compute", count: 1 });
    const kept = await last.destroy({ expectFailure: true });
    expect(kept.failure).toMatch(/\(suspend_compute\) was still "scheduling" after 2 s/);
    admin.advance(3_600_000);
    await last.destroy();
    expect(storedNames(program.project, host)).toEqual([]);
  });
});

describe("what goes wrong half-way", () => {
  it("says which operation failed and why, and the next up mends it without creating again", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branches = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const stack = program.is({
      bad: { args: { projectId, branchId: branches[0] } },
      good: { args: { projectId, branchId: branches[1] } },
    });
    const effect = { kind: "fail", error: "no room in this region", failures: 3 } as const;
    admin.addFault({ on: "operation", branchId: branches[0] ?? "", action: "start_compute", count: 1, effect });
    const failed = await stack.up({ expectFailure: true });
    const operation = admin
      .project(projectId)
      .operations.find(({ status, branch_id }) => status === "failed" && branch_id === branches[0]);
    expect(failed.failure).toContain(
      `operation ${operation?.id} (start_compute) ended as "failed" after 3 failures: no room in this region`,
    );
    expect(failed.text).not.toMatch(/^\s+at .*\.[cm]?[jt]s:\d+/m);
    const ids = branches.map((branchId) => endpointsOn(bench, branchId)[0]?.id);
    expect(endpointIdOf(stored(program.project, host, "bad"))).toBe(ids[0]);

    await stack.up();
    expect(branches.map((branchId) => endpointsOn(bench, branchId)[0]?.id)).toEqual(ids);
    expect(endpointsOn(bench, branches[0] ?? "")).toMatchObject([{ current_state: "active" }]);
    expect((await stack.up()).changes).toMatchObject({ same: 2 });
  });
});
