import { describe, expect, it } from "vitest";
import { commandIn, commandsIn } from "../../support/commands";
import { followOn } from "../support/follow";
import { pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench({ endpointNames: false });

describe("lost creates where no names are kept", () => {
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
      const message = said(failed, "main");
      expect(message).toContain("What you can do before you run `pulumi up` again");
      expect(message).toContain(`endpoints delete ${projectId}/${left?.id}`);
      await followOn(bench)(program.project, commandIn(message, "pulumi import"));
      await stack.up();
      expect(endpointsOn(bench, branchId).map(({ id }) => id)).toEqual([
        endpointIdOf(stored(program.project, host, "main")),
      ]);
      expect(endpointsOn(bench, branchId)[0]?.id).toBe(left?.id);
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
