/**
 * Writes a stack's files like the engine, secrets included: two engine processes would take a quarter of a short test.
 */
import { createCipheriv, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { Folders } from "./environment";
import { WRAPPED } from "./key-server";

/** Stack configuration by full key (`pgcompute:baseUrl`); a value in `{ secret }` is kept encrypted. */
export type Config = Record<string, string | { secret: string }>;

/** What secrets are encrypted with. */
const KEY = Buffer.alloc(32, "a key for tests alone");
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString("base64");
const url = "hashivault://engine-tests";
const encryptedkey = base64(WRAPPED + base64(KEY));

/** Where the backend keeps the state of a project's stack. */
export function stateFile({ backend }: Folders, project: string, stack = "dev"): string {
  return join(backend, ".pulumi", "stacks", project, `${stack}.json`);
}

/** Makes an empty stack, whose key the server of `openKeyServer` gives. */
export function makeStack(folders: Folders, project: string, stack = "dev"): void {
  const file = stateFile(folders, project, stack);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(join(folders.backend, ".pulumi", "meta.yaml"), "version: 1\n");
  const latest = { manifest: {}, secrets_providers: { type: "cloud", state: { url, encryptedkey } } };
  const checkpoint = { stack: `organization/${project}/${stack}`, latest };
  writeFileSync(file, JSON.stringify({ version: 3, checkpoint }));
  writeConfig(folders, {}, stack);
}

/** Adds to the configuration of a stack. */
export function writeConfig({ program }: Folders, config: Config, stack = "dev"): void {
  const file = join(program, `Pulumi.${stack}.yaml`);
  const written = existsSync(file) ? parse(readFileSync(file, "utf8")) : { secretsprovider: url, encryptedkey };
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    typeof value === "string" ? value : { secure: encrypted(value.secret) },
  ]);
  writeFileSync(file, stringify({ ...written, config: { ...written.config, ...Object.fromEntries(entries) } }));
}

function encrypted(text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", KEY, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${base64(nonce)}:${base64(sealed)}`;
}
