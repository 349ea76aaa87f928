import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Played } from "./played";
import type { Sequence } from "./sequences";

/**
 * What the real engine did of a sequence, from a folder where it was kept; else it is played, and kept there. The
 * folder is for one engine.
 */
export async function kept(
  folder: string | undefined,
  sequence: Sequence,
  play: (sequence: Sequence) => Promise<Played[]>,
): Promise<Played[]> {
  if (folder === undefined) return play(sequence);
  const name = createHash("sha256").update(JSON.stringify(sequence)).digest("hex").slice(0, 16);
  const file = join(folder, `${name}.json`);
  if (existsSync(file)) {
    const runs: Omit<Played, "run">[] = JSON.parse(readFileSync(file, "utf8"));
    return runs.map((one, at) => ({ ...one, run: sequence[at] as Sequence[number] }));
  }
  const played = await play(sequence);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(played));
  return played;
}
