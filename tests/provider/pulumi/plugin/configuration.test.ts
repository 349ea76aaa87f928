import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { describe, expect, it } from "vitest";
import { secret, unknown } from "../../../support/messages";
import { type Checked, useService } from "./support/open-service";

const urn = "urn:pulumi:dev::test::pulumi:providers:pgcompute::other";
const endpoint = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const env: NodeJS.ProcessEnv = {};
const service = useService({}, env);

describe("CheckConfig", () => {
  it("takes numbers and switches as text, leaves values as they are, and waits for what is not known", async () => {
    const news = { apiKey: secret("k-1234"), maxSizeCu: "14", adoptInterrupted: "true", baseUrl: unknown };
    const { failures, inputs } = await service.call<Checked>("checkConfig", { urn, news });
    expect(failures).toEqual([]);
    expect(inputs).toEqual(news);
  });

  it("shows no secret", async () => {
    const news = { apiKey: secret("k-1234"), baseUrl: secret("http://hush-hush.example/api/v2") };
    const { failures } = await service.call<Checked>("checkConfig", { urn, news });
    expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^pgcompute:baseUrl: /) }]);
    expect(failures[0]?.reason).not.toContain("hush-hush");
  });
});

describe("DiffConfig", () => {
  const olds = { apiKey: "k-1", baseUrl: "https://one.example/api/v2", plan: "free" };

  it.each([
    ["a new key", { ...olds, apiKey: "k-2" }],
    ["a new plan", { ...olds, plan: "paid" }],
    ["a new address", { ...olds, baseUrl: "https://two.example/api/v2" }],
    ["a key that is gone", { baseUrl: olds.baseUrl }],
    ["a key that is not known yet", { ...olds, apiKey: unknown }],
  ])("updates and never replaces for %s", async (_what, news) => {
    const answer = await service.call("diffConfig", { urn, oldInputs: olds, olds, news });
    expect(answer).toMatchObject({ changes: 2, replaces: [], deletebeforereplace: false });
  });

  it("sees no change where there is none", async () => {
    expect(await service.call("diffConfig", { urn, oldInputs: olds, news: olds })).toMatchObject({ changes: 1 });
  });

  it("says nothing of what another provider was given", async () => {
    const fourth = urn.replace("other", "fourth");
    const ofStack = { "pgcompute:baseUrl": "https://one.example/api/v2", "orders:branch": "br-1" };
    await service.call("diffConfig", { urn: fourth, oldInputs: ofStack, news: olds });
    await service.heard();
    expect(service.lines.filter((line) => line.urn === fourth)).toEqual([]);
  });

  // The engine does not mark what is secret in this call, so that any value may have been.
  it.each(["apiKey", "baseUrl", "traceFile", "undoRestore", "plan", "maxSizeCu"])(
    "shows no value of %s, before or after",
    async (key) => {
      const own = urn.replace("other", `of-${key}`);
      const [before, after] = [
        { ...olds, [key]: "hush-1" },
        { ...olds, [key]: "hush-2" },
      ];
      await service.call("diffConfig", { urn: own, oldInputs: before, news: after });
      await service.heard();
      const lines = service.lines.filter((line) => line.urn === own).map(({ message }) => message);
      expect(lines).toEqual([expect.stringMatching(new RegExp(`^${key} changes`))]);
      expect(lines.join()).not.toContain("hush");
    },
  );

  it("says each setting that changes on the provider's own row, without values", async () => {
    const news = {
      ...olds,
      apiKey: secret("another-key-1"),
      version: "9.9.9",
      baseUrl: "https://three.example/api/v2",
      moves: "replace",
      plan: unknown,
      traceFile: secret("/hush/hush"),
      maxSizeCu: 14,
    };
    const third = urn.replace("other", "third");
    const ofBefore = { maxSizeCu: "14", checks: "warn" };
    await service.call("diffConfig", { urn: third, olds: { ...olds, ...ofBefore }, news });
    await service.heard();
    const lines = service.lines.filter((line) => line.urn === third);
    expect(lines.every(({ severity, ephemeral }) => severity === LogSeverity.WARNING && !ephemeral)).toBe(true);
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^apiKey changes: where it is another account's/),
      expect.stringMatching(/^baseUrl changes: .*until the address is put back$/),
      "checks is no longer set",
      "plan may change, to a value that is not known yet",
      "moves is set, and was not",
      "traceFile is set, and was not",
    ]);
  });
});

describe("Configure", () => {
  const project = () => service.emulator.projectId;

  it("names every key that cannot be used, and where none was given", async () => {
    const { details } = await service.failureOf("configure", { args: { plan: "gold", adoptInterrupted: "perhaps" } });
    expect(details).toMatch(/^pgcompute:plan: .*; pgcompute:adoptInterrupted: .*; pgcompute:apiKey: no API key/);
    expect((await service.failureOf("invoke", { tok: "pgcompute:index:getEndpoints" })).details).toMatch(
      /^the provider was not configured/,
    );
  });

  it("forgets with a second configuration what the first one's resources have claimed", async () => {
    const { admin, projectId } = service.emulator;
    const news = { projectId, branchId: admin.seedBranch(projectId).id };
    const checked = (name: string) => service.call<Checked>("check", { urn: `${endpoint}-${name}`, news });
    await service.configure();
    expect((await checked("one")).failures).toEqual([]);
    expect((await checked("two")).failures).toMatchObject([{ reason: expect.stringContaining("already declares") }]);
    await service.configure();
    expect((await checked("two")).failures).toEqual([]);
  });

  it("prefers the configuration, and a 401 says which key it was and the way on", async () => {
    await service.configure({ apiKey: "of-the-configuration" });
    const check = await service.call<Checked>("check", {
      urn: endpoint,
      news: { projectId: project(), branchId: "br-any" },
    });
    expect(check.failures).toEqual([
      {
        property: "",
        reason: expect.stringMatching(
          /401.*configuration.*--run-program.*pulumi config set --secret pgcompute:apiKey$/s,
        ),
      },
    ]);
    env.PGCOMPUTE_API_KEY = "of-the-environment";
    await service.configure({ apiKey: undefined });
    const { details } = await service.failureOf("invoke", {
      tok: "pgcompute:index:getEndpoints",
      args: { projectId: project() },
    });
    expect(details).toMatch(/401.*PGCOMPUTE_API_KEY/s);
    expect(`${details}${check.failures[0]?.reason}`).not.toMatch(/of-the-/);
  });
});
