/** What Node starts says what it needs where it cannot run: a newer Node, or a build. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";
import { temporaryFolder } from "../../support/temporary-folder";

const started = ["bin/pgcompute.cjs", "bin/pulumi-resource-pgcompute", "bin/package-main.cjs"];
const emulator = "emulator/bin/pgcompute-emulator.cjs";

/** Runs a file of the repository's, or of a copy, in a Node that says it has another version. */
function startOn(version: string, file: string, folder = root) {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const code = `${pretend} require(${JSON.stringify(join(folder, file))});`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", code], { encoding: "utf8", timeout: 60_000 });
  return { status, stdout, stderr };
}

describe.each([...started, emulator])("%s", (file) => {
  it.each(["12.22.12", "18.20.8", "20.18.3"])("ends on Node %s, and says which it needs", (version) => {
    const { status, stdout, stderr } = startOn(version, file);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`needs Node 20\\.19.*${version.replaceAll(".", "\\.")}`));
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("says how to build a clone that is not built", () => {
    const clone = temporaryFolder();
    for (const part of ["bin", "emulator/bin"]) {
      cpSync(join(root, part), join(clone, part), { recursive: true });
    }
    const { status, stderr } = startOn(process.versions.node, file, clone);
    expect(status).toBe(1);
    expect(stderr).toMatch(/not built yet.*\n\n {2}make build\n/);
  });
});

it("is the Node that the package asks for", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(readFileSync(join(root, "bin/needed-node.cjs"), "utf8")).toContain(`"${engines.node.replace(">=", "")}"`);
});

it.each(["20.19.0", "22.0.0", "24.1.0"])("takes Node %s", (version) => {
  expect(startOn(version, "bin/needed-node.cjs")).toEqual({ status: 0, stdout: "", stderr: "" });
});
