/** Measures how long a packed plugin for this machine takes to start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extract } from "tar";

const STARTS = 9;

/**
 * @param {string} tarball
 * @returns {Promise<number>} from the start to the printed port, in milliseconds, the median of nine
 */
export async function startTime(tarball) {
  const folder = mkdtempSync(join(tmpdir(), "pgcompute-start-"));
  try {
    await extract({ file: tarball, cwd: folder });
    /** @type {number[]} */
    const times = [];
    for (let run = 0; run < STARTS; run += 1) times.push(await startOnce(join(folder, "pulumi-resource-pgcompute")));
    return Math.round(times.sort((a, b) => a - b)[(STARTS - 1) / 2] ?? 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} executable */
async function startOnce(executable) {
  const began = performance.now();
  const child = spawn(executable, [], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  const ms = performance.now() - began;
  child.kill("SIGINT");
  await ended;
  return ms;
}
