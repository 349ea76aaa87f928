/** An endpoint that no state has: refused, with the command that takes it up. */
import { expect, it } from "vitest";
import { useBench } from "../support/platform";
import { waysOn } from "./ways";

const bench = useBench();
const { open, single } = waysOn(bench);

it("what no state has is taken up", async () => {
  const { is, branchId, does, refused, onlyId, expectSame, abandon } = open();
  await is(single(branchId)).up();
  const id = onlyId();
  await abandon("main");
  await does(await refused(single(branchId)), "pulumi up");
  expect(onlyId()).toBe(id);
  await expectSame(single(branchId));
});
