import { afterAll, describe, expect, it } from "vitest";
import type { Api } from "../../../provider/platform/api";
import { createApi } from "../../../provider/platform/client";

const KEY = "napi_secret_0123456789";
/** Nothing listens there: what is refused is refused before any call. */
const api = createApi({ baseUrl: "http://127.0.0.1:9/api/v2", apiKey: KEY });
afterAll(() => api.close());

const refused = { kind: "invalid_argument", message: expect.stringContaining("No call was made") };

describe("ids", () => {
  const bad = ["", "../x", "a/b", "%2e%2e", "a b", "UPPER", "ü", "a\nb", "x".repeat(10_000)];

  it.each(bad)("refuses %j as the id of an endpoint, without a call", async (value) => {
    const error = await caught((api) => api.getEndpoint("p", value));
    expect(error).toMatchObject(refused);
    expect(error.message).toContain("id of an endpoint");
    expect(error.message.length).toBeLessThan(250);
  });

  it.each<[string, (api: Api) => Promise<unknown>]>([
    ["a project", (api) => api.listBranches("../x")],
    ["a branch", (api) => api.getBranch("p", "../x")],
    ["a branch", (api) => api.createEndpoint("p", { branchId: "../x" })],
    ["an endpoint", (api) => api.deleteEndpoint("p", "../x")],
    ["an operation", (api) => api.getOperation("p", "../x")],
  ])("names which id it is: that of %s", async (which, work) => {
    expect((await caught(work)).message).toContain(`id of ${which}:`);
  });

  it.each(["", "..", "../x", "a_b", "x".repeat(65)])("refuses %j as the id of an operation", async (value) => {
    expect(await caught((api) => api.getOperation("p", value))).toMatchObject(refused);
  });
});

async function caught(work: (api: Api) => Promise<unknown>): Promise<Error> {
  return work(api).then(
    () => {
      throw new Error("nothing was thrown");
    },
    (error: Error) => error,
  );
}
