import { describe, expect, it } from "vitest";
import { endpointProperties } from "../../../provider/endpoint/properties";
import { ignoredOf } from "../../../provider/fleet/parse-fleet";

const member = {
  key: "pr-1",
  inputs: { branchId: "br-a", sizeCu: 1, poolerMode: "session", suspendTimeoutSeconds: 60 },
};
const defaults = { sizeCu: 1, suspendTimeoutSeconds: 300 };
const inputsBefore = (inputs: object, notes: object = {}) => ({ endpoints: { "pr-1": inputs }, ...notes });

describe("what ignoreChanges names of a member", () => {
  it.each<[string, readonly string[]]>([
    ['endpoints["pr-1"].sizeCu', ["sizeCu"]],
    ["endpoints.pr-1.sizeCu", ["sizeCu"]],
    ["endpoints[*].branchId", ["branchId"]],
    ["endpoints", endpointProperties],
    ["*", endpointProperties],
    ['endpoints["pr-1"]', endpointProperties],
    ["endpoints.*", endpointProperties],
    ['endpoints["pr-2"].sizeCu', []],
    ['endpoints["pr-1"].protect', []],
    ['endpoints["pr-1"].pgSettings.work_mem', []],
    ["sizeCu", []],
    ["maxDeletions", []],
    ["defaults.sizeCu", ["sizeCu"]],
    ["defaults.poolerMode", []],
    ["defaults", ["sizeCu"]],
    ["defaults[*]", ["sizeCu"]],
  ])("%s", (path, names) => {
    expect(ignoredOf(member, { ignoreChanges: [path], defaults })).toEqual(new Set(names));
  });

  it("is what any of the paths names", () => {
    const ignoreChanges = ['endpoints["pr-1"].poolerMode', "defaults.sizeCu"];
    expect(ignoredOf(member, { ignoreChanges, defaults })).toEqual(new Set(["sizeCu", "poolerMode"]));
  });

  it.each<[string, object | undefined, boolean]>([
    ["of a new member", { endpoints: {} }, true],
    ["that it had before", inputsBefore({ sizeCu: 1 }), true],
    ["that it had before a refresh", inputsBefore({ sizeCu: 4 }, { __drifted: { "pr-1": ["sizeCu"] } }), true],
    ["that was its own before", inputsBefore({ sizeCu: 4 }), false],
  ])("counts a value as the default's: %s", (_, oldInputs, isIgnored) => {
    const found = ignoredOf(member, { ignoreChanges: ["defaults"], defaults, oldInputs: { ...oldInputs } });
    expect(found.has("sizeCu")).toBe(isIgnored);
  });
});
