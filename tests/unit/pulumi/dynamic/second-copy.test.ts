/** Two copies of `@pulumi/pulumi`, by the engine's client that the program's copy has made. */
import { runtime } from "@pulumi/pulumi";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { afterEach, expect, it, vi } from "vitest";
import { assertOneCopy } from "../../../../provider/pulumi/dynamic/second-copy";
import { Endpoint } from "../../../../sdk";

afterEach(() => void vi.restoreAllMocks());

/** The client of a copy that is not this package's. */
class OtherClient {
  makeUnaryRequest(): void {}
}

it("are said in a sentence, with the way to one", () => {
  vi.spyOn(runtime, "getMonitor").mockReturnValue(new OtherClient() as unknown as ResourceMonitorClient);
  const declare = () => new Endpoint("orders", { projectId: "p", branchId: "br-dev" });
  expect(declare).toThrow(
    /two copies of @pulumi\/pulumi: .*\n\n {2}npm config set install-links=true --location=project\n {2}npm install \S+$/,
  );
});

it.each([
  ["no client yet", undefined],
  ["mocks", { call: () => ({}), newResource: () => ({}) }],
  ["the client of this copy", Object.create(ResourceMonitorClient.prototype)],
])("are not seen in %s", (_, client) => {
  vi.spyOn(runtime, "getMonitor").mockReturnValue(client);
  expect(assertOneCopy).not.toThrow();
});
