/** The plans in `tests/unit/cli/samples` are what the pinned engine printed of `tests/cli`'s scenarios: whether they still are. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the recorder notes what the plans were recorded from. */
export const RECORDED_FROM = "tests/unit/cli/samples/recorded-from.txt";

/** What prints them, and what writes them down. */
const sources = ["tests/cli/support/scenarios.ts", "tests/cli/support/record.ts", "tools/engine/go.mod"];

/** What the plans are recorded from now, as one digest. */
export function recordedFrom(root: string): string {
  const hash = createHash("sha256");
  for (const file of sources) hash.update(readFileSync(join(root, file)));
  return `${hash.digest("hex")} of ${sources.join(", ")}\n`;
}
