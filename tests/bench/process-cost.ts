/** What a process costs, read from /proc. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/**
 * The cost of a process: its peak resident size in MB, and its processor time in milliseconds; 0 for an unseen process.
 */
export interface ProcessCost {
  peakMb: number;
  processorMs: number;
}

const SAMPLE_MS = 50;
const KB_PER_MB = 1_024;
const MS_PER_TICK = 10; // of /proc, on every Linux that node runs on

/**
 * Watches processes with `text` in the command line and `mark` in the environment, which is unique to this run. The
 * kernel keeps each one's peak (`VmHWM`), so one sample during its life is enough. Linux only: elsewhere all values are
 * 0.
 */
export function watchProcess(text: string, mark: string): { stop(): ProcessCost } {
  let peakMb = 0;
  const processorMs = new Map<string, number>();
  const watched = new Set<string>();
  const sample = () => {
    const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
    for (const pid of pids) {
      if (!watched.has(pid)) {
        if (!read(`/proc/${pid}/cmdline`).includes(text) || !read(`/proc/${pid}/environ`).includes(mark)) continue;
        watched.add(pid);
      }
      peakMb = Math.max(peakMb, peakOf(pid));
      processorMs.set(pid, Math.max(processorMs.get(pid) ?? 0, processorTimeOf(pid)));
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop() {
      sample();
      clearInterval(timer);
      return { peakMb, processorMs: [...processorMs.values()].reduce((sum, one) => sum + one, 0) };
    },
  };
}

/** A process's own peak of resident memory until now, in MB; 0 where it is gone. */
export function peakOf(pid: number | string): number {
  const [, kb = "0"] = read(`/proc/${pid}/status`).match(/VmHWM:\s+(\d+) kB/) ?? [];
  return Number(kb) / KB_PER_MB;
}

/** A process's processor time until now, user and system, in milliseconds; 0 where it is gone. */
export function processorTimeOf(pid: number | string): number {
  // After the name in brackets, which may hold blanks, the two are the 12th and 13th.
  const times = read(`/proc/${pid}/stat`).split(") ")[1]?.split(" ").slice(11, 13) ?? [];
  return times.reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
