/**
 * `make sdks`: generates the SDKs for Go, Python and Java from schema.json with Pulumi's generators and tests each:
 * Go's with the template's program, Java's with Maven, Python's template with mocks. The .NET SDK is not compiled.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildId, buildWithGo, goEnv } from "../go-build.mjs";
import { identity } from "../pack/identity.mjs";
import { cache, root, userCache } from "../root.mjs";

const here = join(root, "tools/sdks");
const folder = join(cache, "sdks");

const generator = join(userCache(), "sdks", `generator-${buildId(here)}`);
await buildWithGo({
  moduleFolder: here,
  packages: ["."],
  to: generator,
  log: (line) => console.error(`sdks: ${line}`),
});
rmSync(folder, { recursive: true, force: true });
run(generator, [join(root, "schema.json"), folder]);

const go = join(folder, "go");
const module = dirname(identity.goModule);
writeFileSync(
  join(go, "go.mod"),
  readFileSync(join(here, "go.mod"), "utf8").replace(/^module .*$/m, `module ${module}`),
);
copyFileSync(join(here, "go.sum"), join(go, "go.sum"));
mkdirSync(join(go, "program"), { recursive: true });
copyFileSync(join(root, "templates/go/main.go"), join(go, "program/main.go"));
// -o discards the program, which is only compiled.
run("go", ["build", "-mod=mod", "-o", join(go, "bin/"), "./..."], go, goEnv);
console.log("sdks: Go compiles");

const python = join(folder, "python");
const venv = join(python, "venv");
writeFileSync(join(python, "README.md"), "");
run("python3", ["-m", "venv", venv]);
run(join(venv, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", python]);
run(join(venv, "bin/python"), [join(here, "mocked.py"), join(root, "templates/python/__main__.py")]);
console.log("sdks: Python runs");

run("mvn", ["-q", "-B", "-f", join(here, "pom.xml"), `-Dsdk=${join(folder, "java")}`, "compile"]);
console.log("sdks: Java compiles");

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} [cwd]
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(command, args, cwd = root, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: "inherit" });
  if (error) throw new Error(`sdks: ${command} is needed: ${error.message}`);
  if (status !== 0) throw new Error(`sdks: ${command} ${args[0]} failed (exit code ${status})`);
}
