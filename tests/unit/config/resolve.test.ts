import { describe, expect, it } from "vitest";
import { configEnvironment, configModel } from "../../../provider/config/model";
import { resolveConfig } from "../../../provider/config/resolve";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { DEFAULT_BASE_URL } from "../../../provider/platform/http/base-url";

const key = { apiKey: "secret-key-1" };

describe("a configuration that can be used", () => {
  it("has defaults, and reads numbers and booleans from text", () => {
    const { settings } = resolveConfig({ ...key, maxSizeCu: "16", adoptInterrupted: "true" }, {});
    expect(settings).toMatchObject({
      apiKey: "secret-key-1",
      keySource: "configuration",
      maxSizeCu: 16,
      operationTimeoutSeconds: 600,
      adoptInterrupted: true,
    });
    expect(settings?.baseUrl.href).toBe(DEFAULT_BASE_URL);
    expect(settings?.plan).toBeUndefined();
    expect(resolveConfig(key, {}).settings?.adoptInterrupted).toBe(false);
  });

  it("refuses a setting that there is none of, with the way to take it out", () => {
    expect(resolveConfig({ ...key, minSizeCu: 1 }, {}).failures).toEqual([
      { property: "minSizeCu", reason: expect.any(String), advice: { kind: "take_out", key: "minSizeCu" } },
    ]);
  });

  it.each([
    [{}, {}, "neon"],
    [{ baseUrl: DEFAULT_BASE_URL }, {}, "neon"],
    [{ baseUrl: "https://proxy.example/api/v2" }, {}, "specification"],
    [{ baseUrl: DEFAULT_BASE_URL, platform: "specification" }, {}, "specification"],
    [{}, { PGCOMPUTE_BASE_URL: "http://127.0.0.1:4010/api/v2" }, "specification"],
    [{}, { PGCOMPUTE_PLATFORM: "specification" }, "specification"],
    [{ platform: "neon", baseUrl: "http://127.0.0.1:4010/api/v2" }, { PGCOMPUTE_PLATFORM: "specification" }, "neon"],
  ])("of %j with %j is for %s", (config, env, name) => {
    expect(resolveConfig({ ...key, ...config }, env).settings?.profile.name).toBe(name);
  });

  it("takes the environment only where it is silent", () => {
    const of = { PGCOMPUTE_BASE_URL: "http://127.0.0.1:1/v2", PGCOMPUTE_TRACE_FILE: "trace.jsonl" };
    const env = { PGCOMPUTE_API_KEY: "of-the-environment", ...of };
    const found = { apiKey: "of-the-environment", keySource: "environment", traceFile: "trace.jsonl" };
    expect(resolveConfig({}, env).settings).toMatchObject(found);
    expect(resolveConfig({}, env).settings?.baseUrl.port).toBe("1");
    expect(resolveConfig(key, env).settings).toMatchObject({ apiKey: "secret-key-1", keySource: "configuration" });
  });
});

const own = "https://company.example/api/v2";

it.each<[string, unknown, string | undefined, boolean, object?]>([
  ["an address of the configuration alone", own, undefined, false],
  ["the environment's", own, own, true],
  ["the same, spelled otherwise", own, "HTTPS://Company.example:443/api/v2/", true],
  ["another path there", "https://company.example/x/v2", own, false],
  ["another port there", "https://company.example:8443/api/v2", own, false],
  ["one that begins alike", "https://company.example.evil.test/api/v2", own, false],
  ["one where the environment's is unusable", own, "company.example", false],
  ["the public one, said outright", `${DEFAULT_BASE_URL}/`, undefined, true],
  ["this machine", "http://127.0.0.1:4010/api/v2", own, true],
  ["a name that only looks like this machine", "https://127.0.0.1.evil.test/v2", undefined, false],
  ["an address that is to come, which is held when it is there", UNKNOWN, undefined, true],
  ["wherever the configuration says, where the key is its own", own, undefined, true, key],
  ["wherever it says, where its key is to come", own, undefined, true, { apiKey: UNKNOWN }],
  ["nowhere more for a key of the configuration that is none", own, undefined, false, { apiKey: null }],
])("the key of the environment goes or does not go to %s", (_, baseUrl, ofEnvironment, passes, given) => {
  const address = ofEnvironment === undefined ? {} : { PGCOMPUTE_BASE_URL: ofEnvironment };
  const { failures } = resolveConfig({ baseUrl, ...given }, { PGCOMPUTE_API_KEY: "of-the-environment", ...address });
  if (passes) expect(failures).toBeUndefined();
  else expect(failures).toEqual([expect.objectContaining({ property: "baseUrl", advice: { kind: "give_address" } })]);
  expect(failures?.[0]?.reason ?? "").not.toMatch(/example|evil/);
});

describe("a configuration that cannot", () => {
  it.each([
    [{ maxRequestsPerSecond: 0 }, "maxRequestsPerSecond", "has to be above 0"],
    [{ plan: "launch", platform: "specification" }, "plan", /^the platform has no such plan: use free or paid$/],
    [{ platform: "other" }, "platform", 'has to be "specification" or "neon"'],
    [{ maxSizeCu: 0.1 }, "maxSizeCu", "has to be 0.25 or more"],
    [{ baseURL: "https://x.example/v2" }, "baseURL", 'unknown configuration key; did you mean "baseUrl"?'],
    [{ baseUrl: "https://x.example" }, "baseUrl", /must end in the API version/],
  ])("says so of %j in plain words", (config, property, reason) => {
    const { failures } = resolveConfig({ ...key, ...config }, {});
    expect(failures).toHaveLength(1);
    expect(failures?.[0]?.property).toBe(property);
    expect(failures?.[0]?.reason).toMatch(reason);
  });

  it("gives every failure at once, and repeats no value", () => {
    const { failures } = resolveConfig({ plan: "sk-oops", baseUrl: "https://sk-oops", maxSizeCu: "sk-oops" }, {});
    expect(failures?.map(({ property }) => property).sort()).toEqual(["apiKey", "baseUrl", "maxSizeCu", "plan"]);
    expect(JSON.stringify(failures)).not.toContain("sk-oops");
  });
});

it.each([
  [undefined, []],
  ["", []],
  ["p-1", ["p-1"]],
  [" p-1/ep-a , p-2,", ["p-1/ep-a", "p-2"]],
])("reads of PGCOMPUTE_FORGET=%j what the run is to leave alone", (text, ids) => {
  expect(resolveConfig(key, { PGCOMPUTE_FORGET: text }).settings?.forget).toEqual(ids);
});

/** Every way to give a setting: by the configuration, under a name that is none, or by the environment. */
const places: [string, (text: string) => [config: Record<string, unknown>, env: Record<string, string>]][] = [
  ...Object.keys(configModel.shape)
    .filter((name) => name !== "apiKey")
    .map((name): (typeof places)[number] => [name, (text) => [{ [name]: text }, {}]]),
  ["a name that is none", (text) => [{ [text]: "1" }, {}]],
  ...[...Object.values(configEnvironment), "PGCOMPUTE_FORGET"]
    .filter((name) => name !== "PGCOMPUTE_API_KEY")
    .map((name): (typeof places)[number] => [name, (text) => [{}, { [name]: text }]]),
];
const longKey = `a-secret-of-${"many-".repeat(20)}letters`;

it.each(places)("tells no key that is given as %s", (_, given) => {
  for (const wrong of ["napi_of_somebody_else_1", longKey, `"${longKey}"`, `p-1/${longKey}`]) {
    const [config, env] = given(wrong);
    const known = [
      resolveConfig({ apiKey: longKey, ...config }, env),
      resolveConfig(config, { PGCOMPUTE_API_KEY: longKey, ...env }),
    ];
    for (const { failures = [] } of known) expect(JSON.stringify(failures)).not.toMatch(/napi_of|secret-of|many-/);
  }
});

it.each(["p-1/br-1", "p-1/ep-a/x", "P-1", "*", "p-1/", "p-1 p-2"])("refuses PGCOMPUTE_FORGET=%j", (text) => {
  expect(resolveConfig(key, { PGCOMPUTE_FORGET: text }).failures).toEqual([
    { property: "PGCOMPUTE_FORGET", reason: expect.stringMatching(/names no endpoint: write PROJECT\/ENDPOINT/) },
  ]);
});
