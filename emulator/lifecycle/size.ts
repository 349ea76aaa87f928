import { badRequest } from "../lib/errors";
import { computeSizes, FREE_CU } from "../model/compute-size";
import type { EndpointType } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";

/** The size of a compute in compute units; equal limits are a fixed size (section 2.4). */
export interface Size {
  autoscaling_limit_min_cu: number;
  autoscaling_limit_max_cu: number;
}

/** The largest compute that autoscales, and how far its limits may lie apart, in compute units (public facts). */
const AUTOSCALING_MAX_CU = 16;
const AUTOSCALING_SPREAD_CU = 8;

/**
 * Fills in the limit that a request left out, from the present size or the platform's default, and checks both against
 * the table of section 2.4. Throws 400, naming the field.
 */
export function resolveSize(platform: Platform, project: Project, wanted: Partial<Size>, present?: Size): Size {
  const { defaultCu, maxCu } = platform.settings;
  const free = project.plan === "free";
  const base = present ?? defaultSize(free ? FREE_CU : defaultCu, wanted);
  const size: Size = {
    autoscaling_limit_min_cu: wanted.autoscaling_limit_min_cu ?? base.autoscaling_limit_min_cu,
    autoscaling_limit_max_cu: wanted.autoscaling_limit_max_cu ?? base.autoscaling_limit_max_cu,
  };
  const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = size;
  for (const field of ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"] as const) {
    if (wanted[field] === undefined) continue;
    if (free && size[field] !== FREE_CU) {
      throw badRequest(`endpoint.${field}: the free plan has one fixed size, ${FREE_CU} CU`, "PLAN_LIMIT");
    }
    if (!computeSizes(maxCu).includes(size[field])) {
      throw badRequest(`endpoint.${field}: ${size[field]} is no compute size; use ${computeSizes(maxCu).join(", ")}`);
    }
  }
  if (min > max) {
    throw badRequest(`endpoint.autoscaling_limit_min_cu: ${min} is above autoscaling_limit_max_cu (${max})`);
  }
  if (min < max && (max > AUTOSCALING_MAX_CU || max - min > AUTOSCALING_SPREAD_CU)) {
    throw badRequest(
      `endpoint.autoscaling_limit_max_cu: autoscaling goes to ${AUTOSCALING_MAX_CU} CU, at most ` +
        `${AUTOSCALING_SPREAD_CU} CU above the minimum`,
    );
  }
  // `present` may be a whole record, of which only the size is meant.
  return { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max };
}

/** Refuses a read replica on the free plan (section 1, rule 2) with 400. */
export function assertTypeInPlan(project: Project, type: EndpointType): void {
  if (project.plan === "free" && type === "read_only") {
    throw badRequest("endpoint.type: read replicas (read_only) are part of the paid plan", "PLAN_LIMIT");
  }
}

// One limit alone must not fail against a default that the caller never wrote.
function defaultSize(defaultCu: number, wanted: Partial<Size>): Size {
  const min = wanted.autoscaling_limit_min_cu;
  const max = wanted.autoscaling_limit_max_cu;
  return {
    autoscaling_limit_min_cu: Math.min(defaultCu, max ?? defaultCu),
    autoscaling_limit_max_cu: Math.max(defaultCu, min ?? defaultCu),
  };
}
