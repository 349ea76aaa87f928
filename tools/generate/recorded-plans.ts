/**
 * Whether the plans in `tests/unit/cli/samples` are still what the pinned engine prints for `tests/cli`'s scenarios.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The recorder's note on the sources of the plans. */
export const RECORDED_FROM = "tests/unit/cli/samples/recorded-from.txt";

/** The sources that print the plans, and that record them. */
const sources = ["tests/cli/support/scenarios.ts", "tests/cli/support/record.ts", "tools/engine/go.mod"];

/** A digest of the plans' current sources. */
export function recordedFrom(root: string): string {
  const hash = createHash("sha256");
  for (const file of sources) hash.update(readFileSync(join(root, file)));
  return `${hash.digest("hex")} of ${sources.join(", ")}\n`;
}
