import { describe, expect, it } from "vitest";
import { description } from "../../../../emulator/tests/api/support/description";
import { toState } from "../../../../provider/endpoint/mapping";
import type { EndpointRecord } from "../../../../provider/platform/records";
import {
  branchAnswer,
  branchesAnswer,
  changeAnswer,
  decode,
  deletionAnswer,
  encodeEndpoint,
  endpointAnswer,
  endpointsAnswer,
  operationAnswer,
  operationsAnswer,
  projectsAnswer,
} from "../../../../provider/platform/wire/answers";
import { wireEndpoint, wireOperation } from "../../../support/samples";

const ESC = String.fromCharCode(0x1b);

describe("endpoints", () => {
  it("are decoded into the provider's names", () => {
    expect(decode(endpointAnswer, { endpoint: wireEndpoint() })).toEqual({
      ok: true,
      value: {
        id: "ep-calm-sea-1",
        projectId: "p-one",
        branchId: "br-main-1",
        type: "read_write",
        host: "ep-calm-sea-1.eu-central-1.aws.example.com",
        proxyHost: "eu-central-1.aws.example.com",
        regionId: "aws-eu-central-1",
        currentState: "init",
        pendingState: "active",
        autoscalingLimitMinCu: 0.25,
        autoscalingLimitMaxCu: 2,
        suspendTimeoutSeconds: 0,
        pgSettings: { work_mem: "64MB" },
        poolerEnabled: false,
        poolerMode: "transaction",
        disabled: false,
        passwordlessAccess: true,
        createdAt: "2025-01-01T00:00:00Z",
        updatedAt: "2025-01-01T00:00:00Z",
      },
    });
  });

  it.each([
    ["an unknown state", { current_state: "hibernating" }, { currentState: "hibernating" }],
    ["an unknown pooler mode", { pooler_mode: "statement" }, { poolerMode: "statement" }],
    [
      "numbers and switches as settings",
      { settings: { pg_settings: { a: 1, b: true } } },
      { pgSettings: { a: "1", b: "true" } },
    ],
    ["a null setting", { settings: { pg_settings: { a: null } } }, { pgSettings: {} }],
    ["settings without pg_settings", { settings: { pgbouncer_settings: {} } }, { pgSettings: {} }],
    ["a new text", { compute_release_version: `9${ESC}[0m` }, { computeReleaseVersion: "9" }],
    ["a new number", { quota_2_gb: 7 }, { quota2Gb: 7 }],
    [
      "times without a zone",
      { created_at: "2025-01-01T00:00:00", updated_at: "2025-01-01 00:00:01.5", last_active: "2025-01-01T00:00" },
      {
        createdAt: "2025-01-01T00:00:00Z",
        updatedAt: "2025-01-01 00:00:01.5Z",
        lastActive: "2025-01-01T00:00Z",
      },
    ],
    ["an escape in the state", { current_state: `idle${ESC}[2J` }, { currentState: "idle" }],
    [
      "an escape in a setting",
      { settings: { pg_settings: { [`a${ESC}[0m`]: "x\u0007" } } },
      { pgSettings: { a: "x" } },
    ],
  ])("tolerate %s", (_, change, expected) => {
    const result = decode(endpointAnswer, { endpoint: wireEndpoint(change) });
    expect(result).toMatchObject({ ok: true, value: expected });
  });

  it.each(["2000-01-01T00:00:00Z", "2000-01-01T00:00:00.000Z", "2000-01-01 00:00:00", "0001-01-01T00:00:00Z"])(
    "take %s for never, where it says when an endpoint last did something",
    (never) => {
      const change = { last_active: never, started_at: never, suspended_at: never, created_at: never };
      const result = decode(endpointAnswer, { endpoint: wireEndpoint(change) });
      if (!result.ok) throw new Error(result.reason);
      expect(result.value.createdAt?.slice(0, 10)).toBe(never.slice(0, 10));
      for (const name of ["lastActive", "startedAt", "suspendedAt"]) expect(result.value).not.toHaveProperty(name);
    },
  );

  it("take nothing from hosts, slugs and groups", () => {
    const host = "ep-other.c-2.eu-central-1.aws.neon.tech";
    const group = { size: { min: 1, max: 4 }, allow_readable_secondaries: true, computes: [{ id: "c-1", host }] };
    const slugs = { slug: "ep-one", branch_slug: "main", project_slug: "shop" };
    const hosts = { read_write_host: host, read_write_pooled_host: host };
    const [plain, grown] = [{}, { hosts, group, ...slugs }].map((change) => {
      const result = decode(endpointAnswer, { endpoint: wireEndpoint(change) });
      if (!result.ok) throw new Error(result.reason);
      return result.value;
    });
    expect(grown).not.toHaveProperty("hosts");
    expect(grown).not.toHaveProperty("group");
    expect(toState(grown as EndpointRecord)).toEqual(toState(plain as EndpointRecord));
  });

  it("leave out what is null or absent, and a name that is empty", () => {
    const absent = { pending_state: null, last_active: undefined, name: "", suspend_timeout_seconds: null };
    const switches = { pooler_enabled: null, disabled: undefined, passwordless_access: null };
    const change = { ...absent, ...switches, settings: null, brand_new: null };
    const result = decode(endpointAnswer, { endpoint: wireEndpoint(change) });
    if (!result.ok) throw new Error(result.reason);
    for (const key of Object.keys(change).map(inCamelCase).concat("pgSettings", "otherSettings")) {
      expect(Object.hasOwn(result.value, key)).toBe(false);
    }
  });

  it("bound what a string may hold", () => {
    const result = decode(endpointAnswer, { endpoint: wireEndpoint({ host: "h".repeat(100_000) }) });
    expect(result.ok && result.value.host?.length).toBe(1_024);
  });

  type Refused = [change: Record<string, unknown>, reason: string];

  it.each<Refused>([
    [{ autoscaling_limit_min_cu: "1" }, "endpoint.autoscaling_limit_min_cu: expected number, got string"],
    ...["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"].flatMap((name) =>
      [-5, 0, -0.25, 2 ** 63].map((cu): Refused => [{ [name]: cu }, `endpoint.${name}: is a number that cannot be`]),
    ),
    ...[-5, -2, 2 ** 31, 2 ** 53 - 1].map(
      (seconds): Refused => [
        { suspend_timeout_seconds: seconds },
        "endpoint.suspend_timeout_seconds: is a number that cannot be",
      ],
    ),
    ...[0.5, -0.5, 300.25].map(
      (seconds): Refused => [
        { suspend_timeout_seconds: seconds },
        "endpoint.suspend_timeout_seconds: expected int, got number",
      ],
    ),
    [
      { suspend_timeout_seconds: Number.POSITIVE_INFINITY },
      "endpoint.suspend_timeout_seconds: expected number, got Infinity",
    ],
    [{ suspend_timeout_seconds: "NaN" }, "endpoint.suspend_timeout_seconds: expected number, got string"],
    [{ host: null }, "endpoint.host: expected string, got nothing"],
    [{ disabled: "false" }, "endpoint.disabled: expected boolean, got string"],
    [{ settings: [] }, "endpoint.settings: expected object, got array"],
    [
      { settings: { pg_settings: { a: {} } } },
      "endpoint.settings.pg_settings.a: expected string, number or boolean, got object",
    ],
    [{ id: "../../etc" }, "endpoint.id: is not a legal id"],
    [{ id: "" }, "endpoint.id: is not a legal id"],
    [{ branch_id: "x".repeat(61) }, "endpoint.branch_id: is not a legal id"],
  ])("refuse %j", (change, reason) => {
    expect(decode(endpointAnswer, { endpoint: wireEndpoint(change) })).toEqual({ ok: false, reason });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a null host", { host: null }, { host: undefined, currentState: "init" }],
    ["null dates", { created_at: null, updated_at: undefined }, { createdAt: undefined, updatedAt: undefined }],
    ["a switch that is text", { disabled: "false" }, { disabled: undefined, type: "read_write" }],
    ["odd settings", { settings: [1] }, { pgSettings: undefined, host: expect.stringMatching(/^ep-calm/) }],
    ["a type that is no text", { type: 7 }, { type: "" }],
    ["no project", { project_id: null }, { projectId: "" }],
    [
      "a size that cannot be",
      { autoscaling_limit_max_cu: -5 },
      { autoscalingLimitMaxCu: undefined, type: "read_write" },
    ],
    ["a delay that cannot be", { suspend_timeout_seconds: 0.5 }, { suspendTimeoutSeconds: undefined }],
  ])("of others do not fail a list for %s, and keep the rest", (_, change, expected) => {
    const list = { endpoints: [wireEndpoint({ id: "ep-2", ...change }), wireEndpoint()] };
    const result = decode(endpointsAnswer, list);
    if (!result.ok) throw new Error(result.reason);
    const told = Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined));
    expect(result.value).toMatchObject([
      { id: "ep-2", branchId: "br-main-1", ...told },
      { id: "ep-calm-sea-1", autoscalingLimitMinCu: 0.25 },
    ]);
    for (const name of Object.keys(expected)) expect(name in (result.value[0] ?? {})).toBe(name in told);
  });

  it.each([{ id: 5 }, { id: null }, { branch_id: "../x" }, { branch_id: undefined }])(
    "with %j are left out",
    (change) => {
      const list = { endpoints: [wireEndpoint(change), "odd", null, wireEndpoint()] };
      const result = decode(endpointsAnswer, list);
      expect(result.ok && result.value.map(({ id }) => id)).toEqual(["ep-calm-sea-1"]);
    },
  );

  it.each([{}, { endpoints: null }, { endpoints: {} }, []])("are not made of a list like %j", (json) => {
    expect(decode(endpointsAnswer, json).ok).toBe(false);
  });

  it.each([
    [{ pgSettings: { work_mem: "1MB" } }, { pg_settings: { work_mem: "1MB" } }],
    [
      { pgSettings: {}, otherSettings: { preload_libraries: {} } },
      { preload_libraries: {}, pg_settings: {} },
    ],
    [{ otherSettings: { preload_libraries: {} } }, { preload_libraries: {} }],
    [
      {
        preloadLibraries: ["a"],
        otherSettings: { preload_libraries: { use_defaults: true, enabled_libraries: ["b"] } },
      },
      { preload_libraries: { use_defaults: true, enabled_libraries: ["a"] } },
    ],
  ])("encode %j as settings", (body, settings) => {
    expect(encodeEndpoint(body)).toEqual({ settings });
  });

  it("never repeat an escape in the reason", () => {
    const json = { endpoint: wireEndpoint({ settings: { pg_settings: { [`${ESC}[31mx`]: [] } } }) };
    const result = decode(endpointAnswer, json);
    expect(result.ok ? "" : result.reason).not.toContain(ESC);
  });
});

describe("other answers", () => {
  it("take absent operations for none", () => {
    expect(decode(changeAnswer, { endpoint: wireEndpoint() })).toMatchObject({ ok: true, value: { operations: [] } });
    const value = { endpoint: {}, operations: [] };
    expect(decode(deletionAnswer, {})).toEqual({ ok: true, value });
    expect(decode(deletionAnswer, { endpoint: "whatever", operations: null })).toEqual({ ok: true, value });
  });

  it("take the default branch for the primary one, and nothing that is not known", () => {
    expect(decode(branchAnswer, { branch: { id: "br-1", project_id: "p", default: true, more: 1 } })).toEqual({
      ok: true,
      value: { id: "br-1", projectId: "p", primary: true },
    });
  });

  it.each([
    [undefined, "the answer: expected object, got nothing"],
    [null, "the answer: expected object, got null"],
    [[], "the answer: expected object, got array"],
    ["x", "the answer: expected object, got string"],
    [{}, "branch: expected object, got nothing"],
  ])("refuse %j as a branch's", (json, reason) => {
    expect(decode(branchAnswer, json)).toEqual({ ok: false, reason });
  });
});

function inCamelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

describe("operations", () => {
  it("are decoded into the provider's names, with an unknown status, an id that is no UUID and no branch", () => {
    const known = { error: `bad${ESC}[31m\nthings`, retry_at: "2025-01-01T00:00:09Z", total_duration_ms: 12 };
    const odd = { id: "Op-123", status: "pondering", branch_id: null };
    expect(decode(operationAnswer, { operation: wireOperation({ ...known, ...odd }) })).toEqual({
      ok: true,
      value: {
        id: "Op-123",
        projectId: "p-one",
        endpointId: "ep-calm-sea-1",
        action: "start_compute",
        status: "pondering",
        failuresCount: 0,
        createdAt: "2025-01-01T00:00:00Z",
        updatedAt: "2025-01-01T00:00:00Z",
        error: "bad things",
        retryAt: "2025-01-01T00:00:09Z",
        totalDurationMs: 12,
      },
    });
  });

  it.each([
    [{ id: "a/b" }, "operation.id: is not a legal id"],
    [{ status: 3 }, "operation.status: expected string, got number"],
    [{ failures_count: "0" }, "operation.failures_count: expected number, got string"],
  ])("refuse %j", (change, reason) => {
    expect(decode(operationAnswer, { operation: wireOperation(change) })).toEqual({ ok: false, reason });
  });
});

describe("pages of operations", () => {
  it("show what can be read of each, since most are somebody else's", () => {
    const odd = { endpoint_id: "", branch_id: 7, updated_at: null, failures_count: "none", retry_at: 1 };
    const result = decode(operationsAnswer, { operations: [wireOperation(), wireOperation(odd)] });
    if (!result.ok) throw new Error(result.reason);
    const [whole, part] = result.value.items;
    expect(part).toMatchObject({ id: whole?.id, status: "running", failuresCount: 0, updatedAt: "" });
    expect(part).not.toHaveProperty("endpointId");
  });

  it.each([
    [{ operations: [] }, undefined],
    [{ operations: [], pagination: null }, undefined],
    [{ operations: [], pagination: { cursor: "" } }, undefined],
    [{ operations: [], pagination: { cursor: null } }, undefined],
    [{ operations: [], pagination: { cursor: "c1" } }, "c1"],
  ])("%j has the cursor %s", (json, cursor) => {
    const result = decode(operationsAnswer, json);
    expect(result.ok && result.value.cursor).toBe(cursor);
  });
});

/** Every example that the platform's own description has of what the provider reads, and how the provider reads it. */
const decoders: [method: string, path: string, status: string, schema: Parameters<typeof decode>[0]][] = [
  ["get", "/projects", "200", projectsAnswer],
  ["get", "/projects/{project_id}/branches", "200", branchesAnswer],
  ["get", "/projects/{project_id}/branches/{branch_id}", "200", branchAnswer],
  ["get", "/projects/{project_id}/branches/{branch_id}/endpoints", "200", endpointsAnswer],
  ["get", "/projects/{project_id}/endpoints", "200", endpointsAnswer],
  ["get", "/projects/{project_id}/endpoints/{endpoint_id}", "200", endpointAnswer],
  ["post", "/projects/{project_id}/endpoints", "201", changeAnswer],
  ["patch", "/projects/{project_id}/endpoints/{endpoint_id}", "200", changeAnswer],
  ["delete", "/projects/{project_id}/endpoints/{endpoint_id}", "200", deletionAnswer],
  ["post", "/projects/{project_id}/endpoints/{endpoint_id}/start", "200", changeAnswer],
  ["post", "/projects/{project_id}/endpoints/{endpoint_id}/suspend", "200", changeAnswer],
  ["post", "/projects/{project_id}/endpoints/{endpoint_id}/restart", "200", changeAnswer],
  ["get", "/projects/{project_id}/operations/{operation_id}", "200", operationAnswer],
];

it.each(decoders)(
  "the provider reads the example of the published description: %s %s (%s)",
  (method, path, status, schema) => {
    const response = description.paths[path]?.[method]?.responses?.[status];
    const example = response?.content?.["application/json"]?.example;
    expect(example).toBeDefined();
    expect(decode(schema, example)).toMatchObject({ ok: true });
  },
);
