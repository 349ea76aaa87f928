import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { describe, expect, it } from "vitest";
import { tagPackages } from "../../../tools/release/built-tag.mjs";
import { temporaryFolder } from "../../support/temporary-folder";

const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"];

/** A clone with one commit of sources, and what packs a package's files as npm does. */
function openClone() {
  const folder = temporaryFolder();
  const repository = join(folder, "clone");
  const git = (...args: string[]) =>
    execFileSync("git", [...who, ...args], { cwd: repository, encoding: "utf8" }).trim();
  mkdirSync(repository);
  git("init", "--quiet");
  writeFileSync(join(repository, ".gitignore"), "dist\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "Sources", "--date", "2026-01-31T12:00:00Z");
  const pack = async (name: string, text: string) => {
    const work = join(folder, text);
    mkdirSync(join(work, "package", "dist"), { recursive: true });
    writeFileSync(join(work, "package", "dist", "main.cjs"), `${text}\r\n`);
    writeFileSync(join(work, "package", "run"), "#!/bin/sh\n");
    chmodSync(join(work, "package", "run"), 0o755);
    const file = join(work, name);
    await create({ file, cwd: work, gzip: true }, ["package"]);
    return file;
  };
  return { repository, git, pack };
}

describe("what is built of a release is tagged", () => {
  it("each package by itself, whole, without a history, in the name and at the time of its sources", async () => {
    const { repository, git, pack } = openClone();
    const tarballs = [
      await pack("pulumi-pgcompute-1.2.3.tgz", "provider"),
      await pack("pgcompute-emulator-1.2.3.tgz", "emulator"),
      "/elsewhere/sbom.cdx.json",
    ];
    expect(tagPackages(tarballs, { repository })).toEqual(["v1.2.3", "emulator-v1.2.3"]);
    expect(git("ls-tree", "-r", "--format=%(objectmode) %(path)", "v1.2.3")).toBe("100644 dist/main.cjs\n100755 run");
    expect(git("cat-file", "blob", "emulator-v1.2.3:dist/main.cjs")).toBe("emulator");
    expect(git("cat-file", "-s", "v1.2.3:dist/main.cjs")).toBe(String("provider\r\n".length));
    const sources = git("rev-parse", "HEAD");
    expect(git("log", "--format=%P|%an|%ae|%aI|%s", "v1.2.3")).toBe(
      `|Ada|ada@example.test|2026-01-31T12:00:00+00:00|v1.2.3, as built from ${sources}`,
    );
    // The clone's own files are as they were.
    expect(git("status", "--porcelain")).toBe("");
  });

  it("with the same commit by whoever builds the same, and never with another", async () => {
    const { repository, git, pack } = openClone();
    const from = { repository };
    tagPackages([await pack("pulumi-pgcompute-1.2.3.tgz", "one")], from);
    const first = git("rev-parse", "v1.2.3");
    git("tag", "--delete", "v1.2.3");
    tagPackages([await pack("pulumi-pgcompute-1.2.3.tgz", "one")], from);
    tagPackages([await pack("pulumi-pgcompute-1.2.3.tgz", "one")], from);
    expect(git("rev-parse", "v1.2.3")).toBe(first);
    const other = await pack("pulumi-pgcompute-1.2.3.tgz", "two");
    expect(() => tagPackages([other], from)).toThrow(`the tag v1.2.3 is on ${first}, and these sources make`);
    expect(git("rev-parse", "v1.2.3")).toBe(first);
  });
});
