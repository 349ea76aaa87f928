import { describe, expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { followOn } from "../support/follow";
import { pluginHost as host } from "../support/hosts";
import { endpointIdOf, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench({ ignoredFields: ["passwordless_access", "branch_id"] });

describe("a platform that takes a change and does nothing", () => {
  it("fails the change with what was sent and shown, keeps the endpoint, and the ways on work", async () => {
    const { projectId } = bench;
    const [first, second] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const main = (branchId: string, args = {}) => program.is({ main: { args: { projectId, branchId, ...args } } });

    const failed = await main(first, { passwordlessAccess: false }).up({ expectFailure: true });
    expect(failed.failure).toContain("passwordlessAccess was sent as false and is shown as true");
    expect(failed.failure).toContain("Take passwordlessAccess out of the program");
    const id = endpointIdOf(stored(program.project, host, "main"));
    expect(endpointsOn(bench, first)).toMatchObject([{ id }]);
    await main(first).up();
    expect((await main(first).preview()).changes).toMatchObject({ same: 1 });

    const moved = await main(second).up({ expectFailure: true });
    expect(moved.failure).toContain(`branchId was sent as "${second}" and is shown as "${first}"`);
    expect(moved.failure).toContain("pulumi config set pgcompute:moves replace");
    expect(endpointIdOf(stored(program.project, host, "main"))).toBe(id);
    await main(first).up();
    expect(endpointsOn(bench, first)).toMatchObject([{ id }]);
    await followOn(bench)(program.project, commandIn(moved.failure, "pgcompute:moves"));
    expect((await main(second).up()).changes).toMatchObject({ replace: 1 });
    await main(first).up();
    await main(first).destroy();
    expect(endpointsOn(bench, first)).toEqual([]);
  });
});
