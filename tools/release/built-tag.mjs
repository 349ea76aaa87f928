/**
 * A release for git addresses: a tag on a commit that contains the built package. Pulumi and npm need no build, and
 * clones get no history.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../root.mjs";

/**
 * Tags the contents of a release's npm tarballs: `v0.1.0` for the provider, which Pulumi and npm fetch,
 * `emulator-v0.1.0` for the emulator.
 *
 * @param {readonly string[]} tarballs
 * @param {{ repository?: string, sources?: string }} [from] the clone, and the commit in it that was built
 * @returns {string[]} the tags
 */
export function tagPackages(tarballs, from) {
  const tags = [];
  for (const tarball of tarballs) {
    const [, name, version] = /^(pulumi-pgcompute|pgcompute-emulator)-(.+)\.tgz$/.exec(basename(tarball)) ?? [];
    if (name === undefined) continue;
    const tag = `${name === "pgcompute-emulator" ? "emulator-" : ""}v${version}`;
    tagBuilt(tarball, tag, from);
    tags.push(tag);
  }
  return tags;
}

/**
 * Tags a commit without parents with the contents of an npm tarball. Author, dates and message are the source commit's,
 * so that the same sources give the same commit.
 *
 * @param {string} tarball
 * @param {string} tag such as `v0.1.0`
 * @param {{ repository?: string, sources?: string }} [from] the clone, and the commit in it that was built
 * @throws {Error} where the tag is on another commit
 */
function tagBuilt(tarball, tag, { repository = root, sources = "HEAD" } = {}) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-pgcompute-"));
  try {
    const tree = join(work, "tree");
    mkdirSync(tree);
    // The system's tar: the publishing job has none of this project's packages.
    run("tar", ["-xzf", tarball, "--strip-components=1", "-C", tree], { cwd: work });
    return tagTree(tree, tag, { repository, sources, index: join(work, "index") });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} tree the folder
 * @param {string} tag
 * @param {{ repository: string, sources: string, index: string }} from
 */
function tagTree(tree, tag, { repository, sources, index }) {
  const folder = git(["rev-parse", "--absolute-git-dir"], { cwd: repository });
  const env = { GIT_DIR: folder, GIT_WORK_TREE: tree, GIT_INDEX_FILE: index };
  const inTree = { cwd: tree, env };
  // As packed, regardless of the user's git settings for line ends and ignores.
  git(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "add", "--all", "--force", "."], inTree);

  const [commit = "", name = "", email = "", date = ""] = git(["log", "-1", "--format=%H%n%an%n%ae%n%aI", sources], {
    cwd: repository,
  }).split("\n");
  const message = `${tag}, as built from ${commit}`;
  const people = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, name],
    [`GIT_${who}_EMAIL`, email],
    [`GIT_${who}_DATE`, date],
  ]);
  const built = git(["commit-tree", git(["write-tree"], inTree), "-m", message], {
    cwd: tree,
    env: { ...env, ...Object.fromEntries(people) },
  });

  const tagged = spawnSync("git", ["rev-parse", "--verify", "--quiet", `refs/tags/${tag}^{commit}`], {
    cwd: repository,
    encoding: "utf8",
  }).stdout.trim();
  if (tagged && tagged !== built) throw new Error(`the tag ${tag} is on ${tagged}, and these sources make ${built}`);
  if (!tagged) git(["update-ref", `refs/tags/${tag}`, built, ""], { cwd: repository });
  return built;
}

/**
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string> }} options
 */
function git(args, options) {
  return run("git", args, options);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string> }} options
 */
function run(command, args, { cwd, env }) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")} failed (exit code ${status}):\n${stderr}`);
  return stdout.trim();
}
