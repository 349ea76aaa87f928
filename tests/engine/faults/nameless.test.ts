import { describe, expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { follow } from "../support/follow";
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
      await follow(project, commandIn(message, "pulumi import"));
      await stack.up();
      expect(bench.on(branchId).map(({ id }) => id)).toEqual([idOf("main")]);
      expect(bench.on(branchId)[0]?.id).toBe(left?.id);
    } finally {
      admin.configure({ dateHeader: true });
    }
  });
});
