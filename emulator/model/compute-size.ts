/** Sizes of computes, and their connection limits. */
import type { Settings } from "../settings/settings";
import type { Endpoint } from "./endpoint";

/** Maximum connections of a pooled endpoint of any size (specification, section 8). */
export const POOLED_CONNECTIONS = 10_000;

/** The smallest size, in compute units (specification, section 2.4). */
export const SMALLEST_CU = 0.25;

/**
 * The sizes up to `maxCu`: a quarter, a half, whole numbers (specification, section 2.4), and above 16 even ones
 * (specification, section 2.4, published).
 */
export function computeSizes(maxCu: number): number[] {
  const sizes = [SMALLEST_CU, 0.5];
  for (let cu = 1; cu <= 16; cu++) sizes.push(cu);
  for (let cu = 18; cu <= 56; cu += 2) sizes.push(cu);
  return sizes.filter((cu) => cu <= maxCu);
}

/** Direct connections of the largest sizes. */
export const MAX_CONNECTIONS = 4000;

/**
 * Direct connections of a size: from its minimum's RAM (specification, section 2.4), or by minimum and maximum as on
 * today's platform.
 */
export function connectionsOf(
  { connectionsBy }: Pick<Settings, "connectionsBy">,
  { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max }: ReturnType<typeof sizeInForce>,
): number {
  if (connectionsBy === "minimum") return Math.min(MAX_CONNECTIONS, Math.floor((min * 4 * 1024 ** 3) / 9_531_392));
  const cu = Math.min(max, min * 8);
  return cu >= 9 ? MAX_CONNECTIONS : Math.max(100, Math.trunc(cu * 419.66));
}

/** The size that the running compute started with. */
export function sizeInForce({ record, outdated }: Pick<Endpoint, "record" | "outdated">) {
  const { autoscaling_limit_min_cu, autoscaling_limit_max_cu } = outdated ?? record;
  return { autoscaling_limit_min_cu, autoscaling_limit_max_cu };
}
