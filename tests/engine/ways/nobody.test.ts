/** Endpoints that no state has: refused, with the commands that take them up, delete or import them. */
import { expect, it } from "vitest";
import { optionIn } from "../../support/commands";
import { useBench } from "../support/platform";
import { waysOn } from "./ways";

const bench = useBench();
const { idsOn, open, single } = waysOn(bench);

it("what no state has is taken up", async () => {
  const { is, branchId, does, refused, onlyId, expectSame, abandon } = open();
  await is(single(branchId)).up();
  const id = onlyId();
  await abandon("main");
  await does(await refused(single(branchId)), "pulumi up");
  expect(onlyId()).toBe(id);
  await expectSame(single(branchId));
});

it("what only a name tells of is deleted", async () => {
  const { is, branchId, does, refused, onlyId, abandon } = open();
  await is({ old: { args: { projectId: bench.projectId, branchId } } }).up();
  await abandon("old");
  await does(await refused(single(branchId)), "endpoints delete", " --yes");
  expect(idsOn(branchId)).toEqual([]);
  await is(single(branchId)).up();
  onlyId();
});

it("the endpoint of what was renamed twice is kept by an alias", async () => {
  const { is, branchId, does, refused, expectSame, urn } = open();
  const args = { projectId: bench.projectId, branchId };
  await is({ one: { args } }).up();
  const ids = idsOn(branchId);
  await is({ two: { args, options: { aliases: ["one"] } } }).up();
  const message = await refused({ three: { args } });
  expect(optionIn(message, "aliases")).toBe('[{ name: "one" }]');
  const shown = await does(message, "pulumi stack --show-urns");
  const name = shown.includes(urn("two")) ? "two" : "";
  const declared = { three: { args, options: { aliases: [name] } } };
  await is(declared).up();
  expect(idsOn(branchId)).toEqual(ids);
  await expectSame(declared);
});

it("what is there is imported", async () => {
  const { branchId, does, refused, onlyId } = open();
  const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
  await does(await refused(single(branchId)), "pulumi import");
  expect(onlyId()).toBe(id);
});
