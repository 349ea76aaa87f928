import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { describe, expect, it } from "vitest";
import { type CallName, secret, unknown } from "../../../support/messages";
import { useService } from "./support/open-service";

const names = Object.keys(ResourceProviderService) as CallName[];
const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const service = useService();

/** A call ends with an answer or a plain error, and the service goes on. */
async function expectToEndAlone(call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => "",
    ({ details }) => details,
  );
  expect(error).not.toMatch(/bug in the provider|\n\s+at /);
  expect((await service.call("getPluginInfo")).version).toBeDefined();
}

/** The fields of a call's request that hold values. */
function valueFields(name: CallName): string[] {
  const fields = {
    news: "setNews",
    olds: "setOlds",
    properties: "setProperties",
    args: "setArgs",
    inputs: "setInputs",
  };
  const { requestType } = ResourceProviderService[name] as never as { requestType: { prototype: object } };
  return Object.entries(fields).flatMap(([field, setter]) => (setter in requestType.prototype ? [field] : []));
}

/** What takes values of its own kind: a configuration, and parameters, of which this plugin has none. */
const others: CallName[] = ["configure", "parameterize"];

const takesUrn = new Set<CallName>(["check", "diff", "create", "read", "update", "delete"]);

/** A call about an endpoint, or the first function, with the same values in every field that takes some. */
function fieldsOf(name: CallName, values: Record<string, unknown>): Record<string, unknown> {
  return {
    ...Object.fromEntries(valueFields(name).map((field) => [field, values])),
    ...(takesUrn.has(name) ? { urn } : {}),
    ...(name === "invoke" ? { tok: "pgcompute:index:getEndpoint" } : {}),
  };
}

describe("a call that nobody should send ends that call alone", () => {
  it.each(names)("%s before any configuration", (name) => expectToEndAlone(service.call(name)));

  it.each(names)("%s with nothing in it", async (name) => {
    await service.configure();
    await expectToEndAlone(service.call(name));
  });
});

const odd: Record<string, Record<string, unknown>> = {
  "values of the wrong kind": { projectId: 7, branchId: [true], type: {}, sizeCu: "big", pgSettings: [1], apiKey: {} },
  "nothing but unknowns": { projectId: unknown, branchId: unknown, sizeCu: unknown, pgSettings: { a: unknown } },
  "a secret that is no text": { projectId: secret({ deep: [secret(unknown)] }), branchId: secret(null) },
  "names of the language": { constructor: "x", toString: "y", hasOwnProperty: {} },
  "a number that is none": {
    projectId: "quiet-lake",
    sizeCu: Number.NaN,
    suspendTimeoutSeconds: Number.NEGATIVE_INFINITY,
  },
};

describe.each(Object.entries(odd))("%s", (_title, values) => {
  it.each(names.filter((name) => valueFields(name).length > 0 && !others.includes(name)))("in %s", async (name) => {
    await service.configure();
    await expectToEndAlone(service.call(name, fieldsOf(name, values)));
  });
});

it("refuses a configuration of such values, and says which keys", async () => {
  const { details } = await service.failureOf("configure", { args: odd["values of the wrong kind"] ?? {} });
  expect(details).toMatch(/pgcompute:apiKey: .*pgcompute:projectId|pgcompute:projectId: .*pgcompute:apiKey/s);
  await service.configure();
});

it("says what it does not have", async () => {
  const failures = await Promise.all([
    service.failureOf("construct"),
    service.failureOf("list", { token: "pgcompute:index:Branch" }),
    service.failureOf("invoke", { tok: "pgcompute:index:getNothing" }),
    service.failureOf("check", { urn: urn.replace("Endpoint", "Branch"), news: {} }),
  ]);
  expect(failures.map(({ code, details }) => `${code} ${details}`)).toEqual([
    "12 pgcompute has no components",
    "12 pgcompute has no list of pgcompute:index:Branch: it lists pgcompute:index:Endpoint",
    "12 pgcompute has no function pgcompute:index:getNothing",
    "12 pgcompute has no resource pgcompute:index:Branch; its resources are pgcompute:index:Endpoint and pgcompute:index:EndpointFleet",
  ]);
});

it("makes no call of a change whose inputs are incomplete", async () => {
  await service.configure();
  service.emulator.admin.clearLog();
  const properties = { projectId: service.emulator.projectId, branchId: unknown, type: "read_write" };
  const { details } = await service.failureOf("create", { urn, properties });
  expect(details).toBe("some of these inputs are not known yet");
  const bad = await service.failureOf("create", { urn, properties: { type: "read_write" } });
  expect(bad.details).toMatch(/^these inputs cannot be used: projectId: required.*branchId: required/);
  expect(service.emulator.admin.log()).toEqual([]);
});
