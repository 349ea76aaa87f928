import { distance } from "fastest-levenshtein";

// Shorter pieces, such as "cu" or "id", are part of too many names to say which one was meant.
const SHORTEST_PIECE = 4;
// Names are a few words long; past this there is nothing to guess, and the distance would be slow to compute.
const LONGEST_NAME = 100;

/**
 * The known name that an unknown one most likely stands for, or undefined where none is near. Case, `_`, `-` and spaces
 * count for nothing; then comes the one name that holds the other whole (`min_cu`), then the least edits, up to a
 * third of the longer name.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const wanted = folded(name);
  if (wanted === "") return undefined;
  return (
    known.find((candidate) => folded(candidate) === wanted) ?? onlyHolder(wanted, known) ?? fewestEdits(wanted, known)
  );
}

function onlyHolder(wanted: string, known: readonly string[]): string | undefined {
  const holders = known.filter((candidate) => holds(folded(candidate), wanted));
  // Two holders ("pooler" is in poolerEnabled and in poolerMode) leave the choice to the edits.
  return holders.length === 1 ? holders[0] : undefined;
}

function holds(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  return short.length >= SHORTEST_PIECE && (long.startsWith(short) || long.endsWith(short));
}

function fewestEdits(wanted: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const target = folded(candidate);
    const edits = distance(wanted, target);
    const bound = Math.floor(Math.max(wanted.length, target.length) / 3);
    if (edits > bound || edits >= fewest) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
