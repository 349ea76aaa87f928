/** The life of N endpoints by the plugin's own calls, without the engine. */
import { join } from "node:path";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { createEmulator } from "../../emulator";
import { root } from "../../tools/root.mjs";
import { call, type PluginProcess, startPlugin } from "../engine/plugin/support/plugin-process";
import { withOutputs } from "./outputs-file";
import { peakOf, processorTimeOf } from "./process-cost";

/** The steps of a fleet's life without the engine, in their order; each has a process of its own, as engine runs have. */
export const aloneSteps = ["create", "no change", "refresh", "update", "delete"] as const;

/** One step of them. */
export type AloneStep = (typeof aloneSteps)[number];

/** What one step cost the plugin when nothing else stood in its way. */
export interface AloneRun {
  count: number;
  step: AloneStep;
  ms: number;
  calls: number;
  /** The process's own peak of resident memory, in MB. */
  peakMb: number;
  /** The process's own processor time, without its start. */
  processorMs: number;
}

/** How a fleet is run. */
export interface AloneOptions {
  count: number;
  /** Endpoints at a time. */
  parallel: number;
  /** How long an operation takes on the platform, in milliseconds. */
  operationMs: number;
}

/** What a plugin's life left behind: its runs, and the state of the last resource. */
export interface AloneLife {
  runs: AloneRun[];
  outputs: Record<string, unknown>;
}

type Struct = InstanceType<typeof struct.Struct>;

/** A resource as the engine knows it. */
interface Resource {
  urn: string;
  /** What the program gives it, with this `suspendTimeoutSeconds`. */
  inputs(suspendTimeoutSeconds: number): Struct;
  id: string;
  state: Struct | undefined;
}

const standIn = join(root, "tests/bench/wait-plugin/pulumi-resource-benchwait");

/** The stand-in's costs for the same calls, where it answers with the same values. */
export function runStandInAlone(options: AloneOptions, outputs: Record<string, unknown>): Promise<AloneRun[]> {
  return withOutputs(outputs, async (file) => {
    const env = { BENCH_WAIT_MS: String(options.operationMs), BENCH_OUTPUTS: file };
    return (await drive(options, env, [standIn])).runs;
  });
}

/**
 * Drives the plugin over gRPC as the engine does, check and diff included, without the engine's own cost: what grows here
 * grows because of the plugin. Linux only, for the memory.
 */
export function liveAlone(options: AloneOptions): Promise<AloneLife> {
  return drive(options, {});
}

/** The same endpoints as one fleet. */
export async function runFleetAlone(options: Omit<AloneOptions, "parallel">): Promise<AloneRun[]> {
  return (await drive({ ...options, parallel: 1, asFleet: true }, {})).runs;
}

async function drive(
  { count, parallel, operationMs, asFleet = false }: AloneOptions & { asFleet?: boolean },
  given: Record<string, string>,
  command?: [string],
): Promise<AloneLife> {
  const emulator = await createEmulator({ operationMs });
  const { admin, projectId } = emulator;
  const branches = Array.from({ length: count }, () => admin.seedBranch(projectId).id);
  const resources = asFleet ? [fleetOf(projectId, branches)] : branches.map((id, at) => endpointOf(projectId, id, at));
  const env = { PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url, ...given };
  const runs: AloneRun[] = [];
  try {
    for (const step of aloneSteps) {
      const plugin = await startPlugin({ env, ...(command && { command }) });
      await call((done) => plugin.client.configure(new proto.ConfigureRequest().setArgs(new struct.Struct()), done));
      const { pid = 0 } = plugin.process;
      const beforeMs = processorTimeOf(pid);
      admin.clearLog();
      const started = performance.now();
      const waiting = resources.values();
      const work = async () => {
        for (const resource of waiting) await works[step](plugin, resource);
      };
      try {
        await Promise.all(Array.from({ length: parallel }, work));
        const cost = { peakMb: peakOf(pid), processorMs: processorTimeOf(pid) - beforeMs };
        runs.push({ count, step, ms: performance.now() - started, calls: admin.log().length, ...cost });
      } finally {
        plugin.close();
      }
    }
  } finally {
    await emulator.close();
  }
  return { runs, outputs: (resources.at(-1)?.state?.toJavaScript() ?? {}) as Record<string, unknown> };
}

const works: Record<AloneStep, (plugin: PluginProcess, resource: Resource) => Promise<void>> = {
  async create(plugin, resource) {
    const { urn, inputs } = resource;
    const checked = await check(plugin, new proto.CheckRequest().setUrn(urn).setNews(inputs(600)));
    const request = new proto.CreateRequest().setUrn(urn).setProperties(checked);
    const response = await call<proto.CreateResponse>((done) => plugin.client.create(request, done));
    resource.id = response.getId();
    resource.state = response.getProperties();
  },

  async "no change"(plugin, resource) {
    await checkAndDiff(plugin, resource, 600);
  },

  async refresh(plugin, { urn, id, state, inputs }) {
    const request = new proto.ReadRequest().setUrn(urn).setId(id).setProperties(state).setInputs(inputs(600));
    await call((done) => plugin.client.read(request, done));
  },

  async update(plugin, resource) {
    const { urn, id, state, inputs } = resource;
    const news = await checkAndDiff(plugin, resource, 900);
    const request = new proto.UpdateRequest().setUrn(urn).setId(id).setOlds(state).setNews(news);
    request.setOldInputs(inputs(600));
    const response = await call<proto.UpdateResponse>((done) => plugin.client.update(request, done));
    resource.state = response.getProperties();
  },

  async delete(plugin, { urn, id, state }) {
    const request = new proto.DeleteRequest().setUrn(urn).setId(id).setProperties(state);
    await call((done) => plugin.client.delete(request, done));
  },
};

async function checkAndDiff(plugin: PluginProcess, resource: Resource, suspendTimeoutSeconds: number): Promise<Struct> {
  const { urn, id, state, inputs } = resource;
  const olds = inputs(600);
  const request = new proto.CheckRequest().setUrn(urn).setOlds(olds).setNews(inputs(suspendTimeoutSeconds));
  const news = await check(plugin, request);
  const diff = new proto.DiffRequest().setUrn(urn).setId(id).setOlds(state).setOldInputs(olds).setNews(news);
  await call((done) => plugin.client.diff(diff, done));
  return news;
}

async function check(plugin: PluginProcess, request: proto.CheckRequest): Promise<Struct> {
  const response = await call<proto.CheckResponse>((done) => plugin.client.check(request, done));
  const [failure] = response.getFailuresList();
  if (failure) throw new Error(failure.getReason());
  return response.getInputs() as Struct;
}

function endpointOf(projectId: string, branchId: string, at: number): Resource {
  return {
    urn: `urn:pulumi:bench::bench::pgcompute:index:Endpoint::endpoint${at}`,
    inputs: (suspendTimeoutSeconds) =>
      struct.Struct.fromJavaScript({ projectId, branchId, sizeCu: 1, type: "read_write", suspendTimeoutSeconds }),
    id: "",
    state: undefined,
  };
}

function fleetOf(projectId: string, branches: readonly string[]): Resource {
  const endpoints = Object.fromEntries(branches.map((branchId, at) => [`endpoint${at}`, { branchId }]));
  return {
    urn: "urn:pulumi:bench::bench::pgcompute:index:EndpointFleet::fleet",
    inputs: (suspendTimeoutSeconds) => {
      const defaults = { sizeCu: 1, suspendTimeoutSeconds };
      return struct.Struct.fromJavaScript({ projectId, defaults, endpoints, maxDeletions: branches.length });
    },
    id: "",
    state: undefined,
  };
}
