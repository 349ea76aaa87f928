import { describe, expect, it } from "vitest";
import { differences } from "../../../provider/endpoint/differences";
import { sizeOutputs, toBody, toCreateBody, toInputs, toState } from "../../../provider/endpoint/mapping";
import type { EndpointInputs, EndpointProperty } from "../../../provider/endpoint/properties";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { specification } from "../../../provider/platform/profiles/profiles";
import type { EndpointRecord } from "../../../provider/platform/records";

const base = { projectId: "p-1", branchId: "br-a", type: "read_write" } as const;
const record: EndpointRecord = {
  id: "ep-one",
  projectId: "p-1",
  branchId: "br-a",
  type: "read_write",
  host: "ep-one.aws-eu.db.test",
  proxyHost: "aws-eu.db.test",
  regionId: "aws-eu",
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
  maxConnections: 450,
  suspendTimeoutSeconds: 60,
  pgSettings: { work_mem: "4MB" },
  poolerEnabled: true,
  poolerMode: "session",
  disabled: false,
  passwordlessAccess: true,
  createdAt: "2024-05-01T10:00:00Z",
  updatedAt: "2024-05-01T11:00:00Z",
};

describe("toCreateBody", () => {
  it.each<[string, EndpointInputs, Record<string, unknown>]>([
    ["the least", base, {}],
    ["libraries", { ...base, preloadLibraries: ["a"] }, { preloadLibraries: ["a"], pgSettings: {} }],
    ["a fixed size", { ...base, sizeCu: 2 }, { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 }],
    [
      "everything",
      {
        ...base,
        autoscalingLimitMinCu: 0.25,
        autoscalingLimitMaxCu: 4,
        suspendTimeoutSeconds: -1,
        poolerEnabled: true,
        poolerMode: "session",
        pgSettings: { work_mem: "4MB" },
        disabled: true,
        passwordlessAccess: false,
        adoptExisting: false,
        restartTrigger: "x",
      },
      {
        autoscalingLimitMinCu: 0.25,
        autoscalingLimitMaxCu: 4,
        suspendTimeoutSeconds: -1,
        poolerEnabled: true,
        poolerMode: "session",
        pgSettings: { work_mem: "4MB" },
        disabled: true,
        passwordlessAccess: false,
      },
    ],
  ])("sends %s", (_, inputs, expected) => {
    expect(toCreateBody(inputs, "mark")).toEqual({
      branchId: "br-a",
      type: "read_write",
      name: "mark",
      ...expected,
    });
  });
});

describe("toBody", () => {
  it.each<[string, EndpointInputs, EndpointProperty[], Record<string, unknown>]>([
    ["nothing", { ...base, sizeCu: 2, poolerEnabled: true }, [], {}],
    ["a move", { ...base, branchId: "br-b" }, ["branchId"], { branchId: "br-b" }],
    [
      "both limits for one of them",
      { ...base, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
      ["autoscalingLimitMaxCu"],
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
    ],
    [
      "the defaults of what is no longer set",
      base,
      [
        "suspendTimeoutSeconds",
        "poolerEnabled",
        "poolerMode",
        "pgSettings",
        "disabled",
        "passwordlessAccess",
        "sizeCu",
      ],
      {
        suspendTimeoutSeconds: 0,
        poolerEnabled: false,
        poolerMode: "transaction",
        pgSettings: {},
        disabled: false,
      },
    ],
    ["no value twice", { ...base, disabled: false }, ["disabled", "disabled"], { disabled: false }],
  ])("sends %s", (_, inputs, changed, expected) => {
    expect(toBody(inputs, changed)).toEqual(expected);
  });
});

describe("toState and toInputs", () => {
  it("tell what the platform says, and what follows from the size", () => {
    expect(toState(record)).toEqual({
      projectId: "p-1",
      branchId: "br-a",
      type: "read_write",
      endpointId: "ep-one",
      host: "ep-one.aws-eu.db.test",
      pooledHost: "ep-one-pooler.aws-eu.db.test",
      proxyHost: "aws-eu.db.test",
      regionId: "aws-eu",
      createdAt: "2024-05-01T10:00:00Z",
      autoscalingLimitMinCu: 1,
      autoscalingLimitMaxCu: 4,
      suspendTimeoutSeconds: 60,
      poolerEnabled: true,
      poolerMode: "session",
      pgSettings: { work_mem: "4MB" },
      disabled: false,
      passwordlessAccess: true,
      maxConnections: 450,
    });
  });

  it("have both forms of a fixed size, and no field that the platform changes by itself", () => {
    const fixed = { ...record, autoscalingLimitMaxCu: 1, currentState: "idle", lastActive: "2024-05-01T12:00:00Z" };
    expect(toInputs(fixed)).toMatchObject({ sizeCu: 1, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 });
    for (const field of ["currentState", "pendingState", "lastActive", "updatedAt", "name"]) {
      expect(toState(fixed)).not.toHaveProperty(field);
    }
  });

  it("fill in what some platforms leave out", () => {
    const { proxyHost: _, regionId: __, ...sparse } = record;
    const state = toState({ ...sparse, host: "another.host" });
    expect(state).toMatchObject({ proxyHost: "", regionId: "", pooledHost: "another.host" });
  });

  it.each([
    "suspendTimeoutSeconds",
    "poolerEnabled",
    "poolerMode",
    "pgSettings",
    "disabled",
    "passwordlessAccess",
  ] as const)("say nothing of %s where the platform does not tell it, so that it counts as it was sent", (name) => {
    const sent = { ...base, suspendTimeoutSeconds: 60, poolerEnabled: true, poolerMode: "session" } as const;
    const inputs = { ...sent, pgSettings: { work_mem: "4MB" }, disabled: true, passwordlessAccess: false };
    const untold = { ...record, disabled: true, passwordlessAccess: false, [name]: undefined };
    const state = { ...inputs, ...toState(untold as EndpointRecord) };
    expect(toState(untold as EndpointRecord)).not.toHaveProperty(name);
    expect(differences(state, inputs, new Set([name]))).toEqual({});
  });

  it.each([
    [1, 4, { maxConnections: 450 }],
    [UNKNOWN, 4, { maxConnections: UNKNOWN }],
    [1, UNKNOWN, { maxConnections: 450 }],
    [9, 9, {}],
  ] as const)("know the figures of %s to %s CU", (min, max, expected) => {
    expect(sizeOutputs(min, max, specification)).toEqual({
      autoscalingLimitMinCu: min,
      autoscalingLimitMaxCu: max,
      ...expected,
    });
  });
});
