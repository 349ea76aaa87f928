import { describe, expect, it } from "vitest";
import { UNKNOWN_TEXT } from "../../../../provider/lib/unknown";
import { createProvider, openSession } from "../../../../provider/pulumi/dynamic/provider";
import { endpointKind } from "../../../../provider/pulumi/resource";
import { secret } from "../../../support/messages";
import { type Checked, useService } from "./support/open-service";

/** Names that every object has without being given them. */
const inherited = ["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf"];
const service = useService({ apiKey: "napi_of_the_emulator_0000" });
let counter = 0;

const newUrn = () => `urn:pulumi:dev::test::pgcompute:index:Endpoint::e${++counter}`;

const place = () => ({ __urn: newUrn(), ...service.place() });

/** The dynamic host as its launcher configures it. */
function dynamic(config: Record<string, string> = {}, env: NodeJS.ProcessEnv = {}) {
  const { url, apiKey } = service.emulator;
  const rawConfig = { "pgcompute:baseUrl": url, "pgcompute:apiKey": apiKey, ...config };
  const provider = createProvider(openSession(undefined, env), endpointKind);
  provider.configure({ config: { get: (key) => (rawConfig as Record<string, string>)[key], rawConfig } });
  return provider;
}

describe("names that every object has", () => {
  it.each(inherited)("%s is an unknown property, on both hosts", async (name) => {
    await service.configure();
    const news = { ...place(), [name]: { sizeCu: 9 } };
    // The engine would print the value of a property that it is told, so that one without a plain value stands in the sentence.
    const failures = [{ property: "", reason: expect.stringMatching(`^${name}: unknown property`) }];
    expect(await service.call("check", { urn: newUrn(), news })).toMatchObject({ failures });
    expect(await dynamic().check({}, news)).toMatchObject({ failures });
  });

  it.each(inherited)("%s is a setting like any other: created, no change, then taken out", async (name) => {
    await service.configure();
    const urn = newUrn();
    const news = { ...place(), type: "read_write", pgSettings: { [name]: "1" } };
    const { id, properties: olds } = await service.call<{ id: string; properties: Record<string, unknown> }>("create", {
      urn,
      properties: news,
    });
    expect(olds.pgSettings).toEqual({ [name]: "1" });
    expect(await service.call("diff", { urn, id, olds, oldInputs: news, news })).toMatchObject({ changes: 1 });
    const other = { ...news, pgSettings: { work_mem: "8MB" } };
    const { detaileddiffMap } = await service.call("diff", { urn, id, olds, oldInputs: news, news: other });
    expect(detaileddiffMap).toEqual({
      [`pgSettings.${name}`]: expect.objectContaining({ kind: 2 }),
      "pgSettings.work_mem": expect.objectContaining({ kind: 0 }),
    });
  });

  it("are found in a configuration of the dynamic host", async () => {
    const { failures } = await dynamic({ "pgcompute:constructor": "x", "other:thing": "y" }).check({}, place());
    const reason =
      "pgcompute:constructor: unknown configuration key; to take it out, run:\n      pulumi config rm pgcompute:constructor";
    expect(failures).toEqual([{ property: "", reason }]);
  });
});

describe("values made to exhaust the reader", () => {
  const nested = (levels: number) => {
    let value: unknown = "end";
    for (let level = 0; level < levels; level++) value = { more: value };
    return value;
  };

  const reason = "pgSettings is nested more than 64 levels deep";

  it("90 levels end in a plain error of the plugin", async () => {
    await service.configure();
    const { details } = await service.failureOf("check", { urn: newUrn(), news: { pgSettings: nested(90) } });
    expect(details).toBe(reason);
  });

  it.each([100, 100_000])("%i levels end in a plain error of the dynamic host", async (levels) => {
    const news = { ...place(), pgSettings: nested(levels) as Record<string, unknown> };
    const provider = dynamic();
    await expect(provider.check({}, news)).rejects.toThrow(reason);
    await expect(provider.check(news, place())).rejects.toThrow(reason);
    await expect(provider.diff("p/e", {}, news)).rejects.toThrow(reason);
  });

  it("20,000 settings are checked, also where each is a secret", async () => {
    await service.configure();
    const entries = Array.from({ length: 20_000 }, (_, at) => [`my.setting_${at}`, secret(`value-${at}`)]);
    const news = { ...place(), sizeCu: 99, pgSettings: Object.fromEntries(entries) };
    const { failures } = await service.call<Checked>("check", { urn: newUrn(), news });
    expect(failures).toEqual([{ property: "sizeCu", reason: expect.stringContaining("99 CU") }]);
  });
});

describe("a key or a secret in an input that is refused", () => {
  it.each(["projectId", "branchId", "type", "poolerMode", "napi_as_a_name_0001"])(
    "the key in %s is neither blamed nor repeated",
    async (name) => {
      await service.configure();
      const news = { ...place(), [name]: "napi_in_a_wrong_place_1 !" };
      const plugin = await service.call<Checked>("check", { urn: newUrn(), news });
      const { failures } = await dynamic().check({}, news);
      for (const found of [plugin.failures, failures]) {
        expect(found).not.toEqual([]);
        expect(JSON.stringify(found)).not.toContain("napi_");
        expect(found.map(({ property }) => property)).toEqual([""]);
      }
    },
  );

  it("the dynamic host knows the secrets that the SDK names, unknown values among them", async () => {
    const news = { ...place(), sizeCu: 7.125, suspendTimeoutSeconds: UNKNOWN_TEXT, __secret: ["sizeCu"] };
    const { failures } = await dynamic().check({}, news);
    expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^sizeCu: the value is not accepted/) }]);
  });

  it("a configuration that cannot be opened is said of every resource, and ends nothing", async () => {
    const provider = dynamic({ "pgcompute:apiKey": "napi with blanks" });
    const { failures } = await provider.check({}, place());
    expect(failures).toEqual([{ property: "", reason: expect.stringContaining("the API key holds a blank") }]);
    await expect(provider.create(place())).rejects.toThrow("the API key holds a blank");
  });
});
