import { describe, expect, it } from "vitest";
import { memberPath } from "../../../provider/fleet/model";
import { type Member, parseFleet } from "../../../provider/fleet/parse-fleet";
import { UNKNOWN } from "../../../provider/lib/unknown";

const limits = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });

function membersOf(raw: Record<string, unknown>): Record<string, Member> {
  const { members, failures } = parseFleet(raw);
  expect(failures).toEqual([]);
  return Object.fromEntries(members ?? []);
}

describe("the inputs of a fleet", () => {
  it("lay the defaults and the project under what a member says itself", () => {
    const { a, b } = membersOf({
      projectId: "p-one",
      defaults: { suspendTimeoutSeconds: 300, branchId: "br-all" },
      endpoints: { a: { branchId: "br-a", projectId: "p-two" }, b: { suspendTimeoutSeconds: 0, type: null } },
    });
    expect(a?.inputs).toEqual({ projectId: "p-two", suspendTimeoutSeconds: 300, branchId: "br-a" });
    expect(b?.inputs).toEqual({ projectId: "p-one", suspendTimeoutSeconds: 0, branchId: "br-all" });
  });

  it.each<[string, object, object, object]>([
    ["two limits leave out a fixed size", { sizeCu: 1 }, limits(1, 2), limits(1, 2)],
    ["a fixed size leaves out the limits", limits(1, 2), { sizeCu: 1 }, { sizeCu: 1 }],
    ["one limit goes with the other one", limits(1, 2), { autoscalingLimitMaxCu: 4 }, limits(1, 4)],
  ])("of a size: %s", (_, defaults, own, inputs) => {
    expect(membersOf({ defaults, endpoints: { a: own } }).a?.inputs).toEqual(inputs);
  });

  it("name where a property was written", () => {
    const { a } = membersOf({ projectId: "p", defaults: { sizeCu: 1 }, endpoints: { a: { branchId: "br-a" } } });
    const places = ["sizeCu", "branchId", "projectId", "pgSettings.work_mem"].map((name) => a?.pathOf(name));
    const all = ["defaults.sizeCu", 'endpoints["a"].branchId', "projectId", 'endpoints["a"].pgSettings.work_mem'];
    expect(places).toEqual(all);
  });

  it("make only that unknown which is not known", () => {
    const { a, b } = membersOf({ projectId: "p", endpoints: { a: { branchId: UNKNOWN }, b: UNKNOWN } });
    expect(a?.inputs).toEqual({ projectId: "p", branchId: UNKNOWN });
    expect(a?.isUnknown).toBeUndefined();
    expect(b).toMatchObject({ isUnknown: true, inputs: { projectId: "p", branchId: UNKNOWN, type: UNKNOWN } });
    expect(parseFleet({ endpoints: UNKNOWN }).members).toBeUndefined();
    expect(membersOf({ defaults: UNKNOWN, endpoints: { c: { sizeCu: 1 } } }).c?.inputs).toMatchObject({
      sizeCu: 1,
      branchId: UNKNOWN,
    });
  });

  it("may leave out by null or undefined what they could say", () => {
    const unset = { protect: null, importId: undefined, sizeCu: null, other: null };
    expect(parseFleet({ ...unset, defaults: unset, endpoints: { a: unset } }).failures).toEqual([]);
  });

  it.each([
    [{}, "endpoints", "required, but not set"],
    [{ endpoints: [] }, "endpoints", "has to be a map of endpoints by their keys"],
    [{ endpoints: {}, endpoint: {} }, "endpoint", 'unknown property; did you mean "endpoints"?'],
    [{ endpoints: {}, defaults: { sizeCU: 1 } }, "defaults.sizeCU", 'unknown property; did you mean "sizeCu"?'],
    [
      { endpoints: {}, defaults: { name: "orders" } },
      "defaults.name",
      "has no default, since all members would get one name: say it in each member, or leave it out",
    ],
    [{ endpoints: {}, defaults: { protect: true } }, "defaults.protect", "an option of a member, which has no default"],
    [{ endpoints: {}, maxDeletions: 1.5 }, "maxDeletions", "has to be a whole number, 0 or more"],
    [{ endpoints: {}, rollout: "5" }, "rollout", "has to be a map: { maxUnavailable, canary, maxFailures }"],
    [
      { endpoints: {}, rollout: { maxSurge: 1 } },
      "rollout.maxSurge",
      "unknown property; known properties: maxUnavailable, canary, maxFailures",
    ],
    [{ endpoints: {}, rollout: { maxFailures: 0 } }, "rollout.maxFailures", "has to be a whole number, 1 or more"],
    [{ endpoints: {}, rollout: { canary: "a" } }, "rollout.canary", "has to be a list of members' keys"],
    [{ endpoints: { a: {} }, rollout: { canary: ["a", "b"] } }, "rollout.canary[1]", "no member has this key"],
    [{ endpoints: { a: 1 } }, 'endpoints["a"]', "has to be a map of an endpoint's inputs"],
    [{ endpoints: { a: { protect: "yes" } } }, 'endpoints["a"].protect', "has to be a boolean, not a string"],
  ])("are refused as data: %j", (raw, property, reason) => {
    expect(parseFleet(raw).failures).toEqual([{ property, reason }]);
  });

  it.each([0, 1.5, "0%", "101%"])("refuse that %j may be away at a time", (maxUnavailable) => {
    const reason = 'has to be a whole number, 1 or more, or per cent of the members, such as "10%"';
    const { failures } = parseFleet({ endpoints: {}, rollout: { maxUnavailable } });
    expect(failures).toEqual([{ property: "rollout.maxUnavailable", reason }]);
  });

  it.each(["", "-a", "a b", "é", "a".repeat(64), "__proto__"])("refuse the key %j", (key) => {
    const { failures, members } = parseFleet({ endpoints: Object.fromEntries([[key, {}]]) });
    expect(failures).toMatchObject([{ property: memberPath(key) }]);
    expect(members?.size).toBe(0);
  });
});

it.each([
  ["in a Check that has it in force", { endpoints: { a: { poolerMode: "pipeline" } } }, []],
  ["in a Check of a new member", { endpoints: {} }, [expect.objectContaining({ property: "poolerMode" })]],
  ["after the Check", undefined, []],
])("a newer platform's value %s", (_, olds, failures) => {
  const { members } = parseFleet({ endpoints: { a: { branchId: "br-a", poolerMode: "pipeline" } } }, olds);
  const found = members?.get("a")?.read.failures.filter(({ property }) => property === "poolerMode");
  expect(found).toEqual(failures);
});
