import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { raiseVersion, reasonsAgainst, releaseChangelog } from "../../../tools/release/plan.mjs";
import { root } from "../../../tools/root.mjs";

const first = "# Changelog\n\n## [Unreleased]\n\nTo become 0.1.0.\n\n### Added\n\n- A resource.\n";
const second =
  "# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A fault.\n\n## [0.1.0] - 2026-01-31\n\n- A resource.\n";
const empty = "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-31\n\n- A resource.\n";
const repository = "https://github.com/somebody/pulumi-pgcompute";
const place = { repository, origin: `${repository}.git` };
const state = { version: "0.2.0", current: "0.1.0", changelog: second, dirty: false, ...place };

describe("a release", () => {
  it.each([
    ["is made of a newer version", state],
    [
      "is made of package.json's version, where that was never released",
      { ...state, version: "0.1.0", changelog: first },
    ],
    ["compares numbers, not letters", { ...state, version: "0.10.0", current: "0.9.0" }],
    ["is pushed by ssh", { ...state, origin: "git@github.com:somebody/pulumi-pgcompute.git" }],
  ])("%s", (_, given) => {
    expect(reasonsAgainst(given)).toEqual([]);
  });

  it.each([
    ["a tree with changes", { ...state, dirty: true }, /not committed/],
    ["a changelog that says nothing", { ...state, changelog: empty }, /says nothing/],
    ["the version that was released last", { ...state, version: "0.1.0" }, /0\.1\.0 does not come after 0\.1\.0/],
    ["one that is older than package.json's", { ...state, current: "0.3.0" }, /comes before 0\.3\.0/],
    ["what is no version", { ...state, version: "v1" }, /"v1" is no version/],
    ["no version", { ...state, version: "" }, /give VERSION=X\.Y\.Z/],
    [
      "another owner's repository",
      { ...state, origin: "https://github.com/else/pulumi-pgcompute" },
      /origin is https:\/\/github\.com\/else\//,
    ],
    ["a tree from nowhere", { ...state, origin: "" }, /origin is none: put the owner/],
  ])("is refused for %s", (_, given, reason) => {
    expect(reasonsAgainst(given)).toEqual([expect.stringMatching(reason)]);
  });

  it("names every reason at once", () => {
    expect(
      reasonsAgainst({ version: "", current: "0.1.0", changelog: empty, dirty: true, repository, origin: "" }),
    ).toHaveLength(4);
  });

  it("dates what was unreleased, and begins anew above it", () => {
    expect(releaseChangelog(second, "0.2.0", "2026-02-28")).toBe(
      second.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0] - 2026-02-28\n"),
    );
    expect(releaseChangelog(first, "0.1.0", "2026-01-31")).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-31\n\n### Added\n\n- A resource.\n",
    );
    for (const file of ["CHANGELOG.md", "emulator/CHANGELOG.md"]) {
      const own = readFileSync(join(root, file), "utf8");
      expect(releaseChangelog(own, "9.0.0", "2026-01-31")).toMatch(
        /^## \[Unreleased\]\n\n## \[9\.0\.0\] - 2026-01-31\n\n### [A-Z]/m,
      );
    }
    // Both packages are released together, and one of them may have nothing new.
    expect(releaseChangelog(empty, "0.2.0", "2026-02-28")).toContain(
      "## [0.2.0] - 2026-02-28\n\nNo changes.\n\n## [0.1.0] - 2026-01-31\n\n- A resource.",
    );
  });

  it("raises the package's version in documents, and nobody else's", () => {
    const text = (version: string) => `npm install ./pulumi-pgcompute-${version}.tgz
pulumi plugin install resource pgcompute v${version} --file pulumi-resource-pgcompute-v${version}-linux-amd64.tar.gz
npm install "git+https://github.com/o/pulumi-pgcompute#v${version}" "git+https://github.com/o/pulumi-pgcompute#emulator-v${version}"
npm install ./pgcompute-emulator-${version}.tgz, "pgcompute-emulator": "^${version}"
npx -p pulumi-pgcompute@${version} pgcompute, "pulumi-pgcompute": "^${version}", other@0.1.0, pulumi-pgcompute@0.1.01`;
    expect(raiseVersion(text("0.1.0"), "0.1.0", "0.2.0")).toBe(text("0.2.0"));
  });
});
