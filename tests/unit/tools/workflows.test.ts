import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../../package.json";
import { runChecker } from "../../../tools/check/workflows.mjs";
import { pinnedVersions } from "../../../tools/engine/versions.mjs";
import { root } from "../../../tools/root.mjs";
import { examples, workflows } from "../../cli/support/runner";

const folder = join(root, ".github/workflows");
const read = (file: string) => readFileSync(file, "utf8");
const texts = readdirSync(folder).map((file) => read(join(folder, file)));
const ofExamples = workflows.map((path) => read(join(examples, path)));
const linesOf = (all: readonly string[], pattern: RegExp) =>
  all.flatMap((text) => text.match(pattern) ?? []).map((line) => line.trim());
const lines = (pattern: RegExp) => linesOf(texts, pattern);

const node = process.execPath;

it.each([
  ["has nothing to say", node, "", []],
  ["names what is wrong", node, "console.log('wrong'); process.exitCode = 1", ["wrong"]],
  ["fails without a word", node, "process.exitCode = 3", [expect.stringMatching(/failed: exit code 3$/)]],
  [
    "is killed",
    node,
    "process.kill(process.pid, 'SIGKILL')",
    [expect.stringMatching(/failed: (SIGKILL|exit code 1)$/)],
  ],
  ["cannot be started", join(root, "none"), "", [expect.stringMatching(/failed: .*ENOENT/)]],
])("their checker %s", (_, checker, script, lines) => {
  expect(runChecker(checker, ["--eval", script])).toEqual(lines);
});

describe("the workflows of this repository", () => {
  it.each([
    ["own", texts],
    ["of the examples", ofExamples],
  ])("have actions of one commit each, with its version beside it: %s", (_, all) => {
    // This package's own, of the release that the example is of: its tag cannot be moved.
    const own = `uses: pulumi-pgcompute/pulumi-pgcompute@v${version}`;
    const uses = linesOf(all, /^.*uses:.*$/gm).filter((line) => line !== own);
    expect(uses.filter((line) => !/^- uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    const actions = new Set(uses.map((line) => line.split("@")[0]));
    expect(new Set(uses).size).toBe(actions.size);
    expect(actions.size).toBeGreaterThan(2);
  });

  it("install the engine that the tests are pinned to", () => {
    const versions = lines(/^.*pulumi-version:.*$/gm).map((line) => line.replace("pulumi-version: ", "v"));
    expect(new Set(versions)).toEqual(new Set([pinnedVersions().engine]));
    expect(lines(/^.*uses: pulumi\/actions@.*$/gm)).toHaveLength(versions.length);
  });

  it("may read the code and nothing else, unless a job asks for more", () => {
    for (const text of texts) expect(text).toMatch(/^permissions:\n {2}contents: read\n$/m);
    expect(lines(/secrets\.\w+/g)).toEqual([]);
  });
});
