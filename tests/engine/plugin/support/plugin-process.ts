import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { onTestFinished } from "vitest";
import { root } from "../../../../tools/root.mjs";
import { answersOf, type CallName } from "../../../support/messages";

/** The plugin as a process of its own, started as the engine starts it. */
export type PluginProcess = Awaited<ReturnType<typeof startPlugin>>;

/** How to start the plugin. */
export interface PluginOptions {
  /** The address that it reports to. */
  engine?: string | undefined;
  stdin?: "pipe" | "ignore";
  env?: Record<string, string>;
  /** The command line before the engine's address; the plugin's own executable where there is none. */
  command?: [string, ...string[]];
}

/** Starts the built plugin and waits until it has printed its port. */
export async function startPlugin(options: PluginOptions = {}) {
  const [command, ...before] = options.command ?? [join(root, "bin", "pulumi-resource-pgcompute")];
  const args = options.engine === undefined ? before : [...before, options.engine];
  const child = spawn(command, args, {
    stdio: [options.stdin ?? "pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH ?? "", ...options.env },
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  /** The exit code, or the signal that ended it, once all that it wrote has come. */
  const ended: Promise<number | string> = once(child, "close").then(([code, signal]) => code ?? signal);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [port] = await Promise.race([
    once(lines, "line"),
    ended.then((how) => Promise.reject(new Error(`the plugin ended (${how}) before it served:\n${stderr}`))),
  ]);
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    ...{ process: child, client, ended },
    close: () => {
      client.close();
      child.kill("SIGKILL");
    },
    /** Makes a call with plain values, and gives the answer so. */
    call: async <T = Record<string, unknown>>(name: CallName, fields: Record<string, unknown> = {}) =>
      (await answersOf<T>(client, name, fields))[0] as T,
    /** What it wrote on stderr so far. */
    stderr: () => stderr,
  };
}

/** Starts one that is closed with the test. */
export async function usePlugin(options: PluginOptions = {}): Promise<PluginProcess> {
  const plugin = await startPlugin(options);
  onTestFinished(plugin.close);
  return plugin;
}
