import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { inject, onTestFinished } from "vitest";
import { root } from "../../../tools/root.mjs";
import { engineEnvironment, type Folders } from "./environment";

/** What a line of a page wrote, and how it ended. */
export interface Ran {
  line: string;
  code: number | null;
  text: string;
}

/** Opens a terminal for pasting a page's lines: a folder, an engine and a home of its own, without configuration. */
export function openTerminal(folders: Folders, from: string) {
  for (const folder of [from, folders.home]) mkdirSync(folder, { recursive: true });
  const env: Record<string, string> = {
    ...engineEnvironment(folders),
    // Some of its lines are about a stack that the test has made.
    ...inject("engineKeys"),
    HOME: folders.home,
    // Every test has an emulator of its own; the lines name no port.
    PGCOMPUTE_EMULATOR_PORT: "0",
    PGCOMPUTE_EMULATOR_OPERATION_MS: "40",
  };
  let cwd = resolve(from);
  return {
    /** Runs a line. One that starts the emulator is run beside the others, and ends with the test. */
    async run(written: string): Promise<Ran> {
      const line = written.replace(/ +#.*$/, "").trim();
      const [word, target = ""] = line.split(" ");
      if (word === "cd") cwd = resolve(cwd, target);
      else if (word === "export") {
        const pairs = line.split(" ").slice(1);
        Object.assign(env, Object.fromEntries(pairs.map((pair) => pair.split("="))));
      } else if (line !== "pulumi login --local --non-interactive") return start(asInClone(line, cwd), { cwd, env });
      // The engine is told where its state lies, and would not listen.
      return { line, code: 0, text: "" };
    },
  };
}

/** npx finds the commands of an installed package, which a clone is not; where one is installed, it does. */
function asInClone(line: string, cwd: string): string {
  return line
    .replace(/^npx (?:--no-install|-p \S+) (pgcompute\S*)/, (npx, name) =>
      existsSync(join(cwd, "node_modules/.bin", name)) ? npx : `node ${join(root, "bin", `${name}.cjs`)}`,
    )
    .replace(/^pulumi up$/, "pulumi up --yes --skip-preview")
    .replace(/^pulumi destroy$/, "pulumi destroy --yes --skip-preview");
}

function start(line: string, options: { cwd: string; env: Record<string, string> }): Promise<Ran> {
  const child = spawn("bash", ["-c", `exec ${line}`], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  // With what it has started, as npx starts a command.
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
  });
  const ready = line.includes("--write-config") ? /are in the configuration of stack/ : /^console /m;
  return new Promise((resolveRan, reject) => {
    let text = "";
    const listen = (data: unknown) => {
      text += String(data);
      if (line.includes("pgcompute-emulator") && ready.test(text)) resolveRan({ line, code: 0, text });
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", reject);
    child.on("close", (code) => resolveRan({ line, code, text }));
  });
}

/** The lines in code blocks of a page's section, in order. */
export function linesOf(page: string, heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no section "${heading}"`);
  const blocks = [...section.matchAll(/^```\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#")));
}
