import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { createEmulator, type EmulatorOptions } from "../../emulator";
import { root } from "../../tools/root.mjs";

/** What a fleet cost the plugin when nothing else stood in its way. */
export interface AloneRun {
  count: number;
  checkMs: number;
  createMs: number;
  calls: number;
  /** Calls answered 423 or 429. */
  refused: number;
  /** The process's own peak of resident memory, in MB. */
  peakMb: number;
}

const KB_PER_MB = 1_024;

/**
 * Drives the plugin over gRPC as the engine does, check then create, N endpoints with `parallel` at once, without the
 * engine's own cost: what grows here grows because of the plugin. Linux only, for the memory.
 */
export async function runAlone(
  count: number,
  parallel: number,
  operationMs: number,
  options: EmulatorOptions = {},
): Promise<AloneRun> {
  const emulator = await createEmulator({ operationMs, ...options });
  const { admin, projectId } = emulator;
  const branches = Array.from({ length: count }, () => admin.seedBranch(projectId).id);
  const child = spawn(join(root, "bin/pulumi-resource-pgcompute"), [], {
    env: { ...process.env, PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url },
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const port = await new Promise<string>((resolve) =>
      child.stdout.once("data", (text) => resolve(String(text).trim())),
    );
    const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    await call((done) =>
      client.configure(new proto.ConfigureRequest().setArgs(struct.Struct.fromJavaScript({})), done),
    );
    admin.clearLog();
    const requests = branches.map((branchId, index) => ({
      urn: `urn:pulumi:bench::bench::pgcompute:index:Endpoint::endpoint${index}`,
      inputs: struct.Struct.fromJavaScript({ projectId, branchId, sizeCu: 1, type: "read_write" }),
    }));
    const started = performance.now();
    for (const { urn, inputs } of requests) {
      const request = new proto.CheckRequest().setUrn(urn).setNews(inputs);
      const response = await call<proto.CheckResponse>((done) => client.check(request, done));
      if (response.getFailuresList().length > 0) throw new Error(response.getFailuresList()[0]?.getReason());
    }
    const checked = performance.now();
    const waiting = [...requests];
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const request = new proto.CreateRequest().setUrn(next.urn).setProperties(next.inputs);
        await call((done) => client.create(request, done));
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    const [, kb = "0"] = readFileSync(`/proc/${child.pid}/status`, "utf8").match(/VmHWM:\s+(\d+) kB/) ?? [];
    client.close();
    return {
      count,
      checkMs: checked - started,
      createMs: performance.now() - checked,
      calls: admin.log().length,
      refused: admin.log().filter(({ status }) => status === 423 || status === 429).length,
      peakMb: Number(kb) / KB_PER_MB,
    };
  } finally {
    child.kill("SIGKILL");
    await emulator.close();
  }
}

function call<T>(send: (done: (error: Error | null, response: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    send((error, response) => (error ? reject(error) : resolve(response)));
  });
}
