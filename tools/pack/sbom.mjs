/**
 * The contents of the packages and the plugin as CycloneDX: bundled and installed packages, and the executables' node.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "../npm.mjs";
import { root } from "../root.mjs";
import { nodeVersion } from "./platforms.mjs";

/** @typedef {{ "bom-ref": string, name: string, version: string, properties?: { name: string, value: string }[] }} Component */

/**
 * @param {string} file where it goes
 * @returns {string} the file
 * @throws {Error} when npm cannot tell, or a bundled package is not in what it tells
 */
export function writeSbom(file) {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const whole = JSON.parse(npm(args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }));
  const bundled = bundledPackages();
  const all = /** @type {Component[]} */ (whole.components);
  // npm names a package by its folder if its name differs.
  for (const one of [whole.metadata.component, ...all]) one.name = one["bom-ref"].replace(/@[^@]*$/, "");
  // npm counts bundled packages as development dependencies, like those of tests and tools.
  const components = all.filter((one) => bundled.has(`${one.name} ${one.version}`) || !isDevelopment(one));
  const told = new Set(components.map(({ name, version }) => `${name} ${version}`));
  const missing = [...bundled].filter((one) => !told.has(one));
  if (missing.length > 0) throw new Error(`npm sbom does not know of ${missing.join(", ")}`);
  const refs = new Set([whole.metadata.component["bom-ref"], ...components.map((one) => one["bom-ref"])]);
  const dependencies = /** @type {{ ref: string, dependsOn: string[] }[]} */ (whole.dependencies)
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  const node = { type: "framework", "bom-ref": `node@${nodeVersion}`, name: "node", version: nodeVersion };
  const text = JSON.stringify({ ...whole, components: [...components, node], dependencies }, null, 2);
  writeFileSync(file, `${text}\n`);
  return file;
}

/** @param {Component} component */
function isDevelopment({ properties = [] }) {
  return properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true");
}

/** The bundled packages, as `NAME VERSION`, from the build's licence notices. */
function bundledPackages() {
  const titles = ["dist", "emulator/dist"].flatMap((dist) => {
    const parts = readFileSync(join(root, dist, "THIRD-PARTY-NOTICES"), "utf8").split(`\n\n${"-".repeat(80)}\n`);
    return parts.slice(1).map((part) => part.split("\n")[0] ?? "");
  });
  return new Set(titles.map((title) => title.replace(/ \(.*$/, "")));
}
