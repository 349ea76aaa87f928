import { describe, expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { opsOf, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

// The dynamic host has the URN in an input.
describe.each(hosts)("a renamed resource by the $name host", (host) => {
  it("gives up its endpoint when it is replaced, which the engine asks for under its old name", async () => {
    const { projectId } = bench;
    const [typed, forced] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const sized = (sizeCu: number) => ({ projectId, branchId: forced, sizeCu });
    await program.is({ typed: { args: { projectId, branchId: typed } }, forced: { args: sized(1) } }).up();

    // One is replaced as it is renamed; the other later, when nothing has been written to it under its new name.
    const options = { aliases: ["forced"], replaceOnChanges: ["sizeCu"] };
    const renamed = (sizeCu: number) =>
      program.is({
        typed2: { args: { projectId, branchId: typed, type: "read_only" }, options: { aliases: ["typed"] } },
        forced2: { args: sized(sizeCu), options },
      });
    const first = await renamed(1).up();
    expect(opsOf(first, "typed")).toEqual(["delete-replaced"]);
    expect(opsOf(first, "typed2")).toEqual(["replace", "create-replacement"]);
    expect(opsOf(first, "forced2")).toEqual(["same"]);
    const second = await renamed(2).up();
    expect(opsOf(second, "forced2")).toEqual(["delete-replaced", "replace", "create-replacement"]);

    expect(endpointsOn(bench, typed)).toMatchObject([{ type: "read_only" }]);
    expect(endpointsOn(bench, forced)).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    expect(storedNames(program.project, host).sort()).toEqual(["forced2", "typed2"]);
    expect((await renamed(2).up()).changes).toMatchObject({ same: 2 });
  });
});
