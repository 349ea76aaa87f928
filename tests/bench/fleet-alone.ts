/** What a fleet costs the plugin without the engine: the calls that the engine makes for it over gRPC, a new process for each step. */
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { createEmulator } from "../../emulator";
import { type AloneProcess, call, startAlone } from "./alone-process";
import { type AloneOptions, type AloneRun, type AloneStep, aloneSteps, measureStep } from "./plugin-alone";

type Struct = InstanceType<typeof struct.Struct>;

/** A fleet as the engine knows it. */
interface Fleet {
  projectId: string;
  branches: readonly string[];
  id: string;
  state: Struct | undefined;
}

const urn = "urn:pulumi:bench::bench::pgcompute:index:EndpointFleet::fleet";

/** A fleet's life, with each step's processor time and memory. Linux only, for these. */
export async function runFleetAlone(options: Omit<AloneOptions, "parallel">): Promise<AloneRun[]> {
  const { count, operationMs, steps = aloneSteps } = options;
  const emulator = await createEmulator({ operationMs, ...options.emulator });
  const { admin, projectId } = emulator;
  const branches = Array.from({ length: count }, () => admin.seedBranch(projectId).id);
  const fleet: Fleet = { projectId, branches, id: "", state: undefined };
  const runs: AloneRun[] = [];
  try {
    for (const step of steps) {
      const run = await measureStep(emulator, { count, step }, async () => {
        const plugin = await startAlone({ PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url });
        return { plugin, work: () => works[step](plugin, fleet) };
      });
      runs.push(run);
    }
  } finally {
    await emulator.close();
  }
  return runs;
}

const works: Record<AloneStep, (plugin: AloneProcess, fleet: Fleet) => Promise<void>> = {
  async create(plugin, fleet) {
    const inputs = await check(plugin, new proto.CheckRequest().setUrn(urn).setNews(inputsOf(fleet, 600)));
    const request = new proto.CreateRequest().setUrn(urn).setProperties(inputs);
    const response = await call<proto.CreateResponse>((done) => plugin.client.create(request, done));
    fleet.id = response.getId();
    fleet.state = response.getProperties();
  },

  async "no change"(plugin, fleet) {
    await checkAndDiff(plugin, fleet, inputsOf(fleet, 600));
  },

  async refresh(plugin, fleet) {
    const { id, state } = fleet;
    const request = new proto.ReadRequest().setUrn(urn).setId(id).setProperties(state).setInputs(inputsOf(fleet, 600));
    await call((done) => plugin.client.read(request, done));
  },

  async update(plugin, fleet) {
    const { id, state } = fleet;
    const news = await checkAndDiff(plugin, fleet, inputsOf(fleet, 900));
    const request = new proto.UpdateRequest().setUrn(urn).setId(id).setOlds(state).setNews(news);
    request.setOldInputs(inputsOf(fleet, 600));
    const response = await call<proto.UpdateResponse>((done) => plugin.client.update(request, done));
    fleet.state = response.getProperties();
  },

  async delete(plugin, { id, state }) {
    const request = new proto.DeleteRequest().setUrn(urn).setId(id).setProperties(state);
    await call((done) => plugin.client.delete(request, done));
  },
};

async function checkAndDiff(plugin: AloneProcess, fleet: Fleet, given: Struct): Promise<Struct> {
  const { id, state } = fleet;
  const olds = inputsOf(fleet, 600);
  const news = await check(plugin, new proto.CheckRequest().setUrn(urn).setOlds(olds).setNews(given));
  const request = new proto.DiffRequest().setUrn(urn).setId(id).setOlds(state).setOldInputs(olds).setNews(news);
  await call((done) => plugin.client.diff(request, done));
  return news;
}

async function check(plugin: AloneProcess, request: proto.CheckRequest): Promise<Struct> {
  const response = await call<proto.CheckResponse>((done) => plugin.client.check(request, done));
  const [failure] = response.getFailuresList();
  if (failure) throw new Error(failure.getReason());
  return response.getInputs() as Struct;
}

function inputsOf({ projectId, branches }: Fleet, suspendTimeoutSeconds: number): Struct {
  const defaults = { sizeCu: 1, suspendTimeoutSeconds };
  const endpoints = Object.fromEntries(branches.map((branchId, at) => [`endpoint${at}`, { branchId }]));
  return struct.Struct.fromJavaScript({ projectId, defaults, endpoints, maxDeletions: branches.length });
}
