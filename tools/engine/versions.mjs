/** The versions pinned in each go.mod, and their comparison. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the Go module that pins the engine of the demo and the tests. */
export const moduleFolder = dirname(fileURLToPath(import.meta.url));

/** The folder of the Go module that pins an earlier engine, which is still supported. */
export const earlierModuleFolder = join(moduleFolder, "earlier");

/**
 * The versions of a module's engine and YAML host (with their `v`), and the oldest Go that builds them (without).
 *
 * @param {string} [folder]
 */
export function pinnedVersions(folder = moduleFolder) {
  const goMod = readFileSync(join(folder, "go.mod"), "utf8");
  const versionOf = (/** @type {string} */ path) => new RegExp(`^\\s*${path} (\\S+)`, "m").exec(goMod)?.[1];
  const engine = versionOf("github.com/pulumi/pulumi/pkg/v3");
  const yaml = versionOf("github.com/pulumi/pulumi-yaml");
  const go = versionOf("go");
  if (!engine || !yaml || !go) throw new Error(`${join(folder, "go.mod")} must name Go, the engine and its YAML host`);
  return { engine, yaml, go };
}

/**
 * Compares dotted versions by number, ignoring any part after a hyphen or plus sign.
 *
 * @param {string} version
 * @param {string} oldest
 */
export function isAtLeast(version, oldest) {
  const numbers = (/** @type {string} */ text) => (/\d+(\.\d+)*/.exec(text)?.[0] ?? "0").split(".").map(Number);
  const [have, want] = [numbers(version), numbers(oldest)];
  for (let i = 0; i < want.length; i += 1) {
    const difference = (have[i] ?? 0) - (want[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
