/**
 * A release's last steps: checks the packed files against their sums, publishes and tags the npm tarballs, and makes
 * GitHub's release of that tag. `node tools/release/publish.mjs FOLDER`; the tests use a registry and a folder of their
 * own.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { npmCommand } from "../npm.mjs";
import { isScript, root } from "../root.mjs";
import { tagPackages } from "./built-tag.mjs";

const run = promisify(execFile);

/** In this order: the provider's `init` names the emulator. */
const names = ["pgcompute-emulator", "pulumi-pgcompute"];

/**
 * @param {string} folder what `make dist` packed
 * @param {object} to
 * @param {string[]} to.npm options of npm
 * @param {(files: string[], version: string) => Promise<void>} to.release takes every file, and makes them public
 * @throws {Error} before anything is published, when a file is not what its sum says, or the registry has other contents of the version
 */
export async function publish(folder, to) {
  const files = checkedFiles(folder);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  /** @type {string[]} */
  const missing = [];
  for (const name of names) {
    const tarball = files.find((file) => basename(file) === `${name}-${version}.tgz`);
    if (tarball === undefined) throw new Error(`${folder} has no npm tarball ${name}-${version}.tgz`);
    // After a failed GitHub release, the registry already has the tarball.
    const there = await publishedIntegrity(`${name}@${version}`, to.npm);
    if (there === undefined) missing.push(tarball);
    else if (there !== integrityOf(tarball)) throw new Error(`the registry has other contents of ${name}@${version}`);
  }
  // First the step that the registry may refuse, and that cannot be undone: the GitHub release refers to it.
  for (const tarball of missing) await run(...npmCommand(["publish", tarball, "--access", "public", ...to.npm]));
  await to.release([...files, join(folder, "SHA256SUMS")], version);
}

/**
 * @param {string} release such as `pulumi-pgcompute@0.1.0`
 * @param {string[]} options
 * @returns {Promise<string | undefined>} the checksum of what the registry has; nothing where it has none, or does not say
 */
async function publishedIntegrity(release, options) {
  const args = ["view", release, "dist.integrity", ...options];
  const { stdout } = await run(...npmCommand(args)).catch(() => ({ stdout: "" }));
  return stdout.trim() || undefined;
}

/** @param {string} file */
function integrityOf(file) {
  return `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
}

/**
 * @param {string} folder
 * @returns {string[]} the files that SHA256SUMS names, absolute
 */
function checkedFiles(folder) {
  const lines = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [sum, name = ""] = line.split("  ");
    const file = join(folder, name);
    const found = createHash("sha256").update(readFileSync(file)).digest("hex");
    if (found !== sum) throw new Error(`${name} is not what SHA256SUMS says`);
    return file;
  });
}

/**
 * @param {string[]} files
 * @param {string} version
 */
async function releaseOnGithub(files, version) {
  const tag = `v${version}`;
  const tags = tagPackages(files);
  await run("gh", ["auth", "setup-git"], { cwd: root });
  await run("git", ["push", "origin", ...tags.map((one) => `refs/tags/${one}`)], { cwd: root });
  const notes = `CHANGELOG.md has what changed. Check a file by \`gh attestation verify FILE\` or SHA256SUMS.`;
  await run("gh", ["release", "create", tag, "--verify-tag", "--title", tag, "--notes", notes, ...files], {
    cwd: root,
  });
}

if (isScript(import.meta.url)) {
  await publish(process.argv[2] ?? join(root, "out"), { npm: ["--provenance"], release: releaseOnGithub });
}
