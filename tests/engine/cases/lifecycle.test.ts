import { describe, expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { endpointsOn, useBench } from "../support/platform";

// Specification, sections 2.1, 2.3, 2.4, 3.2, 4.3, 4.6 and 6.

const bench = useBench();

describe.each(hosts)("the life of an endpoint by the $name host", (host) => {
  it("is previewed, created, unchanged, refreshed, changed and destroyed", async () => {
    const branchId = bench.branch();
    const program = await bench.program(host);
    const first = program.is({
      main: { args: { projectId: bench.projectId, branchId, autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2 } },
    });
    expect((await first.preview()).changes).toMatchObject({ create: 1 });
    expect(endpointsOn(bench, branchId)).toEqual([]);

    expect((await first.up()).changes).toMatchObject({ create: 1 });
    const [endpoint] = endpointsOn(bench, branchId);
    expect(endpoint).toMatchObject({ type: "read_write", current_state: "active", autoscaling_limit_max_cu: 2 });
    const [stored] = program.project.exportState().resources.filter(({ type }) => type === host.type);
    expect(stored).toMatchObject({
      id: `${bench.projectId}/${endpoint?.id}`,
      outputs: { host: endpoint?.host, maxConnections: 225, autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2 },
    });

    expect((await first.up()).changes).toMatchObject({ same: 1, update: 0 });
    expect((await first.refresh()).changes).toMatchObject({ same: 1, update: 0 });

    const second = program.is({
      main: { args: { projectId: bench.projectId, branchId, sizeCu: 4, suspendTimeoutSeconds: 600 } },
    });
    const preview = await second.preview();
    expect(preview.changes).toMatchObject({ update: 1 });
    expect(preview.diagnostics.map(({ message }) => message).join("\n")).toMatch(/max_connections 225 -> 1802/);
    expect((await second.up()).changes).toMatchObject({ update: 1 });
    expect(endpointsOn(bench, branchId)[0]).toMatchObject({
      id: endpoint?.id,
      autoscaling_limit_min_cu: 4,
      suspend_timeout_seconds: 600,
    });
    expect((await second.up()).changes).toMatchObject({ same: 1 });

    await second.destroy();
    expect(endpointsOn(bench, branchId)).toEqual([]);
  });
});
