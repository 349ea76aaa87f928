/**
 * `make release VERSION=X.Y.Z`: raises the version everywhere, dates the changelogs, commits, and tags the sources and
 * their build. Pushes nothing: once pushed, the sources' tag starts the release's workflow.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npm } from "../npm.mjs";
import { identity } from "../pack/identity.mjs";
import { pack } from "../pack/main.mjs";
import { root } from "../root.mjs";
import { tagPackages } from "./built-tag.mjs";
import { raiseVersion, reasonsAgainst, releaseChangelog } from "./plan.mjs";

const version = process.env.VERSION ?? "";
const { version: current } = JSON.parse(read("package.json"));
const reasons = reasonsAgainst({
  version,
  current,
  changelog: read("CHANGELOG.md"),
  dirty: run("git", "status", "--porcelain") !== "",
  repository: identity.repository,
  origin: spawnSync("git", ["remote", "get-url", "origin"], { cwd: root, encoding: "utf8" }).stdout.trim(),
});
if (reasons.length > 0) {
  for (const reason of reasons) console.error(`release: ${reason}`);
  process.exitCode = 1;
} else {
  for (const file of ["CHANGELOG.md", "emulator/CHANGELOG.md"])
    write(file, (text) => releaseChangelog(text, version, new Date().toISOString().slice(0, 10)));
  const both = ["--workspaces", "--include-workspace-root"];
  npm(["version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts", ...both], { cwd: root });
  for (const file of run("git", "ls-files", "*.md", "examples/*/package.json", "examples/*.yml").split("\n"))
    if (!/^((emulator\/)?CHANGELOG\.md|docs\/decisions\/)/.test(file))
      write(file, (text) => raiseVersion(text, current, version));
  run(process.execPath, "--import", "tsx", "tools/generate.ts");
  run("git", "commit", "--all", "--message", `Release ${version}`);
  run("git", "tag", "--annotate", `source-v${version}`, "--message", `Release ${version}`);
  const tags = await tagBuilds();
  console.log(`release: ${version} is committed and tagged. On GitHub this starts the release:

  git push --follow-tags

Elsewhere this is the release, for whoever installs from the git address:

  git push --follow-tags && git push origin ${tags.join(" ")}`);
}

/** Builds, packs and tags the committed sources, as the workflow does. */
async function tagBuilds() {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-pgcompute-"));
  try {
    npm(["run", "--silent", "build"], { cwd: root });
    const { npm: tarballs } = await pack(join(folder, "out"), { platforms: [], pluginUrl: identity.pluginUrl });
    return tagPackages(tarballs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} file */
function read(file) {
  return readFileSync(join(root, file), "utf8");
}

/**
 * @param {string} file
 * @param {(text: string) => string} change
 */
function write(file, change) {
  const before = read(file);
  const after = change(before);
  if (after !== before) writeFileSync(join(root, file), after);
}

/**
 * @param {string} command
 * @param {...string} args
 */
function run(command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${command} ${args[0]} failed (exit code ${status}):\n${stdout}${stderr}`);
  return stdout.trim();
}
