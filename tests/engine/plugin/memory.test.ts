import proto from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../../emulator";
import { peakOf } from "../../bench/process-cost";
import { call, type PluginProcess, startPlugin } from "./support/plugin-process";

const COUNT = 1_000;
const PARALLEL = 50;
const MOST_MB = 150;

type Struct = InstanceType<typeof struct.Struct>;

/** A resource as the engine knows it. */
interface Resource {
  urn: string;
  /** What the program gives it, with this `suspendTimeoutSeconds`. */
  inputs(suspendTimeoutSeconds: number): Struct;
  id: string;
  state: Struct | undefined;
}

/** The steps of a resource's life, in their order. */
const steps: Record<string, (plugin: PluginProcess, resource: Resource) => Promise<void>> = {
  async create({ client }, resource) {
    const { urn, inputs } = resource;
    const checked = await check(client, new proto.CheckRequest().setUrn(urn).setNews(inputs(600)));
    const request = new proto.CreateRequest().setUrn(urn).setProperties(checked);
    const response = await call<proto.CreateResponse>((done) => client.create(request, done));
    resource.id = response.getId();
    resource.state = response.getProperties();
  },

  async "no change"({ client }, resource) {
    await checkAndDiff(client, resource, 600);
  },

  async refresh({ client }, { urn, id, state, inputs }) {
    const request = new proto.ReadRequest().setUrn(urn).setId(id).setProperties(state).setInputs(inputs(600));
    await call((done) => client.read(request, done));
  },

  async update({ client }, resource) {
    const { urn, id, state, inputs } = resource;
    const news = await checkAndDiff(client, resource, 900);
    const request = new proto.UpdateRequest().setUrn(urn).setId(id).setOlds(state).setNews(news);
    request.setOldInputs(inputs(600));
    const response = await call<proto.UpdateResponse>((done) => client.update(request, done));
    resource.state = response.getProperties();
  },

  async delete({ client }, { urn, id, state }) {
    const request = new proto.DeleteRequest().setUrn(urn).setId(id).setProperties(state);
    await call((done) => client.delete(request, done));
  },
};

// Without the engine, which only waits longer between the calls: the garbage of a fleet piles up fastest here.
describe("the plugin's memory", () => {
  it(`stays under ${MOST_MB} MB in every step of a thousand endpoints' life`, async () => {
    const emulator = await createEmulator({ operationMs: 50 });
    onTestFinished(() => emulator.close());
    const { admin, projectId, apiKey, url } = emulator;
    const resources = Array.from({ length: COUNT }, (_, at) =>
      endpointOf(projectId, admin.seedBranch(projectId).id, at),
    );
    for (const [step, take] of Object.entries(steps)) {
      // Each in a process of its own, as engine runs have.
      const plugin = await startPlugin({ env: { PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url } });
      onTestFinished(plugin.close);
      await call((done) => plugin.client.configure(new proto.ConfigureRequest().setArgs(new struct.Struct()), done));
      admin.clearLog();
      const waiting = resources.values();
      const work = async () => {
        for (const resource of waiting) await take(plugin, resource);
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

async function checkAndDiff(
  client: PluginProcess["client"],
  { urn, id, state, inputs }: Resource,
  suspendTimeoutSeconds: number,
): Promise<Struct> {
  const olds = inputs(600);
  const request = new proto.CheckRequest().setUrn(urn).setOlds(olds).setNews(inputs(suspendTimeoutSeconds));
  const news = await check(client, request);
  const diff = new proto.DiffRequest().setUrn(urn).setId(id).setOlds(state).setOldInputs(olds).setNews(news);
  await call((done) => client.diff(diff, done));
  return news;
}

async function check(client: PluginProcess["client"], request: proto.CheckRequest): Promise<Struct> {
  const response = await call<proto.CheckResponse>((done) => client.check(request, done));
  expect(response.getFailuresList()).toEqual([]);
  return response.getInputs() as Struct;
}

function endpointOf(projectId: string, branchId: string, at: number): Resource {
  return {
    urn: `urn:pulumi:test::shop::pgcompute:index:Endpoint::endpoint${at}`,
    inputs: (suspendTimeoutSeconds) =>
      struct.Struct.fromJavaScript({ projectId, branchId, sizeCu: 1, type: "read_write", suspendTimeoutSeconds }),
    id: "",
    state: undefined,
  };
}
