/**
 * npm's `prepare`: builds the package where it is installed from its sources, such as from a git address. Pulumi installs
 * a plugin's folder without development packages, so those that the build needs are added first.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./npm.mjs";
import { root } from "./root.mjs";

if (!existsSync(join(root, "node_modules", "rolldown"))) {
  const args = ["install", "--include=dev", "--no-save", "--ignore-scripts"];
  // npm hands its own options down in the environment, and "no development packages" is one of them.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_(omit|production)$/i.test(name)),
  );
  npm(args, { cwd: root, stdio: "inherit", env: { ...env, NODE_ENV: "" } });
}
npm(["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
