/** Builds the pinned engine with Go. */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isAtLeast, moduleFolder, pinnedVersions } from "./versions.mjs";

const packages = [
  "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
];

/** What the build asks of Go, whatever the user has set. Without CGO it needs no C compiler. */
export const buildSettings = {
  flags: ["-trimpath", "-v", "-mod=readonly"],
  env: { CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "" },
};

/**
 * Builds the engine and its YAML host into the folder, which appears only when it is complete.
 *
 * @param {string} bin
 * @param {(line: string) => void} log told every few seconds how far it is
 * @throws {Error} when there is no Go that can, or the build fails
 */
export async function buildEngine(bin, log) {
  requireGo();
  const { engine, yaml } = pinnedVersions();
  log(`engine: building Pulumi ${engine} and its YAML host ${yaml}, once for all clones (minutes the first time)`);
  // Beside its place, so that the rename stays on one file system; clones that build at once do not meet.
  const partial = `${bin}.${process.pid}-${randomBytes(4).toString("hex")}.partial`;
  mkdirSync(partial, { recursive: true });
  try {
    const stamp = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${engine}`;
    // The closing separator makes -o a folder.
    const args = ["build", ...buildSettings.flags, "-ldflags", stamp, "-o", join(partial, "/"), ...packages];
    await runWithProgress("go", args, log);
    try {
      renameSync(partial, bin);
    } catch (error) {
      if (!existsSync(bin)) throw error; // else another clone was first, with the same bytes
    }
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  log(`engine: ready in ${bin}`);
}

/**
 * Runs go build, which names a package a line as it compiles, and says every few seconds how far it is.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {(line: string) => void} log
 * @returns {Promise<void>}
 */
function runWithProgress(command, args, log) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: moduleFolder,
      env: { ...process.env, ...buildSettings.env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const startedMs = Date.now();
    /** @type {string[]} */
    const lines = [];
    let downloads = 0;
    let packages = 0;
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      if (line.startsWith("go: downloading ")) downloads += 1;
      else if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) packages += 1;
    });
    const seconds = () => `${Math.round((Date.now() - startedMs) / 1000)} s`;
    const timer = setInterval(() => {
      const last = lines.at(-1)?.replace("go: ", "") ?? "reading modules";
      log(`engine: ${seconds()}, ${downloads} modules fetched, ${packages} packages compiled, now ${last}`);
    }, 5000);
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(timer);
      if (code === 0) return resolve();
      const said = lines.slice(-20).join("\n");
      reject(new Error(`building the engine failed after ${seconds()} (go exited ${code}):\n${said}`));
    });
  });
}

/** Fails with the next step when there is no Go that this module accepts. */
function requireGo() {
  // Run in this folder, go reads go.mod first: it fetches a newer toolchain where GOTOOLCHAIN lets it.
  const result = spawnSync("go", ["env", "GOVERSION"], {
    cwd: moduleFolder,
    env: { ...process.env, ...buildSettings.env },
    encoding: "utf8",
  });
  const { go: needed } = pinnedVersions();
  const ways =
    `Install Go ${needed} or newer (or set GOTOOLCHAIN=auto, so that an older Go fetches it), ` +
    `or a recent Pulumi CLI with its YAML language host, and run this again.`;
  if (result.error) throw new Error(`there is no recent Pulumi CLI on PATH and no Go to build one with. ${ways}`);
  const found = result.stdout.trim().replace(/^go/, "");
  if (result.status !== 0 || !isAtLeast(found, needed))
    throw new Error(`this Go cannot build the engine: ${result.stderr.trim() || `it is ${found}`}. ${ways}`);
}
