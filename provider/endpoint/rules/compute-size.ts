/** What the platform gives an endpoint of one size (specification, section 2.4). */
export interface ComputeSize {
  /** Compute units. */
  cu: number;
  /** Virtual processors. */
  vcpu: number;
  /** RAM in GB; always four times `vcpu`. */
  memoryGb: number;
  /**
   * Half of the RAM in GB: how far the local file cache extends the effective cache. A guideline, which nothing
   * enforces; a working set beyond it can run the compute out of memory.
   */
  sharedBuffersGuidelineGb: number;
  /** The Postgres setting of that name. An autoscaling endpoint has that of its minimum size throughout. */
  maxConnections: number;
}

/** The table of sizes (specification, section 2.4), smallest size first. */
export const computeSizes: readonly ComputeSize[] = Object.freeze(
  [
    { cu: 0.25, vcpu: 0.25, memoryGb: 1, sharedBuffersGuidelineGb: 0.5, maxConnections: 112 },
    { cu: 0.5, vcpu: 0.5, memoryGb: 2, sharedBuffersGuidelineGb: 1, maxConnections: 225 },
    { cu: 1, vcpu: 1, memoryGb: 4, sharedBuffersGuidelineGb: 2, maxConnections: 450 },
    { cu: 2, vcpu: 2, memoryGb: 8, sharedBuffersGuidelineGb: 4, maxConnections: 901 },
    { cu: 3, vcpu: 3, memoryGb: 12, sharedBuffersGuidelineGb: 6, maxConnections: 1351 },
    { cu: 4, vcpu: 4, memoryGb: 16, sharedBuffersGuidelineGb: 8, maxConnections: 1802 },
    { cu: 5, vcpu: 5, memoryGb: 20, sharedBuffersGuidelineGb: 10, maxConnections: 2253 },
    { cu: 6, vcpu: 6, memoryGb: 24, sharedBuffersGuidelineGb: 12, maxConnections: 2703 },
    { cu: 7, vcpu: 7, memoryGb: 28, sharedBuffersGuidelineGb: 14, maxConnections: 3154 },
  ].map((size) => Object.freeze(size)),
);

/**
 * Client connections that one pooled endpoint serves at most, whatever its size (specification, section 2.4, sizing rule 3).
 */
export const POOLED_CONNECTIONS_LIMIT = 10_000;

const bySize = new Map(computeSizes.map((size) => [size.cu, size]));

/**
 * The row of the table for a size in compute units, or undefined for a size outside it: a larger platform may offer
 * that size, but nothing is specified about it.
 */
export function getComputeSize(cu: number): ComputeSize | undefined {
  return bySize.get(cu);
}

/** The smallest size of the table with at least so many connections, or undefined where no size has them. */
export function smallestSizeFor(maxConnections: number): ComputeSize | undefined {
  return computeSizes.find((size) => size.maxConnections >= maxConnections);
}
