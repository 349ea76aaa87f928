/** The command of the emulator as it is built, in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A command that runs, or has run. */
export interface Run {
  child: ChildProcess;
  /** Resolves with the output as soon as it matches. */
  shows(pattern: RegExp): Promise<string>;
  /** Resolves with the exit code and the whole output. */
  ended: Promise<{ code: number | null; output: string }>;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Starts it. It is killed when the test ends. */
export function run(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [join(root, "emulator/bin/pgcompute-emulator.cjs"), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += String(data);
    });
  }
  return {
    child,
    shows: async (pattern) => {
      while (!pattern.test(output)) {
        if (child.exitCode !== null) throw new Error(output);
        await Promise.race([once(child.stdout, "data"), once(child, "close")]);
      }
      return output;
    },
    ended: once(child, "close").then(([code]) => ({ code, output })),
  };
}
