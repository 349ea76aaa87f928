import { describe, expect, it } from "vitest";
import { hosts, urnOf } from "../support/hosts";
import { failuresOf } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 1.

const bench = useBench();

// In the preview of a create the dynamic host knows no output.
describe.each(hosts)("a program of the $name host", (host) => {
  it("does not refuse a branch that is not known yet, and refuses it once it is", async () => {
    const { projectId } = bench;
    const free = bench.branch();
    // A branch whose id follows from an output that is known only after the replica was created.
    const region = "aws-eu-central-1";
    const late = bench.emulator.admin.seedBranch(projectId, { id: `br-${region}-${host.name}` }).id;
    const program = await bench.program(host);
    const replica = { args: { projectId, branchId: free, type: "read_only" } };
    const main = {
      args: {
        projectId,
        branchId: `br-\${replica.regionId}-${host.name}`,
        pgSettings: { "app.host": `\${replica.host}` },
      },
    };
    const stack = program.is({ replica, main });
    expect((await stack.preview()).changes).toMatchObject({ create: 2 });
    await stack.up();
    const [first] = endpointsOn(bench, free);
    expect(first).toMatchObject({ type: "read_only", region_id: region });
    expect(endpointsOn(bench, late)).toMatchObject([{ settings: { pg_settings: { "app.host": first?.host } } }]);

    // A replica that is replaced has outputs that are not known again; by then the branch has its endpoint.
    await program.is({ replica }).up();
    const occupant = bench.emulator.admin.seedEndpoint(projectId, { branch_id: late });
    const other = program.is({ replica: { args: { ...replica.args, branchId: bench.branch() } }, other: main });
    const failed = await other.up({
      expectFailure: true,
      args: ["--replace", urnOf(program.project, host, "replica")],
    });
    expect(failuresOf(failed, "other")).toMatchObject([
      { property: "branchId", reason: expect.stringContaining(occupant.id) },
    ]);
    expect(endpointsOn(bench, late)).toMatchObject([{ id: occupant.id }]);
  });
});
