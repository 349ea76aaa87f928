/** What people have reported of providers of this kind that takes the real engine; the others are in `tests/public`. */
import { expect, it } from "vitest";
import { dynamicHost, pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";
import type { StateResource } from "../support/project";
import { makeStack, writeConfig } from "../support/stack-files";

const bench = useBench();
const EMPTY = ["preview", "--expect-no-changes", "--non-interactive", "--stack"];

/** A stack with an endpoint by the plugin, and another stack of the project that is empty. */
async function twoStacks() {
  const program = bench.program(pluginHost);
  const { project } = program;
  const branchId = bench.branch();
  const main = { main: { args: { projectId: bench.projectId, branchId } } };
  await program.is(main).up();
  const { url, apiKey } = bench.emulator;
  const config = { "pgcompute:baseUrl": url, "pgcompute:apiKey": { secret: apiKey } };
  const expectEmpty = async (stack: string) => {
    const { code, text } = await project.cli([...EMPTY, stack]);
    expect(code, text).toBe(0);
  };
  return { ...program, ...{ branchId, main, config, expectEmpty } };
}

it("pulumi#2402: a renamed stack has its endpoint as before", async () => {
  const { project, branchId, idOf, expectEmpty } = await twoStacks();
  const id = idOf("main");
  const renamed = await project.cli(["stack", "rename", "prod", "--stack", "dev", "--non-interactive"]);
  expect(renamed.code, renamed.text).toBe(0);
  await expectEmpty("prod");
  expect(bench.on(branchId)).toMatchObject([{ id }]);
  const destroyed = await project.cli(["destroy", "--yes", "--non-interactive", "--stack", "prod"]);
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(bench.on(branchId)).toEqual([]);
});

it("pulumi#13771, #16523: a resource that is moved to another stack is that one's alone", async () => {
  const { project, branchId, idOf, is, main, config, urn, expectEmpty } = await twoStacks();
  const id = idOf("main");
  makeStack(project.folders, project.name, "prod");
  writeConfig(project.folders, config, "prod");
  const moved = await project.cli(["state", "move", "--yes", "--source", "dev", "--dest", "prod", urn("main")]);
  expect(moved.code, moved.text).toBe(0);
  await expectEmpty("prod");
  await is({}).destroy();
  expect(bench.on(branchId)).toMatchObject([{ id }]);
  // The stack that it left does not get it back: it is another's.
  expect((await is(main).preview({ expectFailure: true })).failure).toContain(`has ${id.split("/").at(-1)}`);
});

it.each(["refresh", "destroy"])(
  "pulumi#4981: with a rotated key %s says the option that takes the new one",
  async (verb) => {
    const { project } = await twoStacks();
    const state = project.exportState();
    const rotated = ({ inputs = {}, ...rest }: StateResource) => ({ ...rest, inputs: { ...inputs, apiKey: "old" } });
    const isProvider = ({ type }: StateResource) => type === "pulumi:providers:pgcompute";
    project.importState({ ...state, resources: state.resources.map((one) => (isProvider(one) ? rotated(one) : one)) });
    const refused = await project.cli([verb, "--yes", "--non-interactive", "--stack", "dev"]);
    expect(refused.text).toMatch(/401.*--run-program/s);
    await project.pulumi(verb, "--run-program");
  },
);

it("pulumi-awsx#1252: of a transformation the arguments reach the dynamic host, and its customTimeouts do not", async () => {
  const program = bench.program(dynamicHost);
  const branchId = bench.branch();
  const stack = program.project.stack(async () => {
    const [{ runtime }, { Endpoint }] = await Promise.all([import("@pulumi/pulumi"), import("pulumi-pgcompute")]);
    runtime.registerStackTransformation(({ props, opts }) => ({
      props: { ...props, sizeCu: 2 },
      opts: { ...opts, customTimeouts: { create: "1ms" } },
    }));
    new Endpoint("main", { projectId: bench.projectId, branchId, sizeCu: 1 });
  });
  await stack.up();
  expect(bench.on(branchId)).toMatchObject([{ autoscaling_limit_max_cu: 2 }]);
  expect((await stack.preview()).changes).toMatchObject({ update: 0, same: 1 });
});
