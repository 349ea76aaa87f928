import { describe, expect, it } from "vitest";
import { pluginHost as host } from "../support/hosts";
import { endpointIdOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

describe("a replacement without a comparison", () => {
  it("says what it does and which option it takes, and loses nothing without that", async () => {
    const { projectId } = bench;
    const [branchId, replicaId] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const triggered = (replacementTrigger: string, options = {}) =>
      program.is({
        main: { args: { projectId, branchId }, options: { replacementTrigger, ...options } },
        replica: { args: { projectId, branchId: replicaId, type: "read_only" }, options: { replacementTrigger } },
      });
    await triggered("one").up();
    const ids = ["main", "replica"].map((name) => endpointIdOf(stored(program.project, host, name)));

    const preview = await triggered("two").preview();
    expect(preview.changes).toMatchObject({ replace: 2 });
    expect(said(preview, "main")).toMatch(/host name changes\. .* takes the option `deleteBeforeReplace: true`/);
    expect(said(preview, "replica")).toMatch(/replaced: .*replacementTrigger.*host name changes$/m);
    const failed = await triggered("two").up({ expectFailure: true });
    expect(said(failed, "main")).toContain("Set `deleteBeforeReplace: true` in the options of the resource");
    expect(endpointsOn(bench, branchId)).toMatchObject([{ id: ids[0] }]);

    const up = await triggered("two", { deleteBeforeReplace: true }).up();
    expect(opsOf(up, "main")).toEqual(["delete-replaced", "replace", "create-replacement"]);
    for (const [at, on] of [branchId, replicaId].entries()) {
      expect(endpointsOn(bench, on)).toHaveLength(1);
      expect(endpointsOn(bench, on)).not.toMatchObject([{ id: ids[at] }]);
    }
    expect((await triggered("two").up()).changes).toMatchObject({ same: 2 });
  });
});
