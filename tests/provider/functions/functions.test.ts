import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator";
import { callFunction, isFunction } from "../../../provider/functions/functions";
import type { FunctionName } from "../../../provider/functions/model";
import { useBench } from "../../support/bench";

async function setUp(options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const account = bench.account();
  const { emulator } = bench;
  const { projectId, admin } = emulator;
  const ask = (name: FunctionName, args: object) => callFunction(account, name, { projectId, ...args });
  return {
    ...{ bench, account, emulator, projectId, admin },
    call: async (name: FunctionName, args: object) => (await bench.run(ask(name, args))).result,
    fails: (name: FunctionName, args: object) => bench.fails(ask(name, args)),
  };
}

// Specification, section 1: a project has a primary branch, and others beside it.
describe("getBranch and getBranches", () => {
  it("find a branch by its name, and the primary one without", async () => {
    const { call, admin, projectId, emulator } = await setUp();
    const { branchId } = emulator;
    const { id } = admin.seedBranch(projectId, { name: "dev" });
    const dev = { id, name: "dev", primary: false, parentId: branchId };
    expect(await call("getBranch", { name: "dev" })).toMatchObject(dev);
    expect(await call("getBranch", {})).toMatchObject({ id: branchId, projectId, primary: true });
    const { branches } = (await call("getBranches", {})) as { branches: { id: string }[] };
    expect(branches.map((branch) => branch.id).sort()).toEqual([branchId, id].sort());
  });

  it.each([
    [{}, 3],
    [{ maxPageSize: 60 }, 5],
  ])("find what stands on the last page, and name what is near on any, with %j of %i pages", async (options, pages) => {
    const { call, fails, admin, projectId } = await setUp(options);
    const seeded = Array.from({ length: 250 }, (_, at) => admin.seedBranch(projectId, { name: `preview-${at}` }));
    expect(await call("getBranch", { name: "preview-0" })).toMatchObject({ id: seeded[0]?.id });
    expect(await call("getBranch", { name: "preview-249" })).toMatchObject({ id: seeded[249]?.id });
    expect(admin.counts().byRoute).toEqual({ "branches.list": pages + 1 });

    const { branches } = (await call("getBranches", {})) as { branches: { name: string }[] };
    expect(new Set(branches.map(({ name }) => name))).toEqual(new Set(["main", ...seeded.map(({ name }) => name)]));
    expect(branches).toHaveLength(251);
    expect(await fails("getBranch", { name: "main-" })).toMatchObject({ message: expect.stringContaining('"main"') });
  });

  it("know the primary branch where the platform calls it the default one", async () => {
    const { call, emulator } = await setUp();
    emulator.admin.configure({ removedFields: "refused" });
    expect(await call("getBranch", {})).toMatchObject({ id: emulator.branchId, primary: true });
  });
});

it.each<[FunctionName, Record<string, string>, RegExp]>([
  ["getBranch", { name: "prevew" }, /no branch named "prevew"; did you mean "preview"\?$/],
  ["getBranch", { name: "qqqqqqqqqqqq" }, /no branch named "qqqqqqqqqqqq"; getBranches lists those that it has$/],
  ["getBranch", { name: "" }, /no branch named ""; getBranches/],
  ["getEndpoint", { endpointId: "ep-nowhere" }, /has no endpoint ep-nowhere/],
  ["getEndpoint", { branchId: "br-nowhere" }, /br-nowhere.*has no read-write endpoint/],
  ["getOperation", { operationId: "00000000-0000-4000-8000-000000000000" }, /./],
])("%s says that there is none: %j", async (name, args, message) => {
  const { fails, admin, projectId } = await setUp();
  admin.seedBranch(projectId, { name: "preview" });
  expect(await fails(name, args)).toMatchObject({ kind: "not_found", message: expect.stringMatching(message) });
});

it.each([
  ["getBranch", { name: "preview" }],
  ["getEndpoints", {}],
  ["getOperations", {}],
] as const)("a wrong base address is told apart from what %s does not find", async (name, args) => {
  const { bench, fails, emulator, projectId } = await setUp();
  const elsewhere = bench.account({ baseUrl: emulator.url.replace("/v2", "/other/v2") });
  const error = await bench.fails(callFunction(elsewhere, name, { projectId, ...args }));
  expect(error).toMatchObject({ kind: "not_found", remedy: { kind: "wrong_address" } });
  const unknown = await fails(name, { projectId: "no-such-1", ...args });
  expect(unknown).toMatchObject({ kind: "not_found", remedy: undefined });
});

// Specification, sections 2.1, 2.3, 4.2 and 4.4.
it("getEndpoint reads by id and by branch, with what the platform changes by itself", async () => {
  const { call, emulator } = await setUp();
  const { projectId, endpointId, branchId } = emulator;
  const byId = await call("getEndpoint", { endpointId });
  expect(byId).toMatchObject({ id: `${projectId}/${endpointId}`, branchId, type: "read_write" });
  expect(byId).toHaveProperty("currentState");
  expect(byId).not.toHaveProperty("sizeCu");
  expect(await call("getEndpoint", { branchId })).toEqual(byId);
});

it("freshness finds what was created since the list was made", async () => {
  const { account, call, bench, emulator } = await setUp();
  await call("getEndpoints", {});
  await bench.clock.pass(1);
  const { id: branchId } = emulator.admin.seedBranch(emulator.projectId, { endpoint: {} });
  expect(await call("getEndpoint", { branchId })).toMatchObject({ branchId });
  const { id: next } = emulator.admin.seedBranch(emulator.projectId, { endpoint: {} });
  await bench.clock.pass(1);
  // Another process makes the changes where the dynamic host asks, which says so.
  const { projectId } = emulator;
  const asked = callFunction(account, "getEndpoints", { projectId }, { sinceMs: account.clock.now() });
  expect((await bench.run(asked)).result).toMatchObject({
    endpoints: expect.arrayContaining([expect.objectContaining({ branchId: next })]),
  });
});

it("getEndpoint shows what the platform tells of the compute, and leaves out what it does not", async () => {
  const { bench, call, emulator } = await setUp();
  const { admin, branchId, endpointId } = emulator;
  const { suspended_at: _, creation_source: __, ...record } = { ...admin.endpoint(endpointId) };
  const times = { started_at: "2026-01-02T03:04:05Z", suspended_at: "2026-01-02T04:00:00Z" };
  const told = { ...record, ...times, compute_release_version: "8032", creation_source: "console" };
  const list = (endpoint: object) =>
    admin.addFault({ route: "endpoints.list", count: 1, effect: { kind: "json", body: { endpoints: [endpoint] } } });
  list(told);
  expect(await call("getEndpoint", { endpointId })).toMatchObject({
    startedAt: "2026-01-02T03:04:05Z",
    suspendedAt: "2026-01-02T04:00:00Z",
    computeReleaseVersion: "8032",
    creationSource: "console",
  });
  await bench.clock.pass(60_000);
  list(record);
  const result = await call("getEndpoint", { branchId });
  for (const name of ["suspendedAt", "computeReleaseVersion", "creationSource"])
    expect(result).not.toHaveProperty(name);
});

it("getEndpoints lists, and chooses by branch and type, from one call", async () => {
  const { call, bench, emulator } = await setUp();
  const branchId = bench.branch();
  emulator.admin.seedFleet(emulator.projectId, { count: 3, type: "read_only", branchId });
  const count = async (args: object) =>
    ((await call("getEndpoints", args)) as { endpoints: unknown[] }).endpoints.length;
  expect([
    await count({}),
    await count({ branchId }),
    await count({ type: "read_only" }),
    await count({ branchId, type: "read_write" }),
  ]).toEqual([4, 3, 3, 0]);
  expect(emulator.admin.counts().total).toBe(1);
});

describe("where the list shows little of an endpoint", () => {
  it.each<[FunctionName, Record<string, unknown>]>([
    ["getEndpoint", {}],
    ["getEndpoints", {}],
    ["getEndpoints", { type: "read_write" }],
  ])("%s gives all of it: %j", async (name, args) => {
    const { bench, call, emulator } = await setUp();
    const { admin, branchId, endpointId } = emulator;
    const whole = await call("getEndpoint", { endpointId });
    await bench.clock.pass(60_000);
    const body = { endpoints: [{ id: endpointId, branch_id: branchId }] };
    admin.addFault({ route: "endpoints.list", effect: { kind: "json", body } });
    const result = await call(name, { branchId, ...args });
    expect(result).toEqual(name === "getEndpoint" ? whole : { endpoints: [whole] });
  });

  it("leaves out what is gone by now", async () => {
    const { call, emulator } = await setUp();
    const { admin, branchId } = emulator;
    const body = { endpoints: [{ id: "ep-gone", branch_id: branchId }] };
    admin.addFault({ route: "endpoints.list", effect: { kind: "json", body } });
    expect(await call("getEndpoints", { branchId })).toEqual({ endpoints: [] });
  });
});

describe("getOperations and getOperation", () => {
  it("list the newest first, chosen and bounded", async () => {
    const { call, emulator } = await setUp();
    const { projectId, endpointId } = emulator;
    emulator.admin.startOperation({ projectId, action: "check_availability", count: 250 });
    emulator.admin.advance(10_000);
    emulator.admin.startOperation({ projectId, action: "start_compute", endpointId, count: 5 });
    const list = async (args: object) =>
      ((await call("getOperations", args)) as { operations: { action: string }[] }).operations;
    expect(await list({})).toHaveLength(100);
    expect((await list({ limit: 1 }))[0]?.action).toBe("start_compute");
    expect((await list({ limit: 1_000 })).length).toBeGreaterThanOrEqual(255);
    expect((await list({ endpointId })).length).toBeGreaterThanOrEqual(5);
    expect((await list({ status: "finished", limit: 240 })).length).toBe(240);
    expect(await list({ status: "never-heard-of" })).toEqual([]);
  });

  it("read one operation", async () => {
    const { call, admin, projectId } = await setUp();
    const { id } = admin.startOperation({ projectId, action: "check_availability" });
    expect(await call("getOperation", { operationId: id })).toMatchObject({ id, action: "check_availability" });
  });
});

it("getComputeSize knows the table of the account's platform, or of the one that is named, and says which", async () => {
  const { account } = await setUp();
  const size = await callFunction(account, "getComputeSize", { cu: 7 });
  const figures = { cu: 7, vcpu: 7, memoryGb: 28 };
  expect(size.result).toEqual({
    ...figures,
    sharedBuffersGuidelineGb: 14,
    maxConnections: 3154,
    platform: "specification",
  });
  const named = await callFunction(account, "getComputeSize", { cu: 7, platform: "neon" });
  expect(named.result).toEqual({ ...figures, sharedBuffersGuidelineGb: 21, maxConnections: 2937, platform: "neon" });
  await expect(callFunction(account, "getComputeSize", { cu: 8 })).rejects.toMatchObject({
    kind: "invalid_argument",
    message: expect.stringContaining("8 CU is not in the table of sizes of the platform specification"),
  });
});

describe("arguments", () => {
  it.each<[FunctionName, Record<string, unknown>, string[]]>([
    ["getEndpoint", {}, ["projectId", "endpointId"]],
    ["getEndpoint", { projectId: "p", endpointId: "ep-1", branchId: "br-1" }, ["endpointId"]],
    ["getEndpoint", { projectId: "p", endpoint: "ep-1", branchId: "br-1" }, ["endpoint"]],
    ["getEndpoints", { projectId: 7 }, ["projectId"]],
    ["getEndpoints", { projectId: "p", type: "readonly" }, ["type"]],
    ["getOperation", { projectId: "p" }, ["operationId"]],
    ["getOperations", { projectId: "p", limit: 0 }, ["limit"]],
    ["getOperations", { projectId: "p", limit: 2.5, state: "x" }, ["state", "limit"]],
    ["getComputeSize", { cu: "1", platform: "aws" }, ["cu", "platform"]],
    ["getEndpoint", { projectId: "p-1", endpointId: 5 }, ["endpointId"]],
  ])("of %s that cannot be used come back each on its name: %j", async (name, args, properties) => {
    const { account, emulator } = await setUp();
    const { failures } = await callFunction(account, name, args);
    expect(failures?.map(({ property }) => property)).toEqual(properties);
    expect(emulator.admin.counts().total).toBe(0);
  });

  it("leave out names that objects have by birth", () => {
    const names = ["getEndpoint", "toString", "constructor", "__proto__", ""];
    expect(names.filter(isFunction)).toEqual(["getEndpoint"]);
  });
});

it.each<[FunctionName, Record<string, unknown>, string]>([
  ["getBranch", {}, "branches.list"],
  ["getBranches", {}, "branches.list"],
  ["getEndpoint", { endpointId: "ep-quiet-harbor-main" }, "endpoints.list"],
  ["getEndpoint", { branchId: "br-nowhere" }, "endpoints.list"],
  ["getEndpoints", {}, "endpoints.list"],
  ["getOperation", { operationId: "00000000-0000-4000-8000-000000000000" }, "operations.get"],
  ["getOperations", {}, "operations.list"],
])("an interrupted run ends %s at once: %j", async (name, args, route) => {
  const bench = await useBench();
  const { admin, projectId } = bench.emulator;
  admin.addFault({ route, effect: { kind: "stall-headers" } });
  const stop = new AbortController();
  const call = callFunction(bench.account(), name, { projectId, ...args }, { signal: stop.signal });
  const ended = expect(call).rejects.toMatchObject({ kind: "cancelled" });
  while (admin.counts().byRoute[route] !== 1) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await ended;
});
