import { describe, expect, it } from "vitest";
import { endpointProperties } from "../../../../provider/endpoint/properties";
import { ignoredProperties } from "../../../../provider/pulumi/fleet/plan";

const member = {
  key: "pr-1",
  inputs: { branchId: "br-a", sizeCu: 1, poolerMode: "session", suspendTimeoutSeconds: 60 },
};
const defaults = { sizeCu: 1, suspendTimeoutSeconds: 300 };

describe("what ignoreChanges names of a member", () => {
  it.each<[string, readonly string[]]>([
    ['endpoints["pr-1"].sizeCu', ["sizeCu"]],
    ["endpoints.pr-1.sizeCu", ["sizeCu"]],
    ["endpoints[*].branchId", ["branchId"]],
    ["endpoints", endpointProperties],
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
  ])("%s", (path, names) => {
    expect(new Set(ignoredProperties([path], member, defaults))).toEqual(new Set(names));
  });

  it("is what any of the paths names", () => {
    const paths = ['endpoints["pr-1"].poolerMode', "defaults.sizeCu"];
    expect(new Set(ignoredProperties(paths, member, defaults))).toEqual(new Set(["sizeCu", "poolerMode"]));
  });
});
