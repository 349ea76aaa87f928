/** An empty stack with a key, made once: each project's begins as a copy, for two processes of the engine a project are a quarter of a short test. */
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

/**
 * Copies the template into a project's folders, which are there, with this configuration as `ProjectOptions.config` has it. Gives
 * the entries that only the engine can write: secrets that the template does not have.
 */
export function copyTemplate<V extends string | { secret: string }>(
  base: string,
  { program, backend }: Folders,
  name: string,
  config: Record<string, V>,
): Record<string, V> {
  cpSync(join(base, "backend"), backend, { recursive: true });
  const stacks = join(backend, ".pulumi", "stacks");
  renameSync(join(stacks, TEMPLATE), join(stacks, name));
  const state = join(stacks, name, "dev.json");
  writeFileSync(state, readFileSync(state, "utf8").replaceAll(TEMPLATE, name));
  const [head = "", key] = readFileSync(join(base, "program", CONFIG), "utf8").split(
    /^config:\n\s+pgcompute:apiKey:\n\s+secure: /m,
  );
  if (!key) throw new Error(`${CONFIG} of the template is not as expected`);
  const others: Record<string, V> = {};
  const lines = Object.entries(config).flatMap(([path, value]) => {
    if (typeof value === "string") return [`  ${path}: ${JSON.stringify(value)}`];
    if (value.secret === API_KEY) return [`  ${path}:`, `    secure: ${key.trim()}`];
    others[path] = value;
    return [];
  });
  writeFileSync(
    join(program, CONFIG),
    [head.trimEnd(), ...(lines.length > 0 ? ["config:", ...lines] : []), ""].join("\n"),
  );
  return others;
}
