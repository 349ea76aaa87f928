/** Tests that members' secrets stay secret through partial changes and refreshes, on both hosts. */
import { beforeAll, describe, expect, it } from "vitest";
import { SECRET_INPUT, URN_INPUT } from "../../../provider/pulumi/dynamic/hidden";
import { createProvider } from "../../../provider/pulumi/dynamic/provider";
import { fleetKind } from "../../../provider/pulumi/resource";
import { secret } from "../../support/messages";
import { useDynamicHost } from "../pulumi/dynamic/support";
import { partialOf, useService } from "../pulumi/plugin/support/open-service";

type Values = Record<string, unknown>;

const PASSWORD = "correct-horse-battery";
const pgSettings = { "app.password": PASSWORD };
const refused = { kind: "status", status: 400 } as const;

describe("by the plugin", () => {
  const service = useService();
  const urn = "urn:pulumi:dev::test::pgcompute:index:EndpointFleet::previews";
  const sealed = { "app.password": secret(PASSWORD) };
  beforeAll(() => service.configure());

  const member = (more: Values = {}) => ({ branchId: service.place().branchId, ...more });

  /** A fleet, and what is kept of an update of it in which a call of the route fails. */
  async function failed(endpoints: Values, next: Values, route: `endpoints.${"create" | "update" | "delete"}`) {
    const { projectId, admin } = service.emulator;
    const made = await service.created(urn, { projectId, endpoints });
    const change = await service.changeOf(urn, made, { projectId, endpoints: next });
    const fault = admin.addFault({ route, count: 1, effect: refused });
    const error = await service.failureOf("update", change);
    admin.removeFault(fault);
    return { ...made, properties: partialOf(error)?.properties as Values };
  }

  it("what a member has is still marked that was to go", async () => {
    const b = member();
    const { properties } = await failed(
      { a: member({ pgSettings: sealed }), b },
      { b, c: member() },
      "endpoints.delete",
    );
    expect(properties).toMatchObject({ endpoints: { a: { pgSettings: sealed } } });
  });

  it("what a member was to have no longer, or no longer in secret, stays marked", async () => {
    const [a, b] = [member(), member()];
    const both = { a: { ...a, pgSettings: sealed }, b: { ...b, pgSettings: sealed } };
    const next = { a, b: { ...b, pgSettings } };
    const { id, inputs, properties: olds } = await failed(both, { ...next, c: member() }, "endpoints.update");
    expect(olds).toMatchObject({ endpoints: { a: { pgSettings: sealed }, b: { pgSettings: sealed } } });
    const news = { projectId: service.emulator.projectId, endpoints: next };
    const checked = await service.call<{ inputs: Values }>("check", { urn, olds: inputs, news });
    const update = { urn, id, olds, oldInputs: inputs, news: checked.inputs };
    expect(await service.call("update", update)).toMatchObject({
      properties: { endpoints: { b: { pgSettings: sealed } } },
    });
  });

  it("the inputs of a member that came are marked by a refresh", async () => {
    const a = member();
    const next = { a, m: member({ pgSettings: sealed }), n: member({ pgSettings: sealed }) };
    const { id, inputs, properties } = await failed({ a }, next, "endpoints.create");
    const [made = ""] = Object.keys(properties.endpoints as Values).filter((key) => key !== "a");
    const there = { endpoints: { [made]: { pgSettings: sealed } } };
    expect(properties).toMatchObject(there);
    const read = await service.call("read", { urn, id, properties, inputs });
    expect(read).toMatchObject({ properties: there, inputs: there });
  });

  it("a takeover says what it does without the size that the program keeps secret", async () => {
    const { projectId, admin } = service.emulator;
    const endpoints = { a: member({ adoptExisting: true, sizeCu: secret(1) }) };
    admin.seedEndpoint(projectId, { branch_id: endpoints.a.branchId });
    await service.configure();
    service.lines.length = 0;
    await service.call("check", { urn, news: { projectId, endpoints } });
    await service.heard();
    const said = service.lines.map(({ message }) => message).join("\n");
    expect(said).toContain("a: restarts the endpoint: open connections are dropped");
    expect(said).toContain("values that the program keeps secret are not shown");
    expect(said).not.toMatch(/ CU|max_connections/);
  });
});

describe("by the dynamic host", () => {
  const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:EndpointFleet::main";
  const sealed = secret(pgSettings);

  it.each([
    ["what a member has is still marked that was to go", "endpoints.delete", undefined],
    ["what a member was to have no longer is still marked", "endpoints.update", {}],
  ])("%s, in a later refresh too", async (_, route, left) => {
    const { projectId, admin, begin } = await useDynamicHost();
    const provider = begin((session) => createProvider(session, fleetKind));
    const [a = "", b = "", c = ""] = Array.from({ length: 3 }, () => admin.seedBranch(projectId).id);
    const program = (endpoints: Values, ...secrets: string[][]) => ({
      projectId,
      endpoints: { ...endpoints, b: { branchId: b } },
      [URN_INPUT]: urn,
      ...(secrets.length > 0 && { [SECRET_INPUT]: secrets }),
    });
    const first = program({ a: { branchId: a, pgSettings } }, ["endpoints", "a", "pgSettings"]);
    const olds = opened((await provider.check({}, first)).inputs);
    const { id, outs } = await provider.create(olds);
    // One that comes beside the failure changes the state.
    const next = program({ ...(left && { a: { branchId: a, ...left } }), c: { branchId: c } });
    const news = opened((await provider.check(olds, next)).inputs);
    admin.addFault({ route, count: 1, effect: refused });
    const error = await provider.update(id, opened(outs), news).then(
      () => undefined,
      (reason: { properties: Values }) => reason,
    );
    expect(error?.properties).toMatchObject({ endpoints: { a: { pgSettings: sealed } } });
    const found = await provider.read(id, opened(error?.properties));
    expect(found).toMatchObject({
      props: { endpoints: { a: { pgSettings: sealed } } },
      inputs: { endpoints: { a: { pgSettings: sealed } } },
    });
  });

  it("a refresh gives back what the program says of all members, and keeps its secrets", async () => {
    const { projectId, admin, begin } = await useDynamicHost();
    const provider = begin((session) => createProvider(session, fleetKind));
    const said = (sizeCu: number) => ({ projectId, defaults: { sizeCu, pgSettings }, maxDeletions: 7 });
    const [a, b] = [admin.seedBranch(projectId).id, admin.seedBranch(projectId).id];
    const program = (sizeCu: number) => ({
      ...said(sizeCu),
      endpoints: { a: { branchId: a }, b: { branchId: b, pgSettings: {} } },
      [URN_INPUT]: urn,
      [SECRET_INPUT]: [
        ["defaults", "pgSettings"],
        ["endpoints", "a"],
      ],
    });
    const checked = await provider.check({}, program(1));
    const { id, outs } = await provider.create(opened(checked.inputs));
    const found = await provider.read(id, opened(outs));
    expect(opened(found.inputs)).toMatchObject(said(1));
    expect(opened(found.inputs).endpoints).toEqual(opened(checked.inputs).endpoints);
    expect(found.inputs.defaults).toMatchObject({ pgSettings: sealed });

    const next = await provider.check(opened(found.inputs), program(2));
    const updated = await provider.update(id, opened(found.props), opened(next.inputs));
    expect(opened((await provider.read(id, opened(updated.outs))).inputs)).toMatchObject(said(2));
    for (const values of [checked.inputs, outs, found, updated])
      expect(JSON.stringify(values, (_, one) => (isSealed(one) ? "sealed" : one))).not.toContain(PASSWORD);
  });
});

/** Values as the engine shows them to this host: secrets in the clear. */
function opened(value: unknown): Values {
  return JSON.parse(JSON.stringify(value), (_, one) => (isSealed(one) ? one.value : one));
}

function isSealed(value: unknown): value is { value: unknown } {
  return typeof value === "object" && value !== null && Object.keys(value).length === 2 && "value" in value;
}
