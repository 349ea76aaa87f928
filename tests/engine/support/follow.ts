/** Does what a message says, as it stands there. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { shellWord } from "../../../provider/lib/wording";
import { root } from "../../../tools/root.mjs";
import type { Project } from "./project";

/**
 * Runs a message's command in the program's folder, as people paste it: with the stack selected, the environment of the
 * program's own commands, and yes to every question, without a preview. Returns its output.
 */
export async function follow(project: Project, line: string): Promise<string> {
  const answers = { PULUMI_SKIP_CONFIRMATIONS: "true", PULUMI_OPTION_SKIP_PREVIEW: "true" };
  const env = { ...project.env, ...answers, PULUMI_STACK: "dev" };
  // A program's folder of these tests has nothing installed.
  const run = line.replace("npx --no-install pgcompute", `node ${shellWord(join(root, "bin/pgcompute.cjs"))}`);
  const shell = promisify(execFile)("/bin/sh", ["-ec", run], { cwd: project.folders.program, env });
  shell.child.stdin?.end();
  const { stdout, stderr } = await shell.catch((error) => expect.fail(`${line}\n${error.stdout}${error.stderr}`));
  expect(`${stdout}${stderr}`, line).not.toMatch(/^error:/m);
  return stdout;
}
