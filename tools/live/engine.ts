/** The real engine on a YAML program of two endpoints, with the plugin of this tree and a state in a folder of its own. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engineEnvironment } from "../../tests/engine/support/environment";
import { runPulumi } from "../../tests/engine/support/process";
import { engineBin } from "../engine/install.mjs";
import { cache } from "../root.mjs";

/** Inputs of the program's endpoints, by name. */
export type Program = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A stack under way. */
export interface Engine {
  /** `pulumi up` of a program. Rejects with the engine's text where it fails. */
  up(program: Program): Promise<void>;
  destroy(): Promise<void>;
  /** Removes the folder with the state. */
  close(): void;
}

/** Makes an empty stack that is configured for a platform. */
export async function openEngine(platform: { url: string; apiKey: string }, signal: AbortSignal): Promise<Engine> {
  const bin = await engineBin();
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, `live-${process.pid}-`));
  const folders = {
    bin,
    program: join(folder, "program"),
    backend: join(folder, "backend"),
    home: join(folder, "home"),
  };
  for (const path of [folders.program, folders.backend, folders.home]) mkdirSync(path);
  const env = { ...engineEnvironment(folders), PULUMI_CONFIG_PASSPHRASE: "live" };
  const pulumi = async (...args: string[]) => {
    const ended = await runPulumi(bin, [...args, "--non-interactive"], { cwd: folders.program, env, signal });
    if (ended.code !== 0) throw new Error(`pulumi ${args[0]} ended with ${ended.code}:\n${ended.text}`);
  };
  // JSON is YAML.
  const write = (resources: object) =>
    writeFileSync(
      join(folders.program, "Pulumi.yaml"),
      JSON.stringify({ name: "pgcompute-live", runtime: "yaml", resources }),
    );
  const engine: Engine = {
    async up(program) {
      const resources = Object.entries(program).map(([name, properties]) => [
        name,
        { type: "pgcompute:index:Endpoint", properties },
      ]);
      write(Object.fromEntries(resources));
      await pulumi("up", "--yes", "--skip-preview", "--stack", "dev");
    },
    destroy: () => pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev"),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
  try {
    write({});
    await pulumi("stack", "init", "dev");
    const config = [
      "--plaintext",
      `pgcompute:baseUrl=${platform.url}`,
      "--secret",
      `pgcompute:apiKey=${platform.apiKey}`,
    ];
    await pulumi("config", "set-all", "--stack", "dev", ...config);
    return engine;
  } catch (error) {
    engine.close();
    throw error;
  }
}
