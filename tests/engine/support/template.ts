/** An empty stack with a key, made once: each project's begins as a copy, for two processes of the engine a project are a quarter of a short test. */
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { engineEnvironment, type Folders } from "./environment";
import { SECRETS_PROVIDER } from "./key-server";
import { runPulumi } from "./process";

/** The API key of the tests' emulators, which the template's stack has encrypted. */
export const API_KEY = "key-of-the-engine-tests";

const TEMPLATE = "template-project";
const CONFIG = "Pulumi.dev.yaml";

/** Makes the template in a folder. `keys` are the variables by which the engine finds the keys of stacks. */
export async function makeTemplate(base: string, bin: string, keys: Record<string, string>): Promise<void> {
  const folders: Folders = {
    bin,
    program: join(base, "program"),
    backend: join(base, "backend"),
    home: join(base, "home"),
  };
  for (const folder of [folders.program, folders.backend, folders.home]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(folders.program, "Pulumi.yaml"), JSON.stringify({ name: TEMPLATE, runtime: "nodejs" }));
  const env = { ...engineEnvironment(folders), ...keys };
  for (const args of [
    ["stack", "init", "dev", "--secrets-provider", SECRETS_PROVIDER],
    ["config", "set", "--stack", "dev", "--secret", "pgcompute:apiKey", API_KEY],
  ]) {
    const { code, text } = await runPulumi(bin, [...args, "--non-interactive"], { cwd: folders.program, env });
    if (code !== 0) throw new Error(`pulumi ${args.slice(0, 2).join(" ")} failed:\n${text}`);
  }
}

/** Copies the template into a project's folders, which are there, without the template's configuration. */
export function copyTemplate(base: string, { program, backend }: Folders, name: string): void {
  cpSync(join(base, "backend"), backend, { recursive: true });
  const stacks = join(backend, ".pulumi", "stacks");
  renameSync(join(stacks, TEMPLATE), join(stacks, name));
  const state = join(stacks, name, "dev.json");
  writeFileSync(state, readFileSync(state, "utf8").replaceAll(TEMPLATE, name));
  const { config: _, ...stack } = read(join(base, "program"));
  writeFileSync(join(program, CONFIG), stringify(stack));
}

/**
 * Writes configuration into the file of a project's stack. Gives the entries that only the engine can write: secrets that the template does
 * not have.
 */
export function writeConfig<V extends string | { secret: string }>(
  base: string,
  { program }: Folders,
  config: Record<string, V>,
): Record<string, V> {
  const stack = read(program);
  const others: Record<string, V> = {};
  for (const [key, value] of Object.entries(config)) {
    if (typeof value === "string") stack.config = { ...stack.config, [key]: value };
    else if (value.secret === API_KEY) stack.config = { ...stack.config, [key]: ownKey(base) };
    else others[key] = value;
  }
  writeFileSync(join(program, CONFIG), stringify(stack));
  return others;
}

/** The API key as the template's stack has it encrypted, with the data key that its copies share. */
function ownKey(base: string): unknown {
  return read(join(base, "program")).config?.["pgcompute:apiKey"];
}

function read(program: string): { config?: Record<string, unknown> } {
  return parse(readFileSync(join(program, CONFIG), "utf8"));
}
