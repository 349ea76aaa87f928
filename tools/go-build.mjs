/** Builds Go tools, each from a module with pinned dependencies. */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** Go's settings for a build, whatever the user's. Without CGO it needs no C compiler. */
const settings = {
  flags: ["-trimpath", "-v", "-mod=readonly"],
  env: { CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "" },
};

/** The environment of every Go command. */
export const goEnv = { ...process.env, ...settings.env };

/**
 * The name of a build: the processor, and 12 hex digits over everything that the build depends on.
 *
 * @param {string} moduleFolder
 */
export function buildId(moduleFolder) {
  const hash = createHash("sha256").update(JSON.stringify(settings));
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(moduleFolder, file)));
  return `${process.arch}-${hash.digest("hex").slice(0, 12)}`;
}

/**
 * Builds packages into a folder, or one into a file, which appears once complete.
 *
 * @param {object} build
 * @param {string} build.moduleFolder
 * @param {string[]} build.packages
 * @param {string} build.to
 * @param {string[]} [build.flags]
 * @param {(line: string) => void} build.log called every few seconds with the progress
 * @throws {Error} when there is no Go, or the build fails
 */
export async function buildWithGo({ moduleFolder, packages, to, flags = [], log }) {
  // Beside the target, for a rename on one file system; parallel builds do not collide.
  const partial = `${to}.${process.pid}-${randomBytes(4).toString("hex")}.partial`;
  const isFolder = packages.length > 1;
  mkdirSync(isFolder ? partial : dirname(to), { recursive: true });
  try {
    // The trailing separator makes -o a folder.
    const out = isFolder ? join(partial, "/") : partial;
    await runWithProgress(["build", ...settings.flags, ...flags, "-o", out, ...packages], moduleFolder, log);
    try {
      renameSync(partial, to);
    } catch (error) {
      if (!existsSync(to)) throw error; // Another clone was first, with the same bytes.
    }
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/**
 * Runs go build, which prints each package, and reports progress every few seconds.
 *
 * @param {string[]} args
 * @param {string} cwd
 * @param {(line: string) => void} log
 * @returns {Promise<void>}
 */
function runWithProgress(args, cwd, log) {
  return new Promise((resolve, reject) => {
    const child = spawn("go", args, { cwd, env: goEnv, stdio: ["ignore", "ignore", "pipe"] });
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
      log(`${seconds()}, ${downloads} modules fetched, ${packages} packages compiled, now ${last}`);
    }, 5000);
    child.on("error", (error) => {
      clearInterval(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearInterval(timer);
      if (code === 0) return resolve();
      const said = lines.slice(-20).join("\n");
      reject(new Error(`the build failed after ${seconds()} (go exited ${code}):\n${said}`));
    });
  });
}
