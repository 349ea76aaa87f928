import { setFlagsFromString } from "node:v8";

const heapFlags = ["--semi-space-growth-factor=1", "--heap-growing-percent=100"];

/**
 * Bounds how the heap of this process grows from now on: the space for young objects stays as it is, and the whole at most
 * doubles between two collections. A fleet's garbage is many small records that live for one call; by itself, V8 lets
 * several times what is in use pile up before it collects (docs/decisions/0013-heap-of-the-plugin.md has the figures). A V8
 * without these flags says so on stderr and goes on.
 */
export function boundHeapGrowth(): void {
  for (const flag of heapFlags) setFlagsFromString(flag);
}
