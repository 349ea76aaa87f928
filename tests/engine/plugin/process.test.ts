import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ConfigureRequest, CreateRequest, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { afterEach, describe, expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";
import { endpointsOn, useBench } from "../support/platform";
import { call, type PluginProcess, startPlugin } from "./support/plugin-process";

const bench = useBench();
const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const started: PluginProcess[] = [];

async function start(options: Parameters<typeof startPlugin>[0] = {}): Promise<PluginProcess> {
  const plugin = await startPlugin(options);
  started.push(plugin);
  return plugin;
}

afterEach(() => {
  for (const plugin of started.splice(0)) plugin.close();
});

/** The environment of a process in which SIGUSR2 runs this code. */
function onSignal(code: string): Record<string, string> {
  const preload = `process.on("SIGUSR2", () => { ${code} })`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
}

async function versionOf({ client }: PluginProcess): Promise<string> {
  return (await call<PluginInfo>((done) => client.getPluginInfo(new Empty(), done))).getVersion();
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
    const plugin = await start();
    expect(await versionOf(plugin)).toMatch(/^\d+\.\d+\.\d+/);
    const { list: _streams, ...unary } = ResourceProviderService;
    const asIs = (value: Uint8Array) => Buffer.from(value);
    const send = (path: string, ...bytes: number[]) =>
      call((done) => plugin.client.makeUnaryRequest(path, asIs, asIs, new Uint8Array(bytes), done as never));
    for (const { path } of Object.values(unary)) {
      await expect(send(path, 0xff, 0xff, 0xff, 0x07, 0x01)).rejects.toThrow();
      await send(path).catch(() => {});
    }
    expect(await versionOf(plugin)).toMatch(/^\d/);
    expect(plugin.stderr()).toBe("");
  });

  it.each([
    ["was thrown", "throw new Error('at nobody')"],
    ["was rejected", "Promise.reject(new Error('at nobody'))"],
  ])("ends where an error %s that nobody caught, and says it in a line", async (_, fault) => {
    const plugin = await start({ env: onSignal(fault) });
    plugin.process.kill("SIGUSR2");
    expect(await plugin.ended).toBe(1);
    expect(plugin.stderr()).toBe("pgcompute: a bug in the provider itself, please report it: Error: at nobody\n");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends on %s", async (signal) => {
    const plugin = await start();
    plugin.process.kill(signal);
    expect(await plugin.ended).toBe(0);
  });

  it("ends when the engine's pipe closes", async () => {
    const listener = createServer();
    const engine = await listening(listener);
    const plugin = await start({ engine });
    plugin.process.stdin?.destroy();
    expect(await plugin.ended).toBe(0);
    listener.close();
  });

  it("ends when nobody listens at the engine's address any more, and not sooner", async () => {
    const listener = createServer((socket) => socket.destroy());
    const visits: Promise<unknown> = new Promise((resolve) => listener.once("connection", resolve));
    const plugin = await start({ engine: await listening(listener), stdin: "ignore" });
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
    const plugin = await start({ env: onSignal("throw new Error('at nobody')") });
    const args = Struct.fromJavaScript({ baseUrl: url, apiKey });
    await call((done) => plugin.client.configure(new ConfigureRequest().setArgs(args), done));
    const properties = Struct.fromJavaScript({ projectId: bench.projectId, branchId, type: "read_write" });
    const request = new CreateRequest().setUrn(urn).setProperties(properties);
    const failed = call((done) => plugin.client.create(request, done)).then(
      () => undefined,
      (error) => error,
    );
    await expect.poll(() => endpointsOn(bench, branchId)).toHaveLength(1);
    await expect.poll(() => admin.log().some(({ route }) => route === "operations.get")).toBe(true);
    for (const signal of signals) plugin.process.kill(signal);
    const [bytes] = (await failed).metadata.get("grpc-status-details-bin");
    const [detail] = Status.deserializeBinary(bytes).getDetailsList();
    const partial = ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
    expect(partial.getId()).toBe(`${bench.projectId}/${endpointsOn(bench, branchId)[0]?.id}`);
    expect(await plugin.ended).toBe(code);
    admin.removeFault(fault);
  });
});

function listening(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
}
