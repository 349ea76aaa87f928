import { describe, expect, it } from "vitest";
import { formatId, parseId } from "../../../provider/endpoint/identity";

describe("the resource id", () => {
  it("is PROJECT/ENDPOINT both ways", () => {
    expect(parseId(formatId({ projectId: "p-1", endpointId: "ep-1" }))).toEqual({
      projectId: "p-1",
      endpointId: "ep-1",
    });
  });

  it.each([
    "",
    "ep-1",
    "p-1/",
    "/ep-1",
    "p-1/ep-1/x",
    "p-1/br-1",
    "../ep-1",
    "p-1/ep-%2f",
    "P-1/ep-1",
    `p-1/ep-${"x".repeat(10_000)}`,
    "p 1/ep-1",
    "p-1/ep-1\n",
  ])("is not %j", (id) => {
    expect(() => parseId(id)).toThrow(
      id === "p-1/br-1"
        ? /^"br-1" is not the id of an endpoint: it begins with ep-/
        : /is not the id of an endpoint: write PROJECT\/ENDPOINT/,
    );
    expect(() => parseId(id)).toThrow(expect.objectContaining({ kind: "invalid_argument" }));
  });
});
