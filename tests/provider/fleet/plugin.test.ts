import { CheckRequest, CheckResponse } from "@pulumi/pulumi/proto/provider_pb";
import { beforeAll, describe, expect, it } from "vitest";
import { messageOf, plainOf, secret } from "../../support/messages";
import { type Checked, useService } from "../pulumi/plugin/support/open-service";

const service = useService();
const PASSWORD = "correct-horse-battery";
let runs = 0;

beforeAll(() => service.configure());

function newUrn(): string {
  runs += 1;
  return `urn:pulumi:dev::test::pgcompute:index:EndpointFleet::previews-${runs}`;
}

const branch = () => service.place().branchId;

/** The kinds of a detailed diff by path: 0 add, 2 delete, 4 update. */
async function kinds(...change: Parameters<typeof service.changeOf>) {
  const diff = await service.call<{ replaces: string[]; detaileddiffMap: Record<string, { kind: number }> }>(
    "diff",
    await service.changeOf(...change),
  );
  expect(diff.replaces).toEqual([]);
  return Object.fromEntries(Object.entries(diff.detaileddiffMap).map(([path, { kind }]) => [path, kind]));
}

it("the diff of a fleet has members that come and go as a whole, of the others just the leaves, and nothing that replaces", async () => {
  const { projectId } = service.emulator;
  const urn = newUrn();
  const [a, b, c, d] = [branch(), branch(), branch(), branch()];
  const endpoints = {
    same: { branchId: a },
    changed: { branchId: b, pgSettings: { work_mem: "8MB" } },
    gone: { branchId: c },
    replaced: { branchId: d },
  };
  const made = await service.created(urn, { projectId, endpoints });
  expect(await kinds(urn, made, { projectId, endpoints })).toEqual({});
  const { gone: _, ...others } = endpoints;
  const next = {
    ...others,
    same: { ...others.same, protect: true },
    changed: { branchId: b, sizeCu: 1, pgSettings: { work_mem: "16MB", "my.name": "x" } },
    replaced: { branchId: d, type: "read_only" },
    "new.one": { branchId: c },
  };
  expect(await kinds(urn, made, { projectId, endpoints: next })).toEqual({
    'endpoints["same"].protect': 4,
    'endpoints["changed"].sizeCu': 0,
    'endpoints["changed"].pgSettings.work_mem': 4,
    'endpoints["changed"].pgSettings["my.name"]': 0,
    'endpoints["gone"]': 2,
    'endpoints["replaced"].type': 4,
    'endpoints["new.one"]': 0,
  });
});

it("the diff of a fleet adds members whose endpoints are gone", async () => {
  const { projectId } = service.emulator;
  const urn = newUrn();
  const endpoints = { a: { branchId: branch() }, b: { branchId: branch(), sizeCu: 1 } };
  const made = await service.created(urn, { projectId, endpoints });
  await service.call("delete", { urn, id: made.id, properties: made.properties });
  expect(await kinds(urn, made, { projectId, endpoints })).toEqual({ 'endpoints["a"]': 0, 'endpoints["b"]': 0 });
});

it("the diff of a fleet has what its defaults say otherwise, too, where that changes a member", async () => {
  const { projectId } = service.emulator;
  const urn = newUrn();
  const endpoints = { own: { branchId: branch(), sizeCu: 1 }, common: { branchId: branch() } };
  const made = await service.created(urn, { projectId, defaults: { sizeCu: 2, poolerEnabled: false }, endpoints });
  expect(
    await kinds(urn, made, { projectId, defaults: { sizeCu: 4, suspendTimeoutSeconds: 60 }, endpoints }),
  ).toMatchObject({
    "defaults.sizeCu": 4,
    "defaults.suspendTimeoutSeconds": 0,
    "defaults.poolerEnabled": 2,
    'endpoints["common"].sizeCu': 4,
  });
});

describe("the secrets of a fleet", () => {
  it("are marked where they stand, those of the defaults in each member, and what follows from them beside the bookkeeping", async () => {
    const { projectId } = service.emulator;
    const urn = newUrn();
    const pgSettings = { "app.password": secret(PASSWORD) };
    const endpoints = { a: { branchId: branch() }, b: { branchId: branch(), pgSettings: {}, sizeCu: secret(1) } };
    const made = await service.created(urn, { projectId, defaults: { pgSettings }, endpoints });
    expect(made.inputs.endpoints).toMatchObject({ a: { pgSettings }, b: { pgSettings: {}, sizeCu: secret(1) } });
    const derived = { autoscalingLimitMinCu: secret(1), maxConnections: secret(450) };
    expect(made.properties).toMatchObject({
      endpoints: { a: { pgSettings }, b: { pgSettings: {}, sizeCu: secret(1), ...derived } },
      __pgcompute: expect.stringMatching(/"suspendTimeoutSeconds":0.*"maxConnections":112.*"set":/),
    });
    expect(made.properties.__pgcompute).not.toContain("450");
    const read = { urn, id: made.id, properties: made.properties, inputs: made.inputs };
    expect(await service.call("read", read)).toMatchObject({
      properties: made.properties,
      inputs: { endpoints: made.inputs.endpoints },
    });
    await service.call("delete", { urn, id: made.id, properties: made.properties });
  });

  it("are in no failure, no row and no error", async () => {
    const { projectId, admin } = service.emulator;
    const urn = newUrn();
    service.lines.length = 0;
    const bad = { a: { branchId: branch(), poolerMode: secret(PASSWORD) }, b: { branchId: secret(PASSWORD) } };
    const { failures } = await service.call<Checked>("check", { urn, news: { projectId, endpoints: bad } });
    expect(JSON.stringify(failures)).not.toContain(PASSWORD);
    expect(failures).toHaveLength(2);
    const endpoints = { a: { branchId: branch(), pgSettings: { "app.password": secret(PASSWORD) } } };
    const effect = { kind: "status", status: 400, message: `no ${PASSWORD} here` } as const;
    const fault = admin.addFault({ route: "endpoints.create", effect });
    const { inputs } = await service.call<Checked>("check", { urn, news: { projectId, endpoints } });
    const error = await service.failureOf("create", { urn, properties: inputs });
    admin.removeFault(fault);
    expect(error.details).toMatch(/no \[secret\] here/);
    expect(JSON.stringify(service.lines)).not.toContain(PASSWORD);
  });
});

it("refuses the key that is lost in maps of JavaScript as any other that is none", async () => {
  const news = { projectId: service.emulator.projectId, endpoints: { "--proto--": { branchId: branch() } } };
  const sent = Buffer.from(messageOf(CheckRequest, { urn: newUrn(), news }).serializeBinary());
  sent.write("__proto__", sent.indexOf("--proto--"));
  const { failures } = plainOf(CheckResponse.deserializeBinary(await service.callRaw("check", sent)));
  expect(failures).toEqual([
    {
      property: "",
      reason: expect.stringMatching(/^endpoints\["__proto__"\]: a key is 1 to 63 characters of letters/),
    },
  ]);
});
