import { PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { describe, expect, it } from "vitest";
import type { DiffResult } from "../../../../provider/endpoint/diff";
import { UNKNOWN } from "../../../../provider/lib/unknown";
import { toDiffResponse } from "../../../../provider/pulumi/plugin/calls";

type Properties = DiffResult["properties"];

const kinds = Object.fromEntries(Object.entries(PropertyDiff.Kind).map(([name, value]) => [value, name]));

function respond(properties: Properties) {
  const changes = Object.keys(properties).length > 0;
  return toDiffResponse({ changes, replaces: false, properties, deletesFirst: false, messages: [] });
}

/** The kinds of the response, by path. */
function kindsOf(response: ReturnType<typeof respond>): Record<string, string | undefined> {
  return Object.fromEntries(
    [...response.getDetaileddiffMap().entries()].map(([path, one]) => [path, kinds[one.getKind()]]),
  );
}

describe("a detailed diff", () => {
  it.each<[Properties, Record<string, string>, string[]]>([
    [{ sizeCu: { change: "update" } }, { sizeCu: "UPDATE" }, []],
    [{ poolerEnabled: { change: "add" } }, { poolerEnabled: "ADD" }, []],
    [{ disabled: { change: "delete" } }, { disabled: "DELETE" }, []],
    [{ type: { change: "update", replaces: "why" } }, { type: "UPDATE_REPLACE" }, ["type"]],
    [{ projectId: { change: "add", replaces: "why" } }, { projectId: "ADD_REPLACE" }, ["projectId"]],
    [{ branchId: { change: "delete", replaces: "why" } }, { branchId: "DELETE_REPLACE" }, ["branchId"]],
  ])("of %j", (properties, expected, replaces) => {
    const response = respond(properties);
    expect(kindsOf(response)).toEqual(expected);
    expect(response.getDiffsList()).toEqual(Object.keys(properties));
    expect(response.getReplacesList()).toEqual(replaces);
    expect(response.getHasdetaileddiff()).toBe(true);
  });

  it("names each setting, in quotes where its name is no plain one", () => {
    const before = { work_mem: "1MB", "my.name": "a", same: "x", 'odd"one': "1" };
    const after = { work_mem: "2MB", "my.name": "b", same: "x", log_statement: "all" };
    expect(kindsOf(respond({ pgSettings: { change: "update", before, after } }))).toEqual({
      "pgSettings.work_mem": "UPDATE",
      'pgSettings["my.name"]': "UPDATE",
      'pgSettings["odd\\"one"]': "DELETE",
      "pgSettings.log_statement": "ADD",
    });
  });

  it("names all settings where they go altogether, and none where they are not known", () => {
    const before = { work_mem: "1MB" };
    expect(kindsOf(respond({ pgSettings: { change: "delete", before, after: {} } }))).toEqual({
      "pgSettings.work_mem": "DELETE",
    });
    for (const olds of [{}, before]) {
      const unknown = respond({ pgSettings: { change: "update", before: olds, after: UNKNOWN } });
      expect(kindsOf(unknown)).toEqual({ pgSettings: "UPDATE" });
    }
  });

  it("says there is no change where there is none, and what no update changes", () => {
    const response = respond({});
    expect(response.getChanges()).toBe(1);
    expect(response.getStablesList()).toEqual(expect.arrayContaining(["host", "endpointId", "projectId"]));
    expect(respond({ projectId: { change: "update", replaces: "why" } }).getStablesList()).not.toContain("projectId");
  });
});
