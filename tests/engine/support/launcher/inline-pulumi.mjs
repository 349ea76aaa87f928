/**
 * `pulumi` without a Node.js language host: runs commands on a program inline by the Automation API, and passes others
 * to the engine. `PULUMI_PROGRAM` is the program's file.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";

const engine = process.env.PULUMI_ENGINE ?? "";
const given = process.argv.slice(2);
const verb = /** @type {const} */ (["up", "refresh", "destroy"]).find((one) => one === given[0]);

if (verb === undefined) process.exitCode = spawnSync(engine, given, { stdio: "inherit" }).status ?? 1;
else await runInline(verb, given[given.indexOf("--stack") + 1] ?? "");

/**
 * @param {"up" | "refresh" | "destroy"} command
 * @param {string} name the stack's
 */
async function runInline(command, name) {
  const { LocalWorkspace, Stack } = await import("@pulumi/pulumi/automation/index.js");
  const { default: program } = await import(pathToFileURL(process.env.PULUMI_PROGRAM ?? "").href);
  const pulumiCommand = /** @type {import("@pulumi/pulumi/automation").PulumiCommand} */ (
    /** @type {unknown} */ ({ command: engine, version: { toString: () => "3.259.0" }, run: runEngine })
  );
  const workspace = await LocalWorkspace.create({ workDir: process.cwd(), program, pulumiCommand });
  const stack = await Stack.select(name, workspace);
  await stack[command]().catch(() => {
    // As the engine's command ends where a run fails.
    process.exitCode = 255;
  });
}

/**
 * After each run the API asks for outputs and history by further processes, which nobody reads here.
 *
 * @param {string[]} args
 */
async function runEngine(args) {
  if (args[0] !== "stack") {
    const env = { ...process.env, PULUMI_DEBUG_COMMANDS: "true", PULUMI_AUTOMATION_API: "true" };
    const child = spawn(engine, [...args, "--non-interactive"], { stdio: "inherit", env });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`the engine ended with ${code}`);
  }
  return { stdout: args[1] === "history" ? "[]" : "{}", stderr: "", code: 0 };
}
