/** The browser of tests and pictures: Debian's Chromium, or the one in CHROMIUM_PATH. Only apt downloads anything. */
import { spawnSync } from "node:child_process";
import { chromium } from "playwright-core";
import { findProgram, isExecutable } from "../find-program.mjs";

const names = ["chromium", "chromium-browser", "google-chrome"];
// Debian's Chromium has no fonts, and would draw boxes instead of text.
const packages = ["chromium", "fonts-dejavu-core", "fonts-liberation"];

/**
 * Starts a browser without a window; the caller closes it.
 *
 * @throws {Error} when there is no browser and none can be installed, with the command that does
 */
export async function launchChromium() {
  // Its sandbox needs kernel rights that containers lack. It only opens this project's own pages.
  return chromium.launch({ executablePath: chromiumPath(), chromiumSandbox: false });
}

/**
 * Finds the browser: CHROMIUM_PATH, then PATH, then what apt-get installs when this process may.
 *
 * @returns {string} the path of an executable
 * @throws {Error} when there is none, with the reason and the command that installs one
 */
export function chromiumPath() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (isExecutable(given)) return given;
    throw new Error(`CHROMIUM_PATH names ${given}, which cannot be run`);
  }
  const found = onPath();
  if (found) return found;
  const reason = install();
  const installed = reason === undefined ? onPath() : undefined;
  if (installed) return installed;
  throw new Error(
    `no Chromium found, and it could not be installed: ${reason ?? "apt-get left none on PATH"}\n` +
      `  install one:      sudo apt-get install ${packages.join(" ")}\n` +
      "  or name another:  export CHROMIUM_PATH=/path/to/chrome",
  );
}

function onPath() {
  return findProgram(names, ["/usr/bin"]);
}

/** @returns {string | undefined} why it is not there, `undefined` when apt-get says that it is */
function install() {
  if (process.platform !== "linux") return "apt-get is Debian's";
  if (process.getuid?.() !== 0) return "only root may";
  console.error("chromium: installing it with apt-get, once");
  /** @param {string[]} args */
  const aptGet = (...args) =>
    spawnSync("apt-get", args, {
      // Output goes to stderr, as a program may read the caller's stdout.
      stdio: ["ignore", 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  const commands = [
    ["update", "-q"],
    ["install", "-q", "-y", "--no-install-recommends", ...packages],
  ];
  for (const args of commands) {
    const { error, status } = aptGet(...args);
    if (error) return error.message;
    if (status !== 0) return `apt-get ${args[0]} ended with ${status}`;
  }
  return undefined;
}
