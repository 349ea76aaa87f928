import { setFlagsFromString } from "node:v8";

/**
 * How the heap grows from now on: the space for young objects stays as it is, and the whole at most doubles between two collections.
 * A fleet's garbage is many small records that live for one call; by itself, V8 lets several times what is in use pile up
 * before it collects (docs/decisions/0012-heap-of-the-plugin.md has the figures).
 */
const heapFlags = ["--semi-space-growth-factor=1", "--heap-growing-percent=100"];

/**
 * undici reads answers by a WebAssembly of one large function, which V8 would optimize after the first few, for a third of all the processor
 * time that a short run takes, and without a gain in a long one (docs/decisions/0016-kept-compilation.md).
 */
const parserFlag = "--liftoff-only";

/**
 * What runs a few hundred times is not worth optimizing: a run of a hundred endpoints takes a fifth less processor time where V8 waits three times as
 * long, and one of a thousand as much as before (docs/decisions/0016-kept-compilation.md).
 */
const optimizerFlag = "--interrupt-budget=400000";

/** Has this process use less memory and less processor time from now on. A V8 without these flags says so on stderr and goes on. */
export function setV8Flags(): void {
  for (const flag of [...heapFlags, parserFlag]) setFlagsFromString(flag);
  // Later versions have no such flag, and wait by themselves.
  if (process.versions.node.startsWith("20.")) setFlagsFromString(optimizerFlag);
}
