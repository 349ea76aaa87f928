/** The changes of a release to the tree, and the reasons to refuse it; pure, for tests. */

const heading = "## [Unreleased]";
const releasedHeading = /^## \[(\d+\.\d+\.\d+)\]/m;
const form = /^\d+\.\d+\.\d+$/;

/**
 * Every reason against the release; none means that it can be made.
 *
 * @param {{ version: string, current: string, changelog: string, dirty: boolean, repository: string, origin: string }} state
 *   `current` is the version of package.json, `dirty` whether git knows of changes that are not committed, `repository` where the project
 *   says that it lives, `origin` where git has it from, empty for nowhere
 * @returns {string[]}
 */
export function reasonsAgainst({ version, current, changelog, dirty, repository, origin }) {
  const reasons = [];
  if (addressOf(origin) !== repository)
    reasons.push(
      `tools/pack/identity.mjs says that the project lives at ${repository}, and git's origin is ${addressOf(origin) || "none"}: put the ` +
        "owner of that repository in its place, and run `make generate`",
    );
  if (dirty) reasons.push("there are changes that are not committed: commit them, or put them away");
  if (!/^- /m.test(unreleased(changelog))) reasons.push(`CHANGELOG.md says nothing under "${heading}"`);
  const released = releasedVersion(changelog);
  if (!form.test(version)) reasons.push(`"${version}" is no version: give VERSION=X.Y.Z`);
  else if (released !== undefined && compare(version, released) <= 0)
    reasons.push(`${version} does not come after ${released}, which has been released`);
  else if (compare(version, current) < 0) reasons.push(`${version} comes before ${current}, which package.json has`);
  return reasons;
}

/**
 * The newest version that a changelog dates; undefined before the first release.
 *
 * @param {string} changelog
 */
export function releasedVersion(changelog) {
  return releasedHeading.exec(changelog)?.[1];
}

/**
 * The changelog with its unreleased entries under the version, and an empty section above.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {string} date such as `2026-01-31`
 */
export function releaseChangelog(changelog, version, date) {
  const entries = unreleased(changelog);
  const kept = /^- /m.test(entries) ? entries.replace(/^To become .*\n+/m, "") : "\n\nNo changes.\n\n";
  return changelog.replace(heading + entries, () => `${heading}\n\n## [${version}] - ${date}${kept}`);
}

/**
 * A document with the package's version raised in names of tarballs and in install commands.
 *
 * @param {string} text
 * @param {string} from
 * @param {string} to
 */
export function raiseVersion(text, from, to) {
  const old = from.replaceAll(".", "\\.");
  const names = new RegExp(
    `((?:pulumi-(?:resource-)?pgcompute|pgcompute-emulator)[-@]v?|pulumi-pgcompute#(?:emulator-)?v|pgcompute v|"(?:pulumi-pgcompute|pgcompute-emulator)": "\\^)${old}(?![\\d])`,
    "g",
  );
  return text.replace(names, (_, name) => `${name}${to}`);
}

/**
 * A repository's page, from any form of its address.
 *
 * @param {string} remote
 */
function addressOf(remote) {
  const [, host, path] = /^(?:\w+:\/\/)?(?:[^@/]+@)?([\w.-]+)[:/](.+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return host && path ? `https://${host}/${path}` : "";
}

/** @param {string} changelog */
function unreleased(changelog) {
  const [, rest = ""] = changelog.split(heading);
  return rest.split(/^## \[/m)[0] ?? "";
}

/**
 * @param {string} a
 * @param {string} b
 * @returns {number} below 0 where `a` is the older one
 */
function compare(a, b) {
  const parts = (/** @type {string} */ version) => version.split(".").map(Number);
  const others = parts(b);
  return (
    parts(a)
      .map((part, at) => part - (others[at] ?? 0))
      .find((difference) => difference !== 0) ?? 0
  );
}
