import { expect, it } from "vitest";
import { createFleetProvider } from "../../../../provider/pulumi/dynamic/fleet-provider";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { openSession } from "../../../../provider/pulumi/dynamic/session";
import { named, useDynamicHost } from "./support";

const given = { values: {}, secrets: [] };

it("endpoints and fleets of a program have one account, though the launcher configures each of them", () => {
  const session = openSession(undefined, {});
  const [endpoints, fleets] = [createDynamicProvider(session), createFleetProvider(session)];
  const configured = (provider: typeof endpoints | typeof fleets, apiKey: string) => {
    provider.configure({ config: { get: () => undefined, rawConfig: { "pgcompute:apiKey": apiKey } } });
    return session.contextFor(named.__urn, given).account;
  };
  const first = configured(endpoints, "napi_first_key_of_the_two");
  expect(configured(fleets, "napi_first_key_of_the_two")).toBe(first);
  expect(configured(fleets, "napi_second_key_of_the_two")).not.toBe(first);
});

it("a configuration that cannot be used is told to both", () => {
  const session = openSession(undefined, {});
  for (const provider of [createDynamicProvider(session), createFleetProvider(session)]) {
    provider.configure({
      config: { get: () => undefined, rawConfig: { "pgcompute:apiKy": "napi_key_under_a_wrong_name" } },
    });
    expect(session.failures.map(({ reason }) => reason).join()).toContain("apiKy");
  }
});

it("a resource that does not say its URN is refused: nobody could tell it from another one", async () => {
  const { projectId, admin, begin } = await useDynamicHost();
  const inputs = { projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" };
  const message = expect.stringContaining("does not say its URN (__urn)");
  await expect(begin(createDynamicProvider).check({}, inputs)).rejects.toMatchObject({ message });
});
