import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { listen } from "../support/listen";
import { type PluginProcess, usePlugin } from "./support/plugin-process";

const listener = createServer((socket) => socket.destroy());
afterEach(() => void listener.close());

/** Starts the folder as Pulumi's Node.js language host does, which is what `PulumiPlugin.yaml` asks for. */
async function startFolder(): Promise<PluginProcess> {
  const runPlugin = createRequire(join(root, "package.json")).resolve("@pulumi/pulumi/cmd/run-plugin");
  const engine = await listen(listener);
  // The host leaves it nothing to read from, and compiles by the tsconfig.json of the working folder, which here is one
  // that minds plain JavaScript, too.
  return usePlugin({ command: [process.execPath, runPlugin, root], engine, stdin: "ignore" });
}

describe("the folder as a package", () => {
  it("serves under the language host that PulumiPlugin.yaml names, and ends on SIGINT", async () => {
    expect(parse(readFileSync(join(root, "PulumiPlugin.yaml"), "utf8"))).toEqual({ runtime: "nodejs" });
    const plugin = await startFolder();
    const { schema } = await plugin.call<{ schema: string }>("getSchema");
    expect(JSON.parse(schema)).toMatchObject({ name: "pgcompute" });
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
