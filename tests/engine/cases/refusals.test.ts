import { expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { followOn } from "../support/follow";
import { pluginHost as host } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";

// Specification, sections 1, 2.4 and 8.

const bench = useBench();

it("an endpoint that is imported is taken with a warning where it bears another resource's name, and refused while both have it", async () => {
  const { projectId } = bench;
  const branchId = bench.branch();
  const { project, is, stored, urn } = bench.program(host);
  const owner = { args: { projectId, branchId } };
  await is({ owner }).up();
  const { id = "" } = stored("owner");
  const { text } = await project.pulumi("import", host.type, "copy", id, "--generate-code=false", "--protect=false");
  expect(text).toContain(`pulumi state delete '${urn("owner")}'`);

  const refused = await is({ owner, copy: owner }).preview({ expectFailure: true });
  for (const name of ["owner", "copy"]) expect(refused.failure).toContain(`pulumi state delete '${urn(name)}'`);
  expect(said(refused)).not.toContain("pulumi import");

  await followOn(bench)(project, commandIn(text, "pulumi state delete"));
  expect((await is({ copy: owner }).up()).changes).toMatchObject({ same: 1, delete: 0 });
  expect(bench.on(branchId).map((one) => `${projectId}/${one.id}`)).toEqual([id]);
});
