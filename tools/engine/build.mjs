/** Builds the pinned engine with Go. */
import { spawnSync } from "node:child_process";
import { buildWithGo, goEnv } from "../go-build.mjs";
import { isAtLeast, pinnedVersions } from "./versions.mjs";

const packages = [
  "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
];

/**
 * Builds the engine and its YAML host into the folder, which appears only when it is complete.
 *
 * @param {string} moduleFolder
 * @param {string} bin
 * @param {(line: string) => void} log told every few seconds how far it is
 * @throws {Error} when there is no Go that can, or the build fails
 */
export async function buildEngine(moduleFolder, bin, log) {
  requireGo(moduleFolder);
  const { engine, yaml } = pinnedVersions(moduleFolder);
  log(`engine: building Pulumi ${engine} and its YAML host ${yaml}, once for all clones (minutes the first time)`);
  const stamp = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${engine}`;
  const say = (/** @type {string} */ line) => log(`engine: ${line}`);
  await buildWithGo({ moduleFolder, packages, to: bin, flags: ["-ldflags", stamp], log: say });
  log(`engine: ready in ${bin}`);
}

/**
 * Throws, with the next step, without a Go that the module accepts.
 *
 * @param {string} moduleFolder
 */
function requireGo(moduleFolder) {
  // In this folder go reads go.mod first, and fetches a newer toolchain if GOTOOLCHAIN allows.
  const result = spawnSync("go", ["env", "GOVERSION"], { cwd: moduleFolder, env: goEnv, encoding: "utf8" });
  const { go: needed } = pinnedVersions(moduleFolder);
  const ways =
    `Install Go ${needed} or newer (or set GOTOOLCHAIN=auto, so that an older Go fetches it), ` +
    `or a recent Pulumi CLI with its YAML language host, and run this again.`;
  if (result.error) throw new Error(`there is no recent Pulumi CLI on PATH and no Go to build one with. ${ways}`);
  const found = result.stdout.trim().replace(/^go/, "");
  if (result.status !== 0 || !isAtLeast(found, needed))
    throw new Error(`this Go cannot build the engine: ${result.stderr.trim() || `it is ${found}`}. ${ways}`);
}
