/** The one size of the free plan, in compute units (specification, section 2.4, sizing rule 4). */
export const FREE_CU = 0.25;

/** How many clients a pooled endpoint takes, whatever its size (specification, section 8). */
export const POOLED_CONNECTIONS = 10_000;

/**
 * The sizes on offer up to `maxCu`: a quarter, a half and whole numbers (specification, section 2.4); beyond 16 only even
 * ones, as the larger platforms are published (specification, section 2.4, published).
 */
export function computeSizes(maxCu: number): number[] {
  const sizes = [0.25, 0.5];
  for (let cu = 1; cu <= 16; cu++) sizes.push(cu);
  for (let cu = 18; cu <= 56; cu += 2) sizes.push(cu);
  return sizes.filter((cu) => cu <= maxCu);
}

/** Direct connections that the largest sizes allow. */
export const MAX_CONNECTIONS = 4000;

/** Direct connections that a size allows: one for each 9,531,392 bytes of its RAM (4 GB a CU), up to a limit. */
export function maxConnections(cu: number): number {
  return Math.min(MAX_CONNECTIONS, Math.floor((cu * 4 * 1024 ** 3) / 9_531_392));
}
