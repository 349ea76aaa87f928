/**
 * npm's `prepare`: builds the package when it is installed from sources, such as from a git address. First adds the
 * build's packages: Pulumi installs a plugin's folder without development packages.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./npm.mjs";
import { root } from "./root.mjs";

if (!existsSync(join(root, "node_modules", "rolldown"))) {
  const args = ["install", "--include=dev", "--no-save", "--ignore-scripts"];
  // npm passes its options on in the environment, "no development packages" among them.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_(omit|production)$/i.test(name)),
  );
  npm(args, { cwd: root, stdio: "inherit", env: { ...env, NODE_ENV: "" } });
}
npm(["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
