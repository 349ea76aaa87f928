import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../../emulator";
import { peakOf } from "../../bench/process-cost";
import { type PluginProcess, usePlugin } from "./support/plugin-process";

const COUNT = 1_000;
const PARALLEL = 50;
const MOST_MB = 150;

type Values = Record<string, unknown>;

/** A resource as the engine knows it. */
interface Resource {
  urn: string;
  /** What the program gives it, with this `suspendTimeoutSeconds`. */
  inputs(suspendTimeoutSeconds: number): Values;
  id: string;
  properties: Values;
}

/** The steps of a resource's life, in their order. */
const steps: Record<string, (call: PluginProcess["call"], resource: Resource) => Promise<unknown>> = {
  async create(call, resource) {
    const { urn, inputs } = resource;
    const properties = await check(call, { urn, news: inputs(600) });
    Object.assign(resource, await call("create", { urn, properties }));
  },
  "no change": (call, resource) => compare(call, resource, 600),
  refresh: (call, { urn, id, properties, inputs }) => call("read", { urn, id, properties, inputs: inputs(600) }),
  async update(call, resource) {
    const { urn, id, properties: olds, inputs } = resource;
    const news = await compare(call, resource, 900);
    Object.assign(resource, await call("update", { urn, id, olds, news, oldInputs: inputs(600) }));
  },
  delete: (call, { urn, id, properties }) => call("delete", { urn, id, properties }),
};

// Without the engine, which only waits longer between the calls: the garbage of a fleet piles up fastest here.
describe("the plugin's memory", () => {
  it(`stays under ${MOST_MB} MB in every step of a thousand endpoints' life`, async () => {
    const emulator = await createEmulator({ operationMs: 50 });
    onTestFinished(() => emulator.close());
    const { admin, projectId, apiKey, url } = emulator;
    const resources = Array.from({ length: COUNT }, (_, at): Resource => {
      const place = { projectId, branchId: admin.seedBranch(projectId).id, sizeCu: 1, type: "read_write" };
      const inputs = (suspendTimeoutSeconds: number) => ({ ...place, suspendTimeoutSeconds });
      return { urn: `urn:pulumi:test::shop::pgcompute:index:Endpoint::endpoint${at}`, inputs, id: "", properties: {} };
    });
    for (const [step, take] of Object.entries(steps)) {
      // Each in a process of its own, as engine runs have.
      const plugin = await usePlugin({ env: { PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url } });
      await plugin.call("configure", { args: {} });
      admin.clearLog();
      const waiting = resources.values();
      const work = async () => {
        for (const resource of waiting) await take(plugin.call, resource);
      };
      await Promise.all(Array.from({ length: PARALLEL }, work));
      const peakMb = peakOf(plugin.process.pid ?? 0);
      plugin.close();
      expect(admin.log().length, step).toBeGreaterThan(step === "refresh" || step === "no change" ? 0 : COUNT);
      expect(peakMb, step).toBeGreaterThan(0);
      expect(peakMb, step).toBeLessThan(MOST_MB);
    }
  });
});

async function compare(call: PluginProcess["call"], { urn, id, properties, inputs }: Resource, delay: number) {
  const olds = inputs(600);
  const news = await check(call, { urn, olds, news: inputs(delay) });
  await call("diff", { urn, id, olds: properties, oldInputs: olds, news });
  return news;
}

async function check(call: PluginProcess["call"], request: Values): Promise<Values> {
  const { failures, inputs } = await call<{ failures: unknown; inputs: Values }>("check", request);
  expect(failures).toEqual([]);
  return inputs;
}
