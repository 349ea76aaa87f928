import { describe, expect, it } from "vitest";
import { pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, said, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

describe("a replacement by force that takes its endpoint up", () => {
  it("leaves no delete behind that a later run carries out, though the run fails before it", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const [branchId, otherId] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const main = { args: { projectId, branchId } };
    await program.is({ main }).up();
    const endpointId = endpointIdOf(stored(program.project, host, "main"));
    const stack = program.is({
      main,
      other: { args: { projectId, branchId: otherId }, options: { dependsOn: ["main"] } },
    });
    admin.addFault({ on: "operation", branchId: otherId, action: "start_compute", count: 1, effect: { kind: "fail" } });
    const args = ["--replace", urnOf(program.project, host, "main")];
    await stack.up({ args, env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" }, expectFailure: true });
    // The new one, and the old one that is still to be deleted.
    expect(storedNames(program.project, host).sort()).toEqual(["main", "main", "other"]);

    admin.clearLog();
    const up = await stack.up();
    expect(said(up, "main")).toContain("was taken over by the resource that replaces this one, so it is not deleted");
    expect(changesCalled(bench).filter((call) => call.startsWith("DELETE"))).toEqual([]);
    expect(endpointsOn(bench, branchId)).toMatchObject([{ id: endpointId }]);
    expect(storedNames(program.project, host).sort()).toEqual(["main", "other"]);
    expect((await stack.up()).changes).toMatchObject({ same: 2 });
    await stack.destroy();
    for (const one of [branchId, otherId]) expect(endpointsOn(bench, one)).toEqual([]);
  });
});
