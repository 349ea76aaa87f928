/** A stack on the real engine in its own folder, with a YAML program and the plugin of this tree. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineEnvironment } from "../../tests/engine/support/environment";
import { runPulumi } from "../../tests/engine/support/process";
import { cache } from "../root.mjs";
import { engineBin } from "./install.mjs";

/** Properties of the program's endpoints, by name. */
export type Endpoints = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An open stack. */
export interface EngineStack {
  /** Makes a program of these endpoints. */
  declare(endpoints: Endpoints): void;
  /** Runs `pulumi` and returns its stdout; rejects with all output on failure. */
  pulumi(...args: string[]): Promise<string>;
  /** Removes the program and its state. */
  close(): void;
}

/** Opens an empty stack `prod` of a project `shop`, configured for a platform. The caller closes it. */
export async function openStack(platform: { url: string; apiKey: string }, signal?: AbortSignal): Promise<EngineStack> {
  const bin = await engineBin();
  mkdirSync(cache, { recursive: true });
  const base = mkdtempSync(join(cache, `stack-${process.pid}-`));
  const folders = { bin, program: join(base, "program"), backend: join(base, "backend"), home: join(base, "home") };
  for (const folder of [folders.program, folders.backend, folders.home]) mkdirSync(folder);
  const env = { ...engineEnvironment(folders), PULUMI_CONFIG_PASSPHRASE: "stack" };
  const stack: EngineStack = {
    declare(endpoints) {
      const resources = Object.entries(endpoints).map(([name, properties]) => [
        name,
        { type: "pgcompute:index:Endpoint", properties },
      ]);
      const program = { name: "shop", runtime: "yaml", resources: Object.fromEntries(resources) };
      // JSON is YAML.
      writeFileSync(join(folders.program, "Pulumi.yaml"), JSON.stringify(program));
    },
    async pulumi(...args) {
      const ended = await runPulumi(bin, [...args, "--non-interactive"], {
        cwd: folders.program,
        env,
        ...(signal && { signal }),
      });
      if (ended.code === 0) return ended.stdout;
      throw new Error(`pulumi ${args[0]} ended with ${ended.code}:\n${ended.text}`);
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  };
  try {
    stack.declare({});
    await stack.pulumi("stack", "init", "prod");
    await stack.pulumi("config", "set", "pgcompute:baseUrl", platform.url);
    await stack.pulumi("config", "set", "--secret", "pgcompute:apiKey", platform.apiKey);
    return stack;
  } catch (error) {
    stack.close();
    throw error;
  }
}
