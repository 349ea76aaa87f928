import { describe, expect, it } from "vitest";
import { BOOKKEEPING, type EndpointState, withBookkeeping } from "../../../provider/endpoint/state";
import { decodeMembers, encodeMembers, type StoredMember, shownOf } from "../../../provider/fleet/state";
import { fc } from "../../support/random";

/** A member's state as an `Endpoint` would have it. */
function stateOf(at: number, changes: EndpointState = {}): EndpointState {
  return withBookkeeping(
    {
      projectId: "quiet-lake-12345678",
      branchId: `br-${at}`,
      type: "read_write",
      sizeCu: 1,
      endpointId: `ep-cool-rain-${at}`,
      host: `ep-cool-rain-${at}.eu.example.com`,
      pooledHost: `ep-cool-rain-${at}-pooler.eu.example.com`,
      proxyHost: "eu.example.com",
      regionId: "aws-eu",
      createdAt: `2024-05-01T10:00:0${at % 10}Z`,
      autoscalingLimitMinCu: 1,
      autoscalingLimitMaxCu: 1,
      maxConnections: 450,
      pgSettings: {},
      ...changes,
    },
    { set: ["projectId", "branchId", "type", "sizeCu"] },
  );
}

/** What a state file gives back. */
function stored(members: Map<string, StoredMember>) {
  return JSON.parse(JSON.stringify(encodeMembers(members)));
}

describe("the state of a fleet", () => {
  const members = new Map<string, StoredMember>([
    ["pr-1", { state: stateOf(1) }],
    ["pr-2", { state: stateOf(2, { regionId: "aws-us" }), protect: true, importId: "p-1/ep-2" }],
    ["constructor", { state: stateOf(3), retainOnDelete: true }],
    ["4", { state: stateOf(4) }],
  ]);

  it("gives back each member's state whole, with its options", () => {
    expect(decodeMembers(stored(members))).toEqual(members);
  });

  it("shows of a member its hosts and what the program set, and no more", () => {
    expect(Object.keys(stored(members).endpoints["pr-1"]).sort()).toEqual([
      "branchId",
      "endpointId",
      "host",
      "pooledHost",
      "projectId",
      "sizeCu",
      "type",
    ]);
    expect(shownOf(stateOf(1))).toEqual(stored(members).endpoints["pr-1"]);
  });

  it("writes what most members have once", () => {
    const text = stored(members)[BOOKKEEPING];
    expect(text.split("aws-eu").length - 1).toBe(1);
    expect(JSON.parse(text).members["pr-1"]).toEqual({ state: { createdAt: "2024-05-01T10:00:01Z" } });
  });

  it("reads a member that the text does not know by its outputs", () => {
    const { endpoints } = stored(members);
    expect(decodeMembers({ endpoints }).get("pr-1")).toEqual({ state: endpoints["pr-1"] });
  });

  it("has what is secret beside its text, where the rest can be read without", () => {
    const within = [["autoscalingLimitMinCu"], [BOOKKEEPING, "set"], ["projectId"], ["importId"]];
    const places = within.map((place) => ["endpoints", "pr-2", ...place]);
    const sealed = JSON.parse(JSON.stringify(encodeMembers(members, places)));
    expect(decodeMembers(sealed)).toEqual(members);
    const { "pr-2": told, ...others } = sealed.endpoints;
    expect(told).toMatchObject({ autoscalingLimitMinCu: 1, importId: "p-1/ep-2", [BOOKKEEPING]: { v: 2 } });
    const { "pr-2": _, ...alike } = stored(members).endpoints;
    expect(others).toEqual(alike);
    const { "pr-2": left } = JSON.parse(sealed[BOOKKEEPING]).members;
    expect(Object.keys({ ...left, ...left.state }).sort()).toEqual(["createdAt", "protect", "regionId", "state"]);
  });

  it("is refused as two texts", () => {
    const apart = { v: 2, text: JSON.stringify({ v: 1, common: {}, members: {} }), secret: "{}" };
    expect(() => decodeMembers({ endpoints: {}, [BOOKKEEPING]: apart })).toThrow(/is of form 2, and/);
  });

  it("is refused where its text is none", () => {
    expect(() => decodeMembers({ [BOOKKEEPING]: "{" })).toThrow(expect.objectContaining({ kind: "refused" }));
  });

  it("loses nothing of any members, whatever they have in common", () => {
    const value = fc.oneof(fc.constantFrom("a", "b", 1, true), fc.dictionary(fc.constantFrom("x", "y"), fc.string()));
    const names = ["host", "endpointId", "sizeCu", "regionId", "pgSettings", "maxConnections", "restartTrigger"];
    const state = fc
      .tuple(
        fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true }),
        fc.subarray(["sizeCu", "pgSettings", "restartTrigger"] as const),
      )
      .map(([values, set]) => withBookkeeping(values, { set }));
    const member = fc.record(
      { state, protect: fc.constant(true as const), retainOnDelete: fc.constant(true as const) },
      { requiredKeys: ["state"], noNullPrototype: true },
    );
    const key = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,5}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(key, member)), (entries) => {
        const given = new Map<string, StoredMember>(entries);
        expect(decodeMembers(stored(given))).toEqual(given);
      }),
    );
  });
});
