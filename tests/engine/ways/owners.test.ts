/** Two that have one endpoint: refused, with the commands that take it from one of them. */
import { expect, it } from "vitest";
import { commandIn } from "../../support/commands";
import { type Declarations, pluginHost as host, hosts } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { failed, waysOn } from "./ways";

const bench = useBench();
const { byVariable, fleet, follow, idsOn, open, single } = waysOn(bench);

type Members = Partial<Record<"made" | "rest" | "taken" | "other", object>>;

function fleetOf(name: string, endpoints: object): Declarations {
  return { [name]: { args: { projectId: bench.projectId, endpoints }, isFleet: true } };
}

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

/** Two that have an endpoint, of which the first made it and the second took it by `importId`; and what stays of them. */
const twice: Record<string, { first: (all: Members) => Declarations; stays: (all: Members) => Declarations }> = {
  "a single resource leaves it to a member": {
    first: ({ made }) => ({ main: { args: { ...made, projectId: bench.projectId } } }),
    stays: ({ taken, other }) => fleetOf("g", { taken, other }),
  },
  "a fleet that goes as a whole leaves it to a single resource": {
    first: ({ made }) => ({ main: { args: { ...made, projectId: bench.projectId } } }),
    stays: ({ made }) => ({ main: { args: { ...made, projectId: bench.projectId } } }),
  },
  "a member leaves it to one of another fleet": {
    first: ({ made, rest }) => fleetOf("f", { made, rest }),
    stays: ({ taken, other, rest }) => ({ ...fleetOf("f", { rest }), ...fleetOf("g", { taken, other }) }),
  },
};
const cases = hosts.flatMap((driver) => Object.entries(twice).map(([what, how]) => ({ ...how, what, driver })));

it.each(cases)("of two that have an endpoint: $what, by the $driver.name host", async ({ first, stays, driver }) => {
  const program = bench.program(driver);
  const [branchId = "", ...others] = bench.branches(3);
  const [rest, other] = others.map((one) => ({ branchId: one }));
  const made = { branchId };
  await program.is(first({ made, rest })).up();
  const id = `${bench.projectId}/${idsOn(branchId)[0]}`;
  const taken = { branchId, importId: id };
  const both = { ...first({ made, rest }), ...fleetOf("g", { taken, other }) };
  await program.is(both).up({ args: ["--target", program.urn("g", driver.fleetType)] });
  const message = said(await program.is(both).preview(failed));

  const declared = stays({ made, rest, taken, other });
  await byVariable(program, declared, message);
  const { changes } = await program.is(declared).preview();
  expect(changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same: Object.keys(declared).length });
  expect(idsOn(branchId).map((one) => `${bench.projectId}/${one}`)).toEqual([id]);
  const { resources } = program.project.exportState();
  const owners = resources.filter(
    (one) => /pgcompute/.test(one.type) && JSON.stringify(one.outputs).includes(`"${id.split("/")[1]}"`),
  );
  expect(owners).toHaveLength(1);
});
