import { describe, expect, it } from "vitest";
import { commandIn, commandsIn } from "../../support/commands";
import { followOn } from "../support/follow";
import { pluginHost as host } from "../support/hosts";
import { changesCalled, said } from "../support/look";
import { useBench } from "../support/platform";

const bench = useBench({ endpointNames: false });

describe("lost creates where no names are kept", () => {
  it("are named with the commands where nobody can tell, and the command of the message leads on", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branchId = bench.branch();
    const { project, is, idOf } = bench.program(host);
    const stack = is({ main: { args: { projectId, branchId } } });
    admin.configure({ dateHeader: false });
    try {
      admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
      admin.clearLog();
      const failed = await stack.up({ expectFailure: true });
      const [left] = bench.on(branchId);
      expect(changesCalled(bench)).toHaveLength(1);
      const message = said(failed, "main");
      expect(message).toContain("What you can do before you run `pulumi up` again");
      expect(message).toContain(`endpoints delete ${projectId}/${left?.id}`);
      await followOn(bench)(project, commandIn(message, "pulumi import"));
      await stack.up();
      expect(bench.on(branchId).map(({ id }) => id)).toEqual([idOf("main")]);
      expect(bench.on(branchId)[0]?.id).toBe(left?.id);
    } finally {
      admin.configure({ dateHeader: true });
    }
  });

  it("are not left running after a forced replacement that adopts what its resource has created itself", async () => {
    const { projectId } = bench;
    const branchId = bench.branch();
    const { is, idOf, urn: urnOf } = bench.program(host);
    const stack = is({ main: { args: { projectId, branchId, adoptExisting: true } } });
    await stack.up();
    const [created] = bench.on(branchId);
    const urn = urnOf("main");
    const stopped = await stack.up({ args: ["--target-replace", urn], expectFailure: true });
    expect(bench.on(branchId).map(({ id }) => id)).toEqual([created?.id]);

    const [first = "", then] = commandsIn(said(stopped, "main"));
    expect([first, then]).toEqual([`pulumi destroy --target '${urn}'`, "pulumi up"]);
    await stack.destroy({ args: first.replaceAll("'", "").split(" ").slice(2) });
    expect(bench.on(branchId)).toEqual([]);
    await stack.up();
    expect(bench.on(branchId).map(({ id }) => id)).toEqual([idOf("main")]);

    await stack.up({ args: ["--target-replace", urn], expectFailure: true });
    await stack.destroy();
    expect(bench.on(branchId)).toEqual([]);
  });
});
