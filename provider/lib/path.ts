/** Property paths as the engine writes them. */

/** One step of a path: quoted, an index, or plain. */
const step = /\["((?:\\"|[^"])*)"\]|\[(\*|\d+)\]|([^.[\]]+)/g;

/** Splits a path into steps, such as `endpoints["pr-101"].sizeCu`, `endpoints[*].sizeCu` or `["sizeCu"]`. */
export function stepsOf(path: string): string[] {
  return [...path.matchAll(step)].map(([, quoted, index, plain]) => quoted ?? index ?? plain ?? "");
}
