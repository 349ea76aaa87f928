import { beforeAll, describe, expect, it } from "vitest";
import { SECRET_INPUT, URN_INPUT } from "../../../provider/pulumi/dynamic/hidden";
import { createFleetProvider } from "../../../provider/pulumi/dynamic/provider";
import { secret } from "../../support/messages";
import { useDynamicHost } from "../pulumi/dynamic/support";
import { useService } from "../pulumi/plugin/support/open-service";
import { partialOf } from "../pulumi/plugin/support/partial";

type Values = Record<string, unknown>;

const PASSWORD = "correct-horse-battery";
const pgSettings = { "app.password": PASSWORD };
const refused = { kind: "status", status: 400 } as const;

describe("after a change that failed, the plugin still marks as secret", () => {
  const service = useService();
  const urn = "urn:pulumi:dev::test::pgcompute:index:EndpointFleet::previews";
  const sealed = { "app.password": secret(PASSWORD) };
  beforeAll(() => service.configure());

  function branch(): string {
    const { projectId, admin } = service.emulator;
    return admin.seedBranch(projectId).id;
  }

  async function checked(endpoints: Values, olds: Values = {}) {
    const { projectId } = service.emulator;
    const news = { projectId, endpoints };
    return (await service.call<{ inputs: Values }>("check", { urn, olds, news })).inputs;
  }

  /** A fleet, and what is kept of an update of it in which calls of the route fail. */
  async function failed(endpoints: Values, next: Values, route: `endpoints.${"create" | "update" | "delete"}`) {
    const inputs = await checked(endpoints);
    const { id, properties } = await service.call<{ id: string; properties: Values }>("create", {
      urn,
      properties: inputs,
    });
    const news = await checked(next, inputs);
    const fault = service.emulator.admin.addFault({ route, count: 1, effect: refused });
    const error = await service.failureOf("update", { urn, id, olds: properties, oldInputs: inputs, news });
    service.emulator.admin.removeFault(fault);
    return { id, inputs, properties: partialOf(error)?.properties as Values };
  }

  it("what a member has that was to go", async () => {
    const b = { branchId: branch() };
    const a = { branchId: branch(), pgSettings: sealed };
    const { properties } = await failed({ a, b }, { b }, "endpoints.delete");
    expect(properties).toMatchObject({
      endpoints: { a: { pgSettings: sealed } },
      __pgcompute: { secret: secret(expect.any(String)) },
    });
  });

  it("what a member was to have no longer", async () => {
    const branchId = branch();
    const { properties } = await failed(
      { a: { branchId, pgSettings: sealed } },
      { a: { branchId } },
      "endpoints.update",
    );
    expect(properties).toMatchObject({ endpoints: { a: { pgSettings: sealed } } });
  });

  it("but not what the program no longer keeps secret", async () => {
    const branchId = branch();
    const next = { a: { branchId, pgSettings } };
    const { properties } = await failed(
      { a: { branchId, pgSettings: sealed }, b: { branchId: branch() } },
      { ...next, c: { branchId: branch() } },
      "endpoints.create",
    );
    expect(properties).toMatchObject({ endpoints: { a: { pgSettings } } });
  });

  it("in a refresh, the inputs of a member that came", async () => {
    const a = { branchId: branch() };
    const next = { a, m: { branchId: branch(), pgSettings: sealed }, n: { branchId: branch(), pgSettings: sealed } };
    const { id, inputs, properties } = await failed({ a }, next, "endpoints.create");
    const [made = ""] = Object.keys(properties.endpoints as Values).filter((key) => key !== "a");
    const there = { endpoints: { [made]: { pgSettings: sealed } } };
    expect(properties).toMatchObject(there);
    expect(await service.call("read", { urn, id, properties, inputs })).toMatchObject({
      properties: there,
      inputs: there,
    });
  });
});

describe("a fleet that takes over an endpoint", () => {
  const service = useService();
  const urn = "urn:pulumi:dev::test::pgcompute:index:EndpointFleet::taking";
  beforeAll(() => service.configure());

  it("says what that does, without the size that the program keeps secret", async () => {
    const { projectId, admin } = service.emulator;
    const branchId = admin.seedBranch(projectId).id;
    admin.seedEndpoint(projectId, { branch_id: branchId });
    const endpoints = { a: { branchId, adoptExisting: true, sizeCu: secret(1) } };
    await service.call("check", { urn, news: { projectId, endpoints } });
    await service.heard();
    const said = service.lines.map(({ message }) => message).join("\n");
    expect(said).toContain("a: restarts the endpoint: open connections are dropped");
    expect(said).toContain("values that the program keeps secret are not shown");
    expect(said).not.toMatch(/ CU|max_connections/);
  });
});

describe("after a change that failed, the dynamic host still marks as secret, in a later refresh too", () => {
  const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:EndpointFleet::main";
  const sealed = secret(pgSettings);

  it.each([
    ["what a member has that was to go", "endpoints.delete", undefined],
    ["what a member was to have no longer", "endpoints.update", {}],
  ])("%s", async (_, route, left) => {
    const { projectId, admin, begin } = await useDynamicHost();
    const provider = begin(createFleetProvider);
    const [a, b] = [admin.seedBranch(projectId).id, admin.seedBranch(projectId).id];
    const program = (endpoints: Values, ...secrets: string[][]) => ({
      projectId,
      endpoints: { ...endpoints, b: { branchId: b } },
      [URN_INPUT]: urn,
      ...(secrets.length > 0 && { [SECRET_INPUT]: secrets }),
    });
    const first = program({ a: { branchId: a, pgSettings } }, ["endpoints", "a", "pgSettings"]);
    const olds = opened((await provider.check({}, first)).inputs);
    const { id, outs } = await provider.create(olds);
    const next = program(left ? { a: { branchId: a, ...left } } : {});
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
});

/** Values as the engine shows them to this host: secrets in the clear. */
function opened(value: unknown): Values {
  return JSON.parse(JSON.stringify(value), (_, one) => (isSealed(one) ? one.value : one));
}

function isSealed(value: unknown): value is { value: unknown } {
  return typeof value === "object" && value !== null && Object.keys(value).length === 2 && "value" in value;
}
