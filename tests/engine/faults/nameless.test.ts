import { describe, expect, it } from "vitest";
import { commandsIn } from "../../support/commands";
import { hosts, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench({ endpointNames: false });

describe.each(hosts)("lost creates where no names are kept, by the $name host", (host) => {
  it("are made once, and are their resources' own", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branchId = bench.branch();
    const replica = { args: { projectId, branchId, type: "read_only" } };
    const program = await bench.program(host);
    const all = program.is({ main: { args: { projectId, branchId } }, one: replica, two: replica });
    admin.addFault({ route: "endpoints.create", effect: { kind: "reset", when: "after" } });
    const up = await all.up();
    admin.clearFaults();
    const ids = endpointsOn(bench, branchId).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    const names = ["main", "one", "two"];
    expect(names.map((name) => endpointIdOf(stored(program.project, host, name))).sort()).toEqual([...ids].sort());
    for (const name of names) expect(said(up, name)).toContain("is taken to be what was created");
    const again = await all.preview();
    expect(again.changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same: 3 });
    await all.destroy();
    expect(endpointsOn(bench, branchId)).toEqual([]);
  });

  it("are named with the commands where nobody can tell, and the command of the message leads on", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const stack = program.is({ main: { args: { projectId, branchId } } });
    admin.configure({ dateHeader: false });
    try {
      admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
      admin.clearLog();
      const failed = await stack.up({ expectFailure: true });
      const [left] = endpointsOn(bench, branchId);
      expect(changesCalled(bench)).toHaveLength(1);
      expect(said(failed, "main")).toMatch(
        new RegExp(`run: .*pgcompute(?:.cjs)? endpoints delete ${projectId}/${left?.id}`),
      );
      admin.dropEndpoint(left?.id ?? "");
      await stack.up();
      expect(endpointsOn(bench, branchId).map(({ id }) => id)).toEqual([
        endpointIdOf(stored(program.project, host, "main")),
      ]);
    } finally {
      admin.configure({ dateHeader: true });
    }
  });

  it("are not left running after a forced replacement that adopts what its resource has created itself", async () => {
    const { projectId } = bench;
    const branchId = bench.branch();
    const { project, is } = await bench.program(host);
    const stack = is({ main: { args: { projectId, branchId, adoptExisting: true } } });
    await stack.up();
    const [created] = endpointsOn(bench, branchId);
    const urn = urnOf(project, host, "main");
    const stopped = await stack.up({ args: ["--target-replace", urn], expectFailure: true });
    expect(endpointsOn(bench, branchId).map(({ id }) => id)).toEqual([created?.id]);

    const [first = "", then] = commandsIn(said(stopped, "main"));
    expect([first, then]).toEqual([`pulumi destroy --target '${urn}'`, "pulumi up"]);
    await stack.destroy({ args: first.replaceAll("'", "").split(" ").slice(2) });
    expect(endpointsOn(bench, branchId)).toEqual([]);
    await stack.up();
    expect(endpointsOn(bench, branchId).map(({ id }) => id)).toEqual([endpointIdOf(stored(project, host, "main"))]);

    await stack.up({ args: ["--target-replace", urn], expectFailure: true });
    await stack.destroy();
    expect(endpointsOn(bench, branchId)).toEqual([]);
  });
});
