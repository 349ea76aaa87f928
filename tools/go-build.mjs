/** Builds tools that are written in Go, each from a module that pins what it needs. */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** What a build asks of Go, whatever the user has set. Without CGO it needs no C compiler. */
const settings = {
  flags: ["-trimpath", "-v", "-mod=readonly"],
  env: { CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "" },
};

/** The environment of every call of Go. */
export const goEnv = { ...process.env, ...settings.env };

/**
 * Names a build: the machine's processor, and 12 hex digits that change with everything that the build depends on.
 *
 * @param {string} moduleFolder
 */
export function buildId(moduleFolder) {
  const hash = createHash("sha256").update(JSON.stringify(settings));
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(moduleFolder, file)));
  return `${process.arch}-${hash.digest("hex").slice(0, 12)}`;
}

/**
 * Builds packages into a folder, or a single one into a file, which appears only when it is complete.
 *
 * @param {object} build
 * @param {string} build.moduleFolder
 * @param {string[]} build.packages
 * @param {string} build.to
 * @param {string[]} [build.flags]
 * @param {(line: string) => void} build.log told every few seconds how far it is
 * @throws {Error} when there is no Go, or the build fails
 */
export async function buildWithGo({ moduleFolder, packages, to, flags = [], log }) {
  // Beside its place, so that the rename stays on one file system; clones that build at once do not meet.
  const partial = `${to}.${process.pid}-${randomBytes(4).toString("hex")}.partial`;
  const isFolder = packages.length > 1;
  mkdirSync(isFolder ? partial : dirname(to), { recursive: true });
  try {
    // The closing separator makes -o a folder.
    const out = isFolder ? join(partial, "/") : partial;
    await runWithProgress(["build", ...settings.flags, ...flags, "-o", out, ...packages], moduleFolder, log);
    try {
      renameSync(partial, to);
    } catch (error) {
      if (!existsSync(to)) throw error; // else another clone was first, with the same bytes
    }
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/**
 * Runs go build, which names a package per line as it compiles, and says every few seconds how far it is.
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
