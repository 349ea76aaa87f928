/**
 * Checks both npm packages as packed: package.json's files exist, and TypeScript finds the types under every module
 * resolution, for `import` and `require`.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packNpm } from "../pack/npm-tarball.mjs";
import { root } from "../root.mjs";

/** @returns {Promise<string[]>} what is wrong, a line each; what has been built before is what is packed */
export async function checkPackages() {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-pgcompute-"));
  try {
    const found = [root, join(root, "emulator")].map((from) => mistakesIn(packNpm(folder, from)));
    return (await Promise.all(found)).flat();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} tarball
 * @returns {Promise<string[]>}
 */
export async function mistakesIn(tarball) {
  const data = readFileSync(tarball);
  const linted = await publint({ pack: { tarball: new Uint8Array(data).buffer }, level: "warning" });
  const types = await checkPackage(createPackageFromTarballData(data));
  const problems = types.types ? types.problems : [{ kind: "NoTypes" }];
  return [
    ...linted.messages.map((message) => formatMessage(message, linted.pkg, { color: false }) ?? message.code),
    ...problems.map((problem) => `the types are wrong: ${JSON.stringify(problem)}`),
  ].map((text) => `${basename(tarball)}: ${text}`);
}
