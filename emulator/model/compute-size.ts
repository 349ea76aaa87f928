/** Sizes of computes, and the connections that each allows. */
import type { Settings } from "../settings/settings";
import type { Endpoint } from "./endpoint";

/** How many clients a pooled endpoint takes, whatever its size (specification, section 8). */
export const POOLED_CONNECTIONS = 10_000;

/** The smallest size, in compute units (specification, section 2.4). */
export const SMALLEST_CU = 0.25;

/**
 * The sizes on offer up to `maxCu`: a quarter, a half and whole numbers (specification, section 2.4); beyond 16 only even
 * ones, as the larger platforms are published (specification, section 2.4, published).
 */
export function computeSizes(maxCu: number): number[] {
  const sizes = [SMALLEST_CU, 0.5];
  for (let cu = 1; cu <= 16; cu++) sizes.push(cu);
  for (let cu = 18; cu <= 56; cu += 2) sizes.push(cu);
  return sizes.filter((cu) => cu <= maxCu);
}

/** Direct connections that the largest sizes allow. */
export const MAX_CONNECTIONS = 4000;

/**
 * Direct connections that a size allows, up to a limit. By the minimum (specification, section 2.4): one for each 9,531,392 bytes of its
 * RAM, 4 GB a CU. By minimum and maximum, as today's platform is published: the maximum counts, up to eight times the minimum; from 9 CU
 * on there are as many as there ever are.
 */
export function connectionsOf(
  { connectionsBy }: Pick<Settings, "connectionsBy">,
  { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max }: ReturnType<typeof sizeInForce>,
): number {
  if (connectionsBy === "minimum") return Math.min(MAX_CONNECTIONS, Math.floor((min * 4 * 1024 ** 3) / 9_531_392));
  const cu = Math.min(max, min * 8);
  return cu >= 9 ? MAX_CONNECTIONS : Math.max(100, Math.trunc(cu * 419.66));
}

/** The size that the running compute was started with. */
export function sizeInForce({ record, outdated }: Pick<Endpoint, "record" | "outdated">) {
  const { autoscaling_limit_min_cu, autoscaling_limit_max_cu } = outdated ?? record;
  return { autoscaling_limit_min_cu, autoscaling_limit_max_cu };
}
