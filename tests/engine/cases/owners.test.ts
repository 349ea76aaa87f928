import { describe, expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { followOn } from "../support/follow";
import { pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, failuresOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

const idsOn = (branchId: string) => endpointsOn(bench, branchId).map(({ id }) => id);

describe("an endpoint has one owner", () => {
  it("is not adopted from a resource that stays; where no name tells, both are named until one is let go", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const legacy = { args: { projectId, branchId } };
    await program.is({ legacy }).up();
    const id = endpointIdOf(stored(program.project, host, "legacy"));
    const both = program.is({
      main: { args: { projectId, branchId, adoptExisting: true } },
      legacy: { ...legacy, options: { dependsOn: ["main"] } },
    });
    admin.clearLog();
    await both.up({ expectFailure: true });
    expect(() => stored(program.project, host, "main")).toThrow("the state has no main");
    expect(changesCalled(bench)).toEqual([]);

    admin.configure({ endpointNames: false });
    try {
      const deletes = ["main", "legacy"].map((name) => `pulumi state delete '${urnOf(program.project, host, name)}'`);
      for (const verb of ["up", "preview"] as const) {
        const failed = await both[verb]({ expectFailure: true });
        const [{ reason } = { reason: "" }] = failuresOf(failed, "legacy");
        for (const one of deletes) expect(reason, verb).toContain(one);
      }
      const urn = urnOf(program.project, host, "main");
      const ended = await program.project.cli(["state", "delete", urn, "--yes", "--force", "--stack", "dev"]);
      expect(ended.text).toContain("deleted");
      expect((await program.is({ legacy }).up()).changes).toMatchObject({ same: 1, delete: 0 });
      expect(idsOn(branchId)).toEqual([id]);
    } finally {
      admin.configure({ endpointNames: true });
    }
  });
});

describe("an endpoint that is imported", () => {
  it("is taken with a warning where it bears another resource's name, and refused while both have it", async () => {
    const { projectId } = bench;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const owner = { args: { projectId, branchId } };
    await program.is({ owner }).up();
    const { id = "", urn } = stored(program.project, host, "owner");
    const where = ["--yes", "--stack", "dev", "--generate-code=false", "--protect=false"];
    const ended = await program.project.cli(["import", "pgcompute:index:Endpoint", "copy", id, ...where]);
    expect(ended.text).toContain(urn);
    expect(ended.text).toContain(`pulumi state delete '${urn}'`);

    const refused = await program.is({ owner, copy: owner }).preview({ expectFailure: true });
    for (const name of ["owner", "copy"]) {
      expect(refused.failure).toContain(`pulumi state delete '${urnOf(program.project, host, name)}'`);
    }
    expect(said(refused)).not.toContain("pulumi import");

    await followOn(bench)(program.project, commandIn(ended.text, "pulumi state delete"));
    expect((await program.is({ copy: owner }).up()).changes).toMatchObject({ same: 1, delete: 0 });
    expect(endpointsOn(bench, branchId).map((one) => `${projectId}/${one.id}`)).toEqual([id]);
  });
});
