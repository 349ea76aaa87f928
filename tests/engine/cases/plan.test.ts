import { describe, expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { endpointIdOf, failuresOf, opsOf, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

describe.each(hosts)("several endpoints of one program by the $name host", (host) => {
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
    await typed.destroy();
  });

  it("names the occupant where the order is not certain, and where a removed resource still stands", async () => {
    const { projectId } = bench;
    const [home, away] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    await program.is({ first: { args: { projectId, branchId: home } } }).up();
    const first = endpointIdOf(stored(program.project, host, "first"));

    // The one that comes is checked before the one that leaves.
    const wrongWay = program.is({
      second: { args: { projectId, branchId: home } },
      first: { args: { projectId, branchId: away }, options: { dependsOn: ["second"] } },
    });
    const refused = await wrongWay.preview({ expectFailure: true });
    expect(failuresOf(refused, "second")).toHaveLength(1);
    expect(refused.failure).toContain(first);

    const removed = await program
      .is({ other: { args: { projectId, branchId: home } } })
      .preview({ expectFailure: true });
    expect(failuresOf(removed, "other")).toHaveLength(1);
    expect(removed.failure).toContain(first);
    expect(endpointsOn(bench, home)).toMatchObject([{ id: first }]);
  });

  it("does not refuse a branch that is not known yet, and refuses it once it is", async () => {
    const { projectId } = bench;
    const [free, taken] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const fresh = program.is({
      replica: { args: { projectId, branchId: free, type: "read_only" } },
      // The host name exists only after the replica; the branch of the replica comes with it.
      main: { args: { projectId, branchId: "${replica.branchId}", pgSettings: { "app.host": "${replica.host}" } } },
    });
    expect((await fresh.preview()).changes).toMatchObject({ create: 2 });
    await fresh.up();
    const endpoints = endpointsOn(bench, free);
    const replica = endpoints.find(({ type }) => type === "read_only");
    expect(endpoints.find(({ type }) => type === "read_write")).toMatchObject({
      settings: { pg_settings: { "app.host": replica?.host } },
    });
    expect((await fresh.up()).changes).toMatchObject({ same: 2 });

    const { id } = bench.emulator.admin.seedEndpoint(projectId, { branch_id: taken });
    const late = program.is({
      replica: { args: { projectId, branchId: taken, type: "read_only" } },
      main: { args: { projectId, branchId: free } },
      second: { args: { projectId, branchId: "${replica.endpointId}" } },
    });
    expect((await late.preview()).changes).toMatchObject({ replace: 1, create: 1 });
    const failed = await late.up({ expectFailure: true });
    expect(failuresOf(failed, "second").join()).toContain("looks like the id of an endpoint");
    expect(bench.emulator.admin.endpoint(id)).toMatchObject({ branch_id: taken });
    await program.is({}).up();
    expect(endpointsOn(bench, free)).toEqual([]);
  });
});
