import { inspect } from "node:util";
import { type Output, output, runtime, secret } from "@pulumi/pulumi";
import { expect, it, onTestFinished, vi } from "vitest";
import { createEmulator, type Emulator } from "../../../../emulator";
import { invoke } from "../../../../provider/pulumi/dynamic/functions";
import { getBranch, getBranchOutput, getComputeSize, getComputeSizes } from "../../../../sdk/functions";
import { commandIn } from "../../../support/commands";

it("a stack with another configuration does not end the functions of one beside it", async () => {
  const [first, second] = [await useEmulator(), await useEmulator()];
  const ask = (emulator: Emulator) => {
    configure(emulator);
    return invoke("getBranch", { projectId: emulator.projectId });
  };
  const found = await Promise.all([ask(first), ask(second), ask(first)]);
  expect(found.map(({ id }) => id)).toEqual([first.branchId, second.branchId, first.branchId]);
});

it.each<[string, (projectId: string) => Promise<unknown>]>([
  ["an output", (projectId) => settled(getBranchOutput({ projectId, name: secret("no-such-branch") }))],
  [
    "one within a promise",
    (projectId) => settled(getBranchOutput({ projectId, name: later(secret("no-such-branch")) })),
  ],
  ["no output, which looks like a key", (projectId) => getBranch({ projectId, name: "napi_no-such-branch" })],
])("an argument that is secret is in no error: %s", async (_, ask) => {
  const emulator = await useEmulator();
  configure(emulator);
  const error: unknown = await ask(emulator.projectId).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "FunctionError", kind: "not_found" });
  expect(String(error)).toMatch(/no branch named "\[(secret|API key)\]"/);
  expect(inspect(error)).not.toContain("no-such-branch");
});

it.each<[string, Record<string, string>, Record<string, string>, "neon" | undefined, number]>([
  ["the public address", {}, {}, undefined, 1678],
  ["the configuration", { platform: "specification" }, {}, undefined, 1802],
  ["the environment's address", {}, { PGCOMPUTE_BASE_URL: "http://127.0.0.1:1/api/v2" }, undefined, 1802],
  ["its argument before those", { platform: "specification" }, {}, "neon", 1678],
])("getComputeSize has the figures of the platform of %s, and needs no key", (_, config, env, platform, expected) => {
  runtime.setAllConfig(Object.fromEntries(Object.entries(config).map(([key, value]) => [`pgcompute:${key}`, value])));
  onTestFinished(() => runtime.setAllConfig({}));
  for (const name of ["PGCOMPUTE_API_KEY", "PGCOMPUTE_PLATFORM", "PGCOMPUTE_BASE_URL"]) vi.stubEnv(name, env[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(getComputeSize(4, platform)).toMatchObject({
    maxConnections: expected,
    platform: expected === 1678 ? "neon" : "specification",
  });
  expect(getComputeSizes(platform)).toContainEqual(getComputeSize(4, platform));
});

it("getComputeSize says what is wrong with a platform's name", () => {
  runtime.setAllConfig({ "pgcompute:platform": "aws" });
  onTestFinished(() => runtime.setAllConfig({}));
  expect(() => getComputeSize(1)).toThrow(/pgcompute:platform/);
});

it("a command in an error reaches the stack's own account", async () => {
  const emulator = await useEmulator();
  configure(emulator);
  const { projectId, url, admin } = emulator;
  admin.addFault({ route: "branches.list", effect: { kind: "status", status: 423 } });
  const error: unknown = await invoke("getBranch", { projectId }).catch((reason: unknown) => reason);
  expect(commandIn(String(error), "operations")).toBe(
    `PGCOMPUTE_API_KEY="$(pulumi config get pgcompute:apiKey)" npx --no-install pgcompute operations --project ${projectId} --base-url ${url}`,
  );
});

it("the error of a missing key says what an inline program's functions see, and that of an answer does not", async () => {
  const emulator = await useEmulator();
  for (const name of ["PGCOMPUTE_API_KEY", "PGCOMPUTE_BASE_URL"]) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const ask = () => invoke("getBranch", { projectId: emulator.projectId, name: "no-such-branch" });

  configure({ ...emulator, apiKey: undefined });
  await expect(ask()).rejects.toThrow(
    /no API key.* inline program's functions see the stack's configuration, and not envVars/s,
  );

  configure(emulator);
  await expect(ask()).rejects.toThrow(/^(?!.*inline).*no branch named/s);
});

it("a plain argument is named in an error", async () => {
  const emulator = await useEmulator();
  configure(emulator);
  const args = { projectId: emulator.projectId, name: output("no-such-branch") };
  await expect(settled(getBranchOutput(args))).rejects.toThrow(/no branch named "no-such-branch"/);
});

/** What an output comes to, or the error of what it was made by, with which all that it promises ends. */
async function settled<T>(value: Output<T>): Promise<T> {
  const { isKnown, isSecret } = value as unknown as Record<string, Promise<unknown>>;
  const inner = value as unknown as { promise(): Promise<T>; allResources(): Promise<unknown> };
  const [result] = await Promise.all([inner.promise(), inner.allResources(), isKnown, isSecret]);
  return result;
}

function later<T>(value: Output<T>): Promise<T> {
  return Promise.resolve(value) as unknown as Promise<T>;
}

async function useEmulator(): Promise<Emulator> {
  const emulator = await createEmulator();
  onTestFinished(() => emulator.close());
  return emulator;
}

/** Makes an emulator that of the stack whose program runs. */
function configure({ url, apiKey }: { url: string; apiKey: string | undefined }): void {
  runtime.setAllConfig({ "pgcompute:baseUrl": url, ...(apiKey && { "pgcompute:apiKey": apiKey }) });
  onTestFinished(() => runtime.setAllConfig({}));
}
