import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { publish } from "../../../tools/release/publish.mjs";
import { root } from "../../../tools/root.mjs";
import { temporaryFolder } from "../../support/temporary-folder";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const names = ["pgcompute-emulator", "pulumi-pgcompute"].map((name) => `${name}-${version}.tgz`);
const contents = "a tarball";
const sum = (algorithm: string, form: "hex" | "base64") => createHash(algorithm).update(contents).digest(form);

let folder = "";

// In the place of npm: a script that writes down its arguments, and answers `npm view` with a file beside it.
const script = `const { appendFileSync, readFileSync } = require("node:fs");
const [command, what] = process.argv.slice(2, 4);
appendFileSync(__dirname + "/calls", command + " " + require("node:path").basename(what) + "\\n");
if (command === "view") process.stdout.write(readFileSync(__dirname + "/published"));`;

beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder, "npm-cli.js"), script);
  vi.stubEnv("npm_execpath", join(folder, "npm-cli.js"));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of names) writeFileSync(join(folder, name), contents);
  writeFileSync(join(folder, "SHA256SUMS"), names.map((name) => `${sum("sha256", "hex")}  ${name}\n`).join(""));
});

/** Publishes where the registry answers this; with the calls of npm and the files of the release. */
async function published(answer: string | undefined): Promise<{ calls: string[]; released: string[]; error?: string }> {
  if (answer !== undefined) writeFileSync(join(folder, "published"), answer);
  const released: string[] = [];
  const release = async (files: string[]) => void released.push(...files.map((file) => basename(file)));
  const error = await publish(folder, { npm: [], release }).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  const file = join(folder, "calls");
  const calls = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return { calls, released, ...(error !== undefined && { error }) };
}

const views = [`view pgcompute-emulator@${version}`, `view pulumi-pgcompute@${version}`];
const released = [...names, "SHA256SUMS"];

describe("publishing", () => {
  it.each([
    ["has not the version", ""],
    ["has not the package", undefined],
  ])("gives both tarballs to npm, the emulator first, then releases, where the registry %s", async (_, answer) => {
    expect(await published(answer)).toEqual({ calls: [...views, ...names.map((name) => `publish ${name}`)], released });
  });

  it("only releases where the registry has the same tarballs, since a release failed before", async () => {
    const answer = `sha512-${sum("sha512", "base64")}\n`;
    expect(await published(answer)).toEqual({ calls: views, released });
  });

  it("stops where the registry has another one", async () => {
    const error = `the registry has other contents of pgcompute-emulator@${version}`;
    expect(await published("sha512-another\n")).toEqual({ calls: views.slice(0, 1), released: [], error });
  });

  it("stops before anything where a file is not what its sum says", async () => {
    const [first = ""] = names;
    writeFileSync(join(folder, first), "other");
    expect(await published("")).toEqual({ calls: [], released: [], error: `${first} is not what SHA256SUMS says` });
  });
});
