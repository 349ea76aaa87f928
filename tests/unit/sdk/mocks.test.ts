import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { output, runtime, secret } from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { functionModels } from "../../../provider/functions/model";
import {
  getBranch,
  getBranches,
  getBranchOutput,
  getEndpoint,
  getEndpoints,
  getOperation,
  getOperations,
} from "../../../sdk";

const functions = { getBranch, getBranches, getEndpoint, getEndpoints, getOperation, getOperations };

const requests: unknown[] = [];
const server = createServer(({ url }, response) => {
  requests.push(url);
  response.end("{}");
});
const calls: unknown[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // What a developer's machine has: a platform that answers, and a key for it.
  vi.stubEnv("PGCOMPUTE_BASE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`);
  vi.stubEnv("PGCOMPUTE_API_KEY", "a key");
  await runtime.setMocks({
    newResource: ({ name }) => ({ id: name, state: {} }),
    call: ({ token, inputs }) => {
      calls.push([token, inputs]);
      if (inputs.branchId === "missing") throw new Error("mocked failure");
      return { id: "br-mocked", branches: [{ id: "br-mocked" }] };
    },
  });
});
beforeEach(() => void calls.splice(0));
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

describe("under mocks", () => {
  it("every function is a call of the engine, by the plugin's name for it, and the platform hears nothing", async () => {
    const given = { projectId: "p", endpointId: "ep-1", operationId: "op-1" };
    const asking = Object.keys(functionModels).filter((name) => name !== "getComputeSize");
    expect(Object.keys(functions).sort()).toEqual(asking.sort());
    for (const [name, call] of Object.entries(functions)) {
      await call(given);
      expect(calls.pop()).toEqual([`pgcompute:index:${name}`, given]);
    }
    expect(await getBranch({ projectId: "p", name: "dev" })).toMatchObject({ id: "br-mocked" });
    expect(requests).toEqual([]);
  });

  it("so is each for outputs, secrets among them", async () => {
    const id = getBranchOutput({ projectId: output("p"), name: secret("dev") }).id;
    expect(await new Promise((resolve) => id.apply(resolve))).toBe("br-mocked");
    expect(calls).toEqual([["pgcompute:index:getBranch", { projectId: "p", name: "dev" }]]);
    expect(requests).toEqual([]);
  });

  it("a mock that throws fails the function", async () => {
    await expect(getEndpoint({ projectId: "p", branchId: "missing" })).rejects.toThrow();
  });
});
