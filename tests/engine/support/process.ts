import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Ended } from "./run";

/** How to start an engine process. */
export interface ProcessOptions {
  cwd: string;
  env: Record<string, string>;
  /** Interrupts it as Ctrl-C does (SIGINT, once). */
  signal?: AbortSignal | undefined;
  /** Called with each piece of stdout or stderr as it comes. */
  onText?: ((text: string) => void) | undefined;
}

const running = new Set<ReturnType<typeof spawn>>();

/** Runs `pulumi` to its end. Never rejects because of an exit code. */
export function runPulumi(bin: string, args: string[], options: ProcessOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const startedMs = Date.now();
    const child = spawn(join(bin, "pulumi"), args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const ended: Ended = { code: -1, stdout: "", stderr: "", text: "", durationMs: 0 };
    const collect = (stream: "stdout" | "stderr") => (text: string) => {
      ended[stream] += text;
      ended.text += text;
      options.onText?.(text);
    };
    child.stdout.setEncoding("utf8").on("data", collect("stdout"));
    child.stderr.setEncoding("utf8").on("data", collect("stderr"));
    const interrupt = () => child.kill("SIGINT");
    if (options.signal?.aborted) interrupt();
    options.signal?.addEventListener("abort", interrupt, { once: true });
    child.on("error", reject);
    child.on("close", (code) => {
      running.delete(child);
      options.signal?.removeEventListener("abort", interrupt);
      resolve({ ...ended, code: code ?? -1, durationMs: Date.now() - startedMs });
    });
  });
}

// A test that ran out of time must not leave an engine behind that still talks to an emulator.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
