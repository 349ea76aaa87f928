import { expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { followOn } from "../support/follow";
import { pluginHost as host, urnOf } from "../support/hosts";
import { endpointIdOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, sections 1, 2.4 and 8.

const bench = useBench();

it("an endpoint that is imported is taken with a warning where it bears another resource's name, and refused while both have it", async () => {
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

const ignoring = useBench({ ignoredFields: ["branch_id"] });

it("a platform that takes a change and does nothing fails a move with what was sent and shown, keeps the endpoint, and the way on works", async () => {
  const { projectId } = ignoring;
  const [first, second] = [ignoring.branch(), ignoring.branch()];
  const program = await ignoring.program(host);
  const main = (branchId: string) => program.is({ main: { args: { projectId, branchId } } });
  await main(first).up();
  const id = endpointIdOf(stored(program.project, host, "main"));

  const moved = await main(second).up({ expectFailure: true });
  expect(moved.failure).toContain(`branchId was sent as "${second}" and is shown as "${first}"`);
  expect(moved.failure).toContain("pulumi config set pgcompute:moves replace");
  expect(endpointIdOf(stored(program.project, host, "main"))).toBe(id);
  expect(endpointsOn(ignoring, first)).toMatchObject([{ id }]);
  await followOn(ignoring)(program.project, commandIn(moved.failure, "pgcompute:moves"));
  expect((await main(second).up()).changes).toMatchObject({ replace: 1 });
  expect([first, second].map((one) => endpointsOn(ignoring, one).length)).toEqual([0, 1]);
});
