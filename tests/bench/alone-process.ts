import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { root } from "../../tools/root.mjs";
import { peakOf, processorTimeOf } from "./process-cost";

/** The plugin as a process of its own, with nothing between it and the bench. */
export interface AloneProcess {
  client: InstanceType<typeof services.ResourceProviderClient>;
  /** The process's own peak of resident memory, in MB. */
  peakMb(): number;
  /** Its processor time since it was configured, in milliseconds. */
  processorMs(): number;
  close(): void;
}

/** Starts the built plugin, or another one, as the engine does, and configures it. Linux only, for what it costs. */
export async function startAlone(
  env: Record<string, string>,
  file = join(root, "bin/pulumi-resource-pgcompute"),
): Promise<AloneProcess> {
  const child = spawn(file, [], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [port] = await once(child.stdout, "data");
  const address = `127.0.0.1:${String(port).trim()}`;
  const client = new services.ResourceProviderClient(address, credentials.createInsecure());
  await call((done) => client.configure(new proto.ConfigureRequest().setArgs(struct.Struct.fromJavaScript({})), done));
  const { pid = 0 } = child;
  const beforeMs = processorTimeOf(pid);
  return {
    client,
    peakMb: () => peakOf(pid),
    processorMs: () => processorTimeOf(pid) - beforeMs,
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
