import { describe, expect, it } from "vitest";
import { createRoutes, idSegment } from "../../../provider/platform/client";
import { isKind } from "../../../provider/platform/errors";

const routes = createRoutes("napi_secret");

describe("routes", () => {
  it.each([
    [routes.listBranches("p"), "GET", "/projects/p/branches", "list the branches of project p"],
    [routes.getBranch("p", "br-1"), "GET", "/projects/p/branches/br-1", "read branch br-1 of project p"],
    [routes.listEndpoints("p"), "GET", "/projects/p/endpoints", "list the endpoints of project p"],
    [
      routes.listBranchEndpoints("p", "br-1"),
      "GET",
      "/projects/p/branches/br-1/endpoints",
      "list the endpoints of branch br-1 of project p",
    ],
    [routes.getEndpoint("p", "ep-1"), "GET", "/projects/p/endpoints/ep-1", "read endpoint ep-1 of project p"],
    [routes.createEndpoint("p", {}), "POST", "/projects/p/endpoints", "create an endpoint in project p"],
    [
      routes.updateEndpoint("p", "ep-1", {}),
      "PATCH",
      "/projects/p/endpoints/ep-1",
      "update endpoint ep-1 of project p",
    ],
    [routes.deleteEndpoint("p", "ep-1"), "DELETE", "/projects/p/endpoints/ep-1", "delete endpoint ep-1 of project p"],
    [
      routes.suspendEndpoint("p", "ep-1"),
      "POST",
      "/projects/p/endpoints/ep-1/suspend",
      "suspend endpoint ep-1 of project p",
    ],
    [routes.startEndpoint("p", "ep-1"), "POST", "/projects/p/endpoints/ep-1/start", "start endpoint ep-1 of project p"],
    [routes.getOperation("p", "Op-1"), "GET", "/projects/p/operations/Op-1", "read operation Op-1 of project p"],
    [
      routes.listOperations("p", undefined, undefined),
      "GET",
      "/projects/p/operations",
      "list the operations of project p",
    ],
  ])("%o", (call, method, path, purpose) => {
    expect(call).toMatchObject({ method, path, purpose });
  });

  it("encodes the cursor and sends it with the limit", () => {
    const call = routes.listOperations("p", 50, "2025-01-01T00:00:00.123456Z&x=é/?#");
    expect(call.query).toBe("limit=50&cursor=2025-01-01T00%3A00%3A00.123456Z%26x%3D%C3%A9%2F%3F%23");
  });

  it.each([0, -1, 1.5, 1_001, Number.NaN])("refuses a page of %s", (limit) => {
    expect(() => routes.listOperations("p", limit, undefined)).toThrow(/1 to 1000/);
  });
});

describe("ids", () => {
  const bad = [
    "",
    "..",
    "../x",
    "a/b",
    "a%2fb",
    "%2e%2e",
    "a b",
    "a?b",
    "a#b",
    "UPPER",
    "ü",
    "a\nb",
    "x".repeat(10_000),
  ];

  it.each(bad)("refuses %j as the id of an endpoint, without a call", (value) => {
    const error = caught(() => routes.getEndpoint("p", value));
    expect(isKind(error, "invalid_argument")).toBe(true);
    expect(String(error)).toContain("id of an endpoint");
    expect(String(error).length).toBeLessThan(250);
  });

  it.each(["project", "branch", "endpoint", "operation"] as const)("names which id it is: %s", (kind) => {
    expect(String(caught(() => idSegment(kind, "../x")))).toContain(`id of a${/^[eo]/.test(kind) ? "n" : ""} ${kind}:`);
  });

  it.each(["", "..", "../x", "a_b", "x".repeat(65)])("refuses %j as the id of an operation", (value) => {
    expect(
      isKind(
        caught(() => routes.getOperation("p", value)),
        "invalid_argument",
      ),
    ).toBe(true);
  });

  it("does not repeat escapes, nor a key that was given as an id", () => {
    expect(String(caught(() => routes.listBranches(`${String.fromCharCode(27)}[31mx`)))).not.toContain("\u001b");
    expect(String(caught(() => routes.listBranches("napi_secret")))).not.toContain("napi_secret");
  });

  it("refuses what is no text at all", () => {
    expect(String(caught(() => idSegment("project", 7 as unknown as string)))).toContain("of type number");
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
