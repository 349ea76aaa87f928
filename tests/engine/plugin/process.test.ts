import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { describe, expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";
import { partialOf } from "../../provider/pulumi/plugin/support/open-service";
import { type CallName, send } from "../../support/messages";
import { listen } from "../support/listen";
import { useBench } from "../support/platform";
import { type PluginProcess, usePlugin } from "./support/plugin-process";

const bench = useBench();
const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";

/** The environment of a process in which SIGUSR2 runs this code. */
function onSignal(code: string): Record<string, string> {
  const preload = `process.on("SIGUSR2", () => { ${code} })`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
}

async function versionOf({ call }: PluginProcess): Promise<string> {
  return (await call<{ version: string }>("getPluginInfo")).version;
}

describe("the plugin's process", () => {
  it.each([
    ["--version", /^\d+\.\d+\.\d+\n$/],
    ["--help", /^pulumi-resource-pgcompute \d[\s\S]*--version {3}print the version\n/],
  ])("answers %s and ends", async (option, expected) => {
    const { stdout, stderr } = await promisify(execFile)(join(root, "bin/pulumi-resource-pgcompute"), [option]);
    expect(stdout).toMatch(expected);
    expect(stderr).toBe("");
  });

  it("serves on, whatever bytes it is sent", async () => {
    const plugin = await usePlugin();
    expect(await versionOf(plugin)).toMatch(/^\d+\.\d+\.\d+/);
    for (const name of Object.keys(ResourceProviderService) as CallName[]) {
      await expect(send(plugin.client, name, Buffer.from([0xff, 0xff, 0xff, 0x07, 0x01]))).rejects.toThrow();
      await send(plugin.client, name, Buffer.of()).catch(() => {});
    }
    expect(await versionOf(plugin)).toMatch(/^\d/);
    expect(plugin.stderr()).toBe("");
  });

  it.each([
    ["was thrown", "throw new Error('at nobody')"],
    ["was rejected", "Promise.reject(new Error('at nobody'))"],
  ])("ends where an error %s that nobody caught, and says it in a line", async (_, fault) => {
    const plugin = await usePlugin({ env: onSignal(fault) });
    plugin.process.kill("SIGUSR2");
    expect(await plugin.ended).toBe(1);
    expect(plugin.stderr()).toBe("pgcompute: a bug in the provider itself, please report it: Error: at nobody\n");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends on %s", async (signal) => {
    const plugin = await usePlugin();
    plugin.process.kill(signal);
    expect(await plugin.ended).toBe(0);
  });

  it("ends when the engine's pipe closes", async () => {
    const listener = createServer();
    const plugin = await usePlugin({ engine: await listen(listener) });
    plugin.process.stdin?.destroy();
    expect(await plugin.ended).toBe(0);
    listener.close();
  });

  it("ends when nobody listens at the engine's address any more, and not sooner", async () => {
    const listener = createServer((socket) => socket.destroy());
    const visits: Promise<unknown> = new Promise((resolve) => listener.once("connection", resolve));
    const plugin = await usePlugin({ engine: await listen(listener), stdin: "ignore" });
    await visits;
    expect(await versionOf(plugin)).toMatch(/^\d/);
    listener.close();
    expect(await plugin.ended).toBe(0);
  });

  it.each([
    ["on a signal", ["SIGTERM"], 0],
    ["on two signals", ["SIGINT", "SIGTERM"], 0],
    ["on a fault", ["SIGUSR2"], 1],
  ] as const)("tells the partial state of open changes before it ends %s", async (_, signals, code) => {
    const branchId = bench.branch();
    const { url, apiKey, admin } = bench.emulator;
    const fault = admin.addFault({ on: "operation", branchId, effect: { kind: "hang" } });
    admin.clearLog();
    const plugin = await usePlugin({ env: onSignal("throw new Error('at nobody')") });
    await plugin.call("configure", { args: { baseUrl: url, apiKey } });
    const properties = { projectId: bench.projectId, branchId, type: "read_write" };
    const failed = plugin.call("create", { urn, properties }).catch((error) => partialOf(error));
    await expect.poll(() => bench.on(branchId)).toHaveLength(1);
    await expect.poll(() => admin.log().some(({ route }) => route === "operations.get")).toBe(true);
    for (const signal of signals) plugin.process.kill(signal);
    expect(await failed).toMatchObject({ id: `${bench.projectId}/${bench.on(branchId)[0]?.id}` });
    expect(await plugin.ended).toBe(code);
    admin.removeFault(fault);
  });
});
