import { KEY_PATTERN } from "../../provider/fleet/model";
import type { Found } from "./command";

/** An endpoint with a name that no other one of the file has. */
export type Named = Found & { name: string };

const LONGEST = 63;

/**
 * Names for endpoints, each a fleet's key and a resource's name: their labels, with a number where several have the same. What differs in
 * case or marks alone counts as the same, since a program's variables have neither. The same endpoints get the same names again.
 */
export function nameAll(found: readonly Found[]): Named[] {
  const taken = new Set<string>();
  const inOrder = [...found].sort((a, b) => compare(a.label, b.label) || compare(a.endpointId, b.endpointId));
  return inOrder.map((one) => {
    const stem = asKey(one.label) ?? one.endpointId;
    let name = stem;
    for (let number = 2; taken.has(bare(name)); number += 1) {
      const mark = `-${number}`;
      name = stem.slice(0, LONGEST - mark.length) + mark;
    }
    taken.add(bare(name));
    return { ...one, name };
  });
}

function asKey(label: string): string | undefined {
  const key = label
    .replace(/[^A-Za-z0-9._]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, LONGEST);
  return KEY_PATTERN.test(key) ? key : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
