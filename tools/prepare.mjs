/**
 * npm's `prepare`: builds the package when it is installed from sources, such as from a git address. First adds the
 * build's packages: Pulumi installs a plugin's folder without development packages. What is built stays as it is.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./npm.mjs";
import { root } from "./root.mjs";

const sources = [
  ...["cli", "emulator", "provider", "sdk", "tools/build"],
  ...["package.json", "rolldown.config.mjs", "schema.json"],
];
const generated = ["dist", "node_modules", "tests"];

if (!isBuilt()) build();

function build() {
  if (!existsSync(join(root, "node_modules", "rolldown"))) {
    const args = ["install", "--include=dev", "--no-save", "--ignore-scripts"];
    // npm passes its options on in the environment, "no development packages" among them.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_config_(omit|production)$/i.test(name)),
    );
    npm(args, { cwd: root, stdio: "inherit", env: { ...env, NODE_ENV: "" } });
  }
  npm(["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
}

/** True where the last files of a build are newer than every source. */
function isBuilt() {
  const last = ["emulator/dist/cli.cjs", "emulator/dist/emulator.d.mts"].map((path) => join(root, path));
  if (!last.every((file) => existsSync(file))) return false;
  const builtMs = Math.min(...last.map((file) => statSync(file).mtimeMs));
  return sources.every((path) => newestIn(join(root, path)) <= builtMs);
}

/**
 * When a file, or the newest one of a folder, was changed, in milliseconds since the epoch.
 *
 * @param {string} path
 * @returns {number}
 */
function newestIn(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(path).filter((name) => !generated.includes(name));
  return Math.max(0, ...names.map((name) => newestIn(join(path, name))));
}
