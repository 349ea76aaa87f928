import { expect, it } from "vitest";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { createProject } from "../support/project";

const bench = useBench();
const other = useBench({ apiKey: "key-of-another-account" });
const TYPE = "pgcompute:index:Endpoint";

/** An explicit provider for a platform. */
function providerFor({ emulator }: typeof bench, changes: Record<string, unknown> = {}) {
  const properties = { baseUrl: emulator.url, apiKey: { "fn::secret": emulator.apiKey }, ...changes };
  return { type: "pulumi:providers:pgcompute", properties };
}

it("explicit providers manage endpoints of two accounts in one program, each with its own key", async () => {
  const project = createProject();
  const [branchId, otherBranchId] = [bench.branch(), other.branch()];
  const endpoint = (projectId: string, branch: string, provider: string) => ({
    type: TYPE,
    properties: { projectId, branchId: branch, sizeCu: 1 },
    options: { provider: `\${${provider}}` },
  });
  const program = {
    one: providerFor(bench),
    two: providerFor(other, { maxSizeCu: 14 }),
    ours: endpoint(bench.projectId, branchId, "one"),
    theirs: endpoint(other.projectId, otherBranchId, "two"),
  };
  const stack = project.yaml({ resources: program });
  expect((await stack.up()).changes).toMatchObject({ create: 2 });
  expect(bench.on(branchId)).toHaveLength(1);
  expect(other.on(otherBranchId)).toHaveLength(1);
  for (const { emulator } of [bench, other]) expect(project.stateText()).not.toContain(emulator.apiKey);

  // The platform moves: an update of the provider with a warning, and nothing is replaced.
  const moved = {
    ...program,
    one: providerFor(bench, { baseUrl: bench.emulator.url.replace("127.0.0.1", "localhost") }),
  };
  const preview = await project.yaml({ resources: moved }).preview();
  expect(preview.changes).toMatchObject({ same: 2, replace: 0 });
  expect(said(preview, "one")).toMatch(/baseUrl changes: .*until the address is put back/);

  await stack.destroy();
  expect([...bench.on(branchId), ...other.on(otherBranchId)]).toEqual([]);
  project.close();
});

it("functions are called from YAML, also with what the program has just made", async () => {
  const project = bench.project();
  const { projectId } = bench;
  const branchId = bench.branch();
  const invoke = (name: string, args: Record<string, unknown>) => ({
    "fn::invoke": { function: `pgcompute:index:${name}`, arguments: args },
  });
  const stack = project.yaml({
    variables: {
      made: invoke("getEndpoint", { projectId, endpointId: `\${main.endpointId}` }),
      started: invoke("getOperations", { projectId, endpointId: `\${main.endpointId}`, limit: 1 }),
      again: invoke("getOperation", { projectId, operationId: `\${started.operations[0].id}` }),
      hidden: invoke("getEndpoint", {
        projectId: { "fn::secret": projectId },
        endpointId: bench.emulator.endpointId,
      }),
    },
    resources: { main: { type: TYPE, properties: { projectId, branchId, sizeCu: 2 } } },
    outputs: {
      madeId: `\${made.endpointId}`,
      madeState: `\${made.currentState}`,
      action: `\${again.action}`,
      status: `\${again.status}`,
      hiddenHost: `\${hidden.host}`,
      plannedConnections: `\${main.maxConnections}`,
    },
  });
  const preview = await stack.preview();
  expect(preview.text).toMatch(/plannedConnections\s*: 901/);
  await stack.up();
  const { id: endpointId } = bench.on(branchId)[0] ?? {};
  expect(project.outputs()).toMatchObject({
    madeState: "active",
    madeId: endpointId,
    action: "start_compute",
    status: "finished",
    plannedConnections: 901,
  });
  expect(JSON.stringify(project.outputs().hiddenHost)).not.toContain(bench.emulator.endpointId);
});
