import { describe, expect, it } from "vitest";
import { differences, setIn } from "../../../provider/endpoint/differences";
import { sizeOutputs, toCreateBody, toInputs, toState } from "../../../provider/endpoint/mapping";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { specification } from "../../../provider/platform/profiles/profiles";
import type { EndpointRecord } from "../../../provider/platform/records";
import { endpointRecord } from "../../support/samples";

const base = { projectId: "p-1", branchId: "br-a", type: "read_write" } as const;
const record = endpointRecord({
  ...base,
  ...{ id: "ep-one", host: "ep-one.aws-eu.db.test", proxyHost: "aws-eu.db.test", regionId: "aws-eu" },
  ...{ autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4, maxConnections: 450, suspendTimeoutSeconds: 60 },
  ...{ pgSettings: { work_mem: "4MB" }, poolerMode: "session" },
});

it.each<[string, EndpointInputs, Record<string, unknown>]>([
  ["the least", base, {}],
  ["libraries", { ...base, preloadLibraries: ["a"] }, { preloadLibraries: ["a"], pgSettings: {} }],
  ["a fixed size", { ...base, sizeCu: 2 }, { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 }],
])("toCreateBody sends %s", (_, inputs, expected) => {
  expect(toCreateBody(inputs, setIn(inputs), "mark")).toEqual({
    branchId: "br-a",
    type: "read_write",
    name: "mark",
    ...expected,
  });
});

describe("toState and toInputs", () => {
  it("tell what the platform says and what follows from it, and no field that the platform changes by itself", () => {
    const passing = { currentState: "idle", pendingState: "active", lastActive: "2024-05-01T12:00:00Z" };
    const { id: endpointId, updatedAt: _, currentState: __, ...told } = record;
    const pooledHost = "ep-one-pooler.aws-eu.db.test";
    const state = { ...told, endpointId, pooledHost };
    const marked = { ...record, ...passing, name: "pulumi-main-0123456789ab-00000000" };
    expect(toState(marked as EndpointRecord)).toEqual(state);
    expect(toState({ ...marked, name: "n" } as EndpointRecord)).toEqual({ ...state, name: "n" });
  });

  it("have both forms of a fixed size", () => {
    const fixed = { sizeCu: 1, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 };
    expect(toInputs({ ...record, autoscalingLimitMaxCu: 1 })).toMatchObject(fixed);
  });

  it("fill in what some platforms leave out", () => {
    const { proxyHost: _, regionId: __, ...sparse } = record;
    const state = toState({ ...sparse, host: "another.host" });
    expect(state).toMatchObject({ proxyHost: "", regionId: "", pooledHost: "another.host" });
  });

  it("say nothing of what the platform does not tell, so that it counts as it was sent", () => {
    const untold = { ...record, poolerEnabled: undefined } as unknown as EndpointRecord;
    expect(toState(untold)).not.toHaveProperty("poolerEnabled");
    const sent = { ...base, poolerEnabled: false };
    expect(differences({ ...sent, ...toState(untold) }, sent, new Set(["poolerEnabled"]))).toEqual({});
  });

  it.each([
    [1, 4, { maxConnections: 450 }],
    [UNKNOWN, 4, { maxConnections: UNKNOWN }],
    [9, 9, {}],
  ] as const)("know the figures of %s to %s CU", (min, max, expected) => {
    expect(sizeOutputs(min, max, specification)).toEqual({
      autoscalingLimitMinCu: min,
      autoscalingLimitMaxCu: max,
      ...expected,
    });
  });
});
