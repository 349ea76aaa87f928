import { describe, expect, it } from "vitest";
import { EndpointSnapshot } from "../../../../provider/platform/project/endpoint-cache";
import type { EndpointRecord } from "../../../../provider/platform/records";

const endpoint = (id: string, name?: string): EndpointRecord => ({
  id,
  projectId: "p",
  branchId: "br-a",
  type: "read_write",
  ...(name !== undefined && { name }),
});
const idsOf = (records: readonly EndpointRecord[]) => records.map(({ id }) => id);

describe("the endpoints of a name", () => {
  it("are those that differ in its last part alone", () => {
    const snapshot = new EndpointSnapshot([
      endpoint("ep-1", "pulumi-app-12ab-0001"),
      endpoint("ep-2", "pulumi-app-12ab-0002"),
      endpoint("ep-3", "pulumi-app-12ab-0003-x"),
      endpoint("ep-4", "pulumi-app-12ab"),
      endpoint("ep-5"),
    ]);
    expect(idsOf(snapshot.named("pulumi-app-12ab"))).toEqual(["ep-1", "ep-2"]);
    expect(snapshot.named("pulumi")).toEqual([]);
  });

  it("follow every change", () => {
    const snapshot = new EndpointSnapshot([endpoint("ep-1", "a-1"), endpoint("ep-2", "a-2")]);
    snapshot.put(endpoint("ep-1", "b-1"));
    snapshot.remove("ep-2");
    expect(idsOf(snapshot.named("a"))).toEqual([]);
    expect(idsOf(snapshot.named("b"))).toEqual(["ep-1"]);
  });
});
