import { expect, it } from "vitest";
import { createFleetProvider } from "../../../../provider/pulumi/dynamic/fleet-provider";
import { AFTER_INPUT, URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { useDynamicHost } from "./support";

const urnOf = (kind: string, name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:${kind}::${name}`;

it("a fleet's step knows as its diff does that a resource with the same endpoint comes before it", async () => {
  const { projectId, admin, begin } = await useDynamicHost();
  const { id: branchId } = admin.seedBranch(projectId, { endpoint: {} });
  const replica = { projectId, branchId, type: "read_only" };
  const endpoints = begin(createDynamicProvider);
  const one = await endpoints.check({}, { ...replica, [URN_INPUT]: urnOf("Endpoint", "one") });
  const { id, outs } = await endpoints.create(one.inputs);

  const program = (members: object) => ({ endpoints: members, [URN_INPUT]: urnOf("EndpointFleet", "all") });
  const fleets = begin(createFleetProvider);
  const all = await fleets.check({}, program({ own: replica, shared: { ...replica, importId: id } }));
  const fleet = await fleets.create(all.inputs);

  const { endpointsOf, fleetOf } = begin((session) => ({
    configure: session.configure,
    endpointsOf: createDynamicProvider(session),
    fleetOf: createFleetProvider(session),
  }));
  await endpointsOf.check(one.inputs, one.inputs);
  await endpointsOf.diff(id, outs, one.inputs);
  const without = { ...program({ own: replica }), [AFTER_INPUT]: [urnOf("Endpoint", "one")] };
  const { inputs } = await fleetOf.check(all.inputs, without);
  expect(await fleetOf.diff(fleet.id, fleet.outs, inputs)).toMatchObject({ changes: true });
  const left = await fleetOf.update(fleet.id, fleet.outs, inputs);
  expect(Object.keys(left.outs.endpoints as object)).toEqual(["own"]);
  expect(admin.project(projectId).endpoints.map((endpoint) => endpoint.id)).toContain(outs.endpointId);
});
