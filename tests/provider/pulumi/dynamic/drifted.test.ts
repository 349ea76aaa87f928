import { expect, it } from "vitest";
import { createFleetProvider } from "../../../../provider/pulumi/dynamic/fleet-provider";
import { URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { named, useDynamicHost } from "./support";

type Values = Record<string, unknown>;

it("the dynamic host accepts what ignoreChanges puts back after every refresh, though a Read is given no inputs", async () => {
  const { projectId, admin, begin: open } = await useDynamicHost();
  const begin = () => open(createDynamicProvider);
  const inputs = { ...named, projectId, branchId: admin.seedBranch(projectId).id, type: "read_write", sizeCu: 1 };
  const { id, outs } = await begin().create(inputs);
  admin.changeEndpoint(id.split("/")[1] ?? "", { autoscaling_limit_min_cu: 8, autoscaling_limit_max_cu: 8 });

  let state: Values = outs;
  for (const suspendTimeoutSeconds of [undefined, 300, 300, 600]) {
    const found = await begin().read(id, state);
    const olds = (found as { inputs: Values }).inputs;
    const news = { ...inputs, sizeCu: 8, ...(suspendTimeoutSeconds && { suspendTimeoutSeconds }) };
    const provider = begin();
    const checked = await provider.check(olds, news);
    expect(checked.failures).toEqual([]);
    state = found.props;
    const { changes } = await provider.diff(id, state, checked.inputs);
    if (changes) ({ outs: state } = await provider.update(id, state, checked.inputs));
  }
  expect(admin.endpoint(id.split("/")[1] ?? "")).toMatchObject({
    autoscaling_limit_max_cu: 8,
    suspend_timeout_seconds: 600,
  });
  // Without ignoreChanges, the program's own size is put back.
  const provider = begin();
  const put = await provider.check(((await provider.read(id, state)) as { inputs: Values }).inputs, inputs);
  expect((await provider.update(id, state, put.inputs)).outs).toMatchObject({ sizeCu: 1 });
});

it("the dynamic host does so for a member of a fleet as well", async () => {
  const { projectId, admin, begin: open } = await useDynamicHost();
  const begin = () => open(createFleetProvider);
  const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:EndpointFleet::main";
  const [a, b] = [admin.seedBranch(projectId).id, admin.seedBranch(projectId).id];
  const program = (sizeCu: number, more: Values = {}) => ({
    [URN_INPUT]: urn,
    projectId,
    endpoints: { a: { branchId: a, sizeCu, ...more }, b: { branchId: b } },
  });
  const first = await begin().check({}, program(1));
  const { id, outs } = await begin().create(first.inputs);
  const endpointId = String((outs.endpoints as Record<string, Values>).a?.endpointId);
  admin.changeEndpoint(endpointId, { autoscaling_limit_min_cu: 8, autoscaling_limit_max_cu: 8 });

  let state: Values = outs;
  for (const suspendTimeoutSeconds of [undefined, 300, 300, 600]) {
    const found = await begin().read(id, state);
    const provider = begin();
    const news = program(8, suspendTimeoutSeconds ? { suspendTimeoutSeconds } : {});
    const checked = await provider.check(found.inputs, news);
    expect(checked.failures).toEqual([]);
    state = found.props;
    const { changes } = await provider.diff(id, state, checked.inputs);
    if (changes) ({ outs: state } = await provider.update(id, state, checked.inputs));
  }
  expect(admin.endpoint(endpointId)).toMatchObject({ autoscaling_limit_max_cu: 8, suspend_timeout_seconds: 600 });
});
