/** An endpoint that no state has: refused, with the commands that take it up. */
import { expect, it } from "vitest";
import { readCommand } from "../../support/printed";
import { pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";
import { refusalsOf } from "./follower";
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

it("what nobody made is imported by the printed command, and goes with the resource then", async () => {
  const branchId = bench.branch();
  bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
  const program = bench.program(pluginHost);
  const stack = program.is({ main: { args: { projectId: bench.projectId, branchId } } });
  const [refusal] = refusalsOf(await stack.preview({ expectFailure: true }));
  const [command = ""] = refusal?.ways[0]?.commands ?? [];
  await program.project.pulumi(...readCommand(command).words, "--generate-code=false");
  expect((await stack.up()).changes).toMatchObject({ create: 0, update: 0, replace: 0, same: 1 });
  await stack.destroy();
  expect(bench.on(branchId)).toEqual([]);
});
