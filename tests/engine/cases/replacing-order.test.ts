import { describe, expect, it } from "vitest";
import { pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, failuresOf, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

describe("a read-write endpoint that would be created before it is deleted", () => {
  it("is refused in the preview of a forced replacement, also where a refresh comes first", async () => {
    const branchId = bench.branch();
    const program = await bench.program(host);
    const stack = program.is({ main: { args: { projectId: bench.projectId, branchId } } });
    await stack.up();
    const urn = urnOf(program.project, host, "main");
    const refused = await stack.preview({ args: ["--refresh", "--replace", urn], expectFailure: true });
    expect(failuresOf(refused, "main")).toMatchObject([{ property: "branchId" }]);
    expect(refused.failure).toContain(`pulumi destroy --target '${urn}', then: pulumi up`);
  });

  it("says that an option is in the way, which no preview is told of, and goes on without it", async () => {
    const branchId = bench.branch();
    const program = await bench.program(host);
    const sized = (sizeCu: number, options: { deleteBeforeReplace?: boolean }) =>
      program.is({
        main: {
          args: { projectId: bench.projectId, branchId, sizeCu },
          options: { replaceOnChanges: ["sizeCu"], ...options },
        },
      });
    await sized(1, {}).up();
    const { id } = stored(program.project, host, "main");
    const failed = await sized(2, { deleteBeforeReplace: false }).up({ expectFailure: true });
    expect(failed.failure).toContain(`while the one that it replaces, ${id?.split("/")[1]}, is on branch ${branchId}`);
    expect(failed.failure).toContain("Take `deleteBeforeReplace: false` out of the options of the resource");
    // Nothing is lost by the failure.
    expect(stored(program.project, host, "main").id).toBe(id);
    expect(endpointsOn(bench, branchId).map((one) => `${bench.projectId}/${one.id}`)).toEqual([id]);

    bench.emulator.admin.clearLog();
    expect((await sized(2, {}).up()).changes).toMatchObject({ replace: 1 });
    expect(changesCalled(bench)).toEqual(["DELETE endpoints.delete", "POST endpoints.create"]);
    const present = endpointsOn(bench, branchId).map((one) => one.id);
    expect(present).toEqual([endpointIdOf(stored(program.project, host, "main"))]);
  });
});
