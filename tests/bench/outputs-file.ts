/** The values that a stand-in answers with, in a file: those of a fleet are more than an environment may hold. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cache } from "../../tools/root.mjs";

/** Runs a piece of work with the file that has these outputs, and removes it. */
export async function withOutputs<T>(outputs: Record<string, unknown>, work: (file: string) => Promise<T>): Promise<T> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-outputs-"));
  const file = join(folder, "outputs.json");
  writeFileSync(file, JSON.stringify(outputs));
  try {
    return await work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
