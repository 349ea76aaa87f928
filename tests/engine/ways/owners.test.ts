/** Two that have one endpoint: refused, with the commands that take it from one of them. */
import { expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { type Declarations, pluginHost as host } from "../support/hosts";
import { useBench } from "../support/platform";
import { waysOn } from "./ways";

const bench = useBench();
const { fleet, follow, idsOn, open, single } = waysOn(bench);

it("what is imported is taken out of the state that has it", async () => {
  const [copies, owners] = [open(), open()];
  const x = { branchId: bench.branch() };
  await owners.is({ ...single(owners.branchId), ...fleet({ x }) }).up();
  copies.is({});
  const imports = (branchId: string, env = {}) => {
    const args = [host.type, branchId, `${bench.projectId}/${idsOn(branchId)[0]}`, "--generate-code=false"];
    return copies.project.cli(["import", ...args, "--protect=false", "--yes", "--stack", "dev"], { env });
  };
  const branches = [owners.branchId, x.branchId];
  let message = "";
  for (const branchId of branches) {
    const { code, text } = await imports(branchId);
    expect(code).not.toBe(0);
    message += text;
  }
  expect(copies.names()).toEqual([]);
  // One run lets go of both.
  owners.is({});
  const ids = branches.map((one) => `${bench.projectId}/${idsOn(one)[0]}`);
  expect(ids.map((id) => commandIn(message, `PGCOMPUTE_FORGET=${id}`))).toHaveLength(2);
  await follow(owners.project, commandIn(message, "PGCOMPUTE_FORGET").replace(ids[0] ?? "", ids.join()));
  expect(branches.map((one) => idsOn(one).length)).toEqual([1, 1]);
  expect(owners.project.exportState().resources.filter(({ type }) => type.startsWith("pgcompute"))).toEqual([]);
  for (const branchId of branches) expect((await imports(branchId, { PGCOMPUTE_ADOPT_INTERRUPTED: "1" })).code).toBe(0);
  expect(copies.names().sort()).toEqual([...branches].sort());
});

it("one of two resources that have an endpoint is taken out of their state", async () => {
  const { project, is, branchId, does, refused, expectSame, stored } = open();
  const owner = { args: { projectId: bench.projectId, branchId } };
  await is({ owner }).up();
  const { id = "" } = stored("owner");
  const args = ["import", host.type, "copy", id, "--generate-code=false", "--protect=false"];
  const env = { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
  const { text } = await project.cli([...args, "--yes", "--stack", "dev", "--non-interactive"], { env });
  const message = await refused({ owner, copy: owner });
  expect(message).not.toContain("pulumi import");
  expect(text).toContain("PGCOMPUTE_FORGET");
  is({ copy: owner });
  await does(message, "PGCOMPUTE_FORGET");
  await expectSame({ copy: owner });
  expect(idsOn(branchId).map((one) => `${bench.projectId}/${one}`)).toEqual([id]);
});

it("a member that two fleets have is taken out of one of them", async () => {
  const { is, branchId, does, refused, expectSame, urn } = open();
  const stays = { branchId: bench.branch() };
  await is(fleet({ stays, x: { branchId } })).up();
  const [id = ""] = idsOn(branchId);
  const endpoints = { x: { branchId, importId: `${bench.projectId}/${id}` } };
  const declared: Declarations = {
    ...fleet({ stays }),
    g: { args: { projectId: bench.projectId, endpoints }, isFleet: true },
  };
  const target = urn("g", host.fleetType);
  await is(declared).up({ args: ["--target", target] });
  await does(await refused(declared), "PGCOMPUTE_FORGET");
  expect(idsOn(branchId)).toEqual([id]);
  await expectSame(declared, 2);
});
