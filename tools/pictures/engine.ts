import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../emulator";
import { engineEnvironment } from "../../tests/engine/support/environment";
import { runPulumi } from "../../tests/engine/support/process";
import { engineBin } from "../engine/install.mjs";
import { cache } from "../root.mjs";

/** Properties of the program's endpoints by name; the project is added. */
export type Endpoints = Record<string, Record<string, unknown>>;

/** A stack `prod` of the real engine, with the plugin, against an emulator. */
export interface PictureEngine {
  /** Makes these endpoints the program. */
  declare(endpoints: Endpoints): void;
  /** Runs `pulumi` to its end and gives what it wrote to stdout; rejects with all of it where it fails. */
  pulumi(...args: string[]): Promise<string>;
  /** Removes the program and its state. */
  close(): void;
}

/** Opens an engine of its own for a picture. The caller closes it. */
export async function openEngine({ projectId, url, apiKey }: Emulator): Promise<PictureEngine> {
  const bin = await engineBin();
  mkdirSync(cache, { recursive: true });
  const base = mkdtempSync(join(cache, `picture-${process.pid}-`));
  const folders = { bin, program: join(base, "program"), backend: join(base, "backend"), home: join(base, "home") };
  for (const folder of [folders.program, folders.backend, folders.home]) mkdirSync(folder);
  const env = { ...engineEnvironment(folders), PULUMI_CONFIG_PASSPHRASE: "picture" };
  const engine: PictureEngine = {
    declare(endpoints) {
      const resources = Object.entries(endpoints).map(([name, properties]) => [
        name,
        { type: "pgcompute:index:Endpoint", properties: { projectId, ...properties } },
      ]);
      const program = { name: "shop", runtime: "yaml", resources: Object.fromEntries(resources) };
      writeFileSync(join(folders.program, "Pulumi.yaml"), JSON.stringify(program));
    },
    async pulumi(...args) {
      const ended = await runPulumi(bin, args, { cwd: folders.program, env });
      if (ended.code === 0) return ended.stdout;
      throw new Error(`pulumi ${args.join(" ")} failed:\n${ended.text}`);
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  };
  try {
    engine.declare({});
    await engine.pulumi("stack", "init", "prod");
    await engine.pulumi("config", "set", "pgcompute:baseUrl", url);
    await engine.pulumi("config", "set", "--secret", "pgcompute:apiKey", apiKey);
    return engine;
  } catch (error) {
    engine.close();
    throw error;
  }
}
