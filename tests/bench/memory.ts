import { readdirSync, readFileSync } from "node:fs";

/** The largest resident size that a process had, in MB; 0 where none was seen. */
export interface MemoryPeak {
  megabytes: number;
}

const SAMPLE_MS = 50;
const KB_PER_MB = 1_024;

/**
 * Watches the processes whose command line holds `text` and whose environment holds `mark`, which other runs on the machine
 * have not. The kernel keeps each process's own peak (`VmHWM`), so that sampling only has to meet it once while it lives.
 * Linux only: elsewhere the peak stays 0.
 */
export function watchMemory(text: string, mark: string): { stop(): MemoryPeak } {
  const peak = { megabytes: 0 };
  const sample = () => {
    for (const pid of pids()) {
      if (!read(`/proc/${pid}/cmdline`).includes(text) || !read(`/proc/${pid}/environ`).includes(mark)) continue;
      const [, kb = "0"] = read(`/proc/${pid}/status`).match(/VmHWM:\s+(\d+) kB/) ?? [];
      peak.megabytes = Math.max(peak.megabytes, Number(kb) / KB_PER_MB);
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop() {
      sample();
      clearInterval(timer);
      return peak;
    },
  };
}

function pids(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
