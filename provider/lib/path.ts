/** Paths of properties as the engine writes them. */

/** One step of such a path: in quotes, an index, or plain. */
const step = /\["((?:\\"|[^"])*)"\]|\[(\*|\d+)\]|([^.[\]]+)/g;

/** Splits a path into its steps: of `endpoints["pr-101"].sizeCu`, `endpoints[*].sizeCu`, `["sizeCu"]` or `defaults.sizeCu`. */
export function stepsOf(path: string): string[] {
  return [...path.matchAll(step)].map(([, quoted, index, plain]) => quoted ?? index ?? plain ?? "");
}
