/** Prepares a clone: installs the packages of package-lock.json if needed, the links to itself, and the commit hook. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { enableHooks } from "./hooks.mjs";
import { linkSelf } from "./link.mjs";
import { npm } from "./npm.mjs";
import { root } from "./root.mjs";

if (isInstalled()) {
  console.error("setup: node_modules is as package-lock.json says");
} else {
  console.error("setup: npm ci (no install scripts)");
  npm(["ci", "--ignore-scripts"], { cwd: root, stdio: "inherit" });
}
linkSelf();
enableHooks();

/** True if npm's record of installed packages has all wanted ones. Optional ones may be missing on other machines. */
function isInstalled() {
  try {
    const wanted = packagesOf("package-lock.json");
    const installed = packagesOf("node_modules/.package-lock.json");
    return Object.entries(wanted).every(
      ([path, { version, link, optional }]) =>
        path === "" ||
        link ||
        (installed[path] ? installed[path].version === version : optional === true && !isForHere(wanted[path])),
    );
  } catch {
    return false; // Not installed yet.
  }
}

/**
 * True for a package with programs for this machine, such as Postgres's, which the tests need. Packages for one C
 * library may be missing.
 *
 * @param {Package | undefined} wanted
 */
function isForHere(wanted) {
  return wanted?.os?.includes(process.platform) && wanted.cpu?.includes(process.arch) && !wanted.libc;
}

/** @typedef {{ version?: string, link?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package */

/**
 * @param {string} file
 * @returns {Record<string, Package>}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(join(root, file), "utf8")).packages;
}
