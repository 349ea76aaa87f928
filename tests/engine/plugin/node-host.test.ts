import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { GetSchemaRequest, type GetSchemaResponse } from "@pulumi/pulumi/proto/provider_pb";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { call, type PluginProcess, startPlugin } from "./support/plugin-process";

const started: PluginProcess[] = [];
const listener = createServer((socket) => socket.destroy());

afterEach(() => {
  for (const plugin of started.splice(0)) plugin.close();
  listener.close();
});

/** Starts the folder as Pulumi's Node.js language host does, which is what `PulumiPlugin.yaml` asks for. */
async function startFolder(): Promise<PluginProcess> {
  const runPlugin = createRequire(join(root, "package.json")).resolve("@pulumi/pulumi/cmd/run-plugin");
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const engine = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  // The host leaves it nothing to read from, and compiles by the tsconfig.json of the working folder, which here is one
  // that minds plain JavaScript, too.
  const plugin = await startPlugin({ command: [process.execPath, runPlugin, root], engine, stdin: "ignore" });
  started.push(plugin);
  return plugin;
}

describe("the folder as a package", () => {
  it("serves under the language host that PulumiPlugin.yaml names, and ends on SIGINT", async () => {
    expect(parse(readFileSync(join(root, "PulumiPlugin.yaml"), "utf8"))).toEqual({ runtime: "nodejs" });
    const plugin = await startFolder();
    const answer = await call<GetSchemaResponse>((done) => plugin.client.getSchema(new GetSchemaRequest(), done));
    expect(JSON.parse(answer.getSchema())).toMatchObject({ name: "pgcompute" });
    expect(plugin.stderr()).toBe("");
    plugin.process.kill("SIGINT");
    expect(await plugin.ended).toBe(0);
  });

  it("ends there when the engine goes away", async () => {
    const plugin = await startFolder();
    listener.close();
    expect(await plugin.ended).toBe(0);
  });
});
