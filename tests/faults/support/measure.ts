/** What a process holds on to: handles and heap. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of a mebibyte. */
export const MIB = 1_024 * 1_024;

/** What keeps the process alive, by kind and number; the emulator's own listener and connections are of the test. */
export function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The kinds of which there are more than before. */
export function grown(before: Record<string, number>, after: Record<string, number>): string[] {
  return Object.keys(after).filter((kind) => (after[kind] ?? 0) > (before[kind] ?? 0));
}

/** Lets closed sockets go; on a busy machine it takes any number of turns until there is no more than before. */
export async function quiet(before?: Record<string, number>): Promise<void> {
  const endMs = performance.now() + 5_000;
  const isMore = () => before !== undefined && grown(before, resources()).length > 0 && performance.now() < endMs;
  for (let turns = 0; turns < 20 || isMore(); turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Bytes of the heap that are in use, after all that nobody holds is gone. */
export function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc === "function") for (let index = 0; index < 3; index += 1) gc();
  return process.memoryUsage().heapUsed;
}
