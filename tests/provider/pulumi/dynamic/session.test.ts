import { expect, it } from "vitest";
import { createFleetProvider } from "../../../../provider/pulumi/dynamic/fleet-provider";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { openSession } from "../../../../provider/pulumi/dynamic/session";

const given = { values: {}, secrets: [] };

it("endpoints and fleets of a program have one account, though the launcher configures each of them", () => {
  const session = openSession(undefined, {});
  const [endpoints, fleets] = [createDynamicProvider(session), createFleetProvider(session)];
  const configured = (provider: typeof endpoints | typeof fleets, apiKey: string) => {
    provider.configure({ config: { get: () => undefined, rawConfig: { "pgcompute:apiKey": apiKey } } });
    return session.contextFor(undefined, given).account;
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
