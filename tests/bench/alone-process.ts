import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { root } from "../../tools/root.mjs";

/** The plugin as a process of its own, with nothing between it and the bench. */
export interface AloneProcess {
  client: InstanceType<typeof services.ResourceProviderClient>;
  /** The process's own peak of resident memory, in MB. */
  peakMb(): number;
  close(): void;
}

const KB_PER_MB = 1_024;

/** Starts the built plugin as the engine does, and configures it. Linux only, for the memory. */
export async function startAlone(env: Record<string, string>): Promise<AloneProcess> {
  const child = spawn(join(root, "bin/pulumi-resource-pgcompute"), [], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [port] = await once(child.stdout, "data");
  const address = `127.0.0.1:${String(port).trim()}`;
  const client = new services.ResourceProviderClient(address, credentials.createInsecure());
  await call((done) => client.configure(new proto.ConfigureRequest().setArgs(struct.Struct.fromJavaScript({})), done));
  return {
    client,
    peakMb() {
      const [, kb = "0"] = readFileSync(`/proc/${child.pid}/status`, "utf8").match(/VmHWM:\s+(\d+) kB/) ?? [];
      return Number(kb) / KB_PER_MB;
    },
    close() {
      client.close();
      child.kill("SIGKILL");
    },
  };
}

/** One call of the plugin, as a promise. */
export function call<T>(send: (done: (error: Error | null, response: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    send((error, response) => (error ? reject(error) : resolve(response)));
  });
}
