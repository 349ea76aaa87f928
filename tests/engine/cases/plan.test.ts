import { describe, expect, it } from "vitest";
import { pluginHost as host, hosts, urnOf } from "../support/hosts";
import { endpointIdOf, failuresOf, opsOf, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 1.

const bench = useBench();

describe("several endpoints of one program", () => {
  it("gives a branch to another endpoint once the first has left it, where dependsOn says so", async () => {
    const { projectId } = bench;
    const [home, away] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    await program.is({ first: { args: { projectId, branchId: home } } }).up();
    const first = endpointIdOf(stored(program.project, host, "first"));

    const swapped = program.is({
      first: { args: { projectId, branchId: away } },
      second: { args: { projectId, branchId: home, sizeCu: 2 }, options: { dependsOn: ["first"] } },
    });
    expect((await swapped.preview()).changes).toMatchObject({ update: 1, create: 1 });
    const up = await swapped.up();
    expect(opsOf(up, "first")).toEqual(["update"]);
    expect(opsOf(up, "second")).toEqual(["create"]);
    expect(endpointsOn(bench, away)).toMatchObject([{ id: first }]);
    expect(endpointsOn(bench, home)).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    expect((await swapped.up()).changes).toMatchObject({ same: 2 });

    // A change of type makes room, too: the old endpoint is deleted before what depends on it is created.
    const typed = program.is({
      first: { args: { projectId, branchId: away, type: "read_only" } },
      second: { args: { projectId, branchId: home, sizeCu: 2 }, options: { dependsOn: ["first"] } },
      third: { args: { projectId, branchId: away }, options: { dependsOn: ["first"] } },
    });
    await typed.up();
    expect(
      endpointsOn(bench, away)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(["read_only", "read_write"]);
    expect((await typed.up()).changes).toMatchObject({ same: 3 });
  });
});

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
    expect((await stack.up()).changes).toMatchObject({ same: 2 });

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
