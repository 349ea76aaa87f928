/** Rules for sizes, types and delays in requests, by platform and plan. */
import { badRequest, delayFixed } from "../lib/errors";
import { computeSizes } from "../model/compute-size";
import { DEFAULT_SUSPEND_SECONDS, type EndpointType } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { planLimits } from "../settings/platforms";

/** A compute's size in compute units; equal limits are a fixed size (specification, section 2.4). */
export interface Size {
  autoscaling_limit_min_cu: number;
  autoscaling_limit_max_cu: number;
}

/**
 * Completes a size and checks it against sizes (specification, section 2.4) and plan. Throws 400 with the field's path
 * under `within`.
 */
export function resolveSize(
  platform: Platform,
  project: Project,
  wanted: Partial<Size>,
  present?: Size,
  within = "endpoint",
): Size {
  const { settings } = platform;
  const { defaultCu, maxCu, autoscalingSpreadCu: spread } = settings;
  const plan = planLimits(settings, project.plan);
  const base = present ?? defaultSize(Math.min(defaultCu, plan?.maxCu ?? defaultCu), wanted);

  const size: Size = {
    autoscaling_limit_min_cu: wanted.autoscaling_limit_min_cu ?? base.autoscaling_limit_min_cu,
    autoscaling_limit_max_cu: wanted.autoscaling_limit_max_cu ?? base.autoscaling_limit_max_cu,
  };
  const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = size;

  for (const field of ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"] as const) {
    if (wanted[field] === undefined) continue;
    if (plan && size[field] > plan.maxCu) {
      throw badRequest(`${within}.${field}: the ${project.plan} plan has sizes up to ${plan.maxCu} CU`, "PLAN_LIMIT");
    }
    if (!computeSizes(maxCu).includes(size[field])) {
      throw badRequest(`${within}.${field}: ${size[field]} is no compute size; use ${computeSizes(maxCu).join(", ")}`);
    }
  }
  if (min > max) {
    throw badRequest(`${within}.autoscaling_limit_min_cu: ${min} is above autoscaling_limit_max_cu (${max})`);
  }

  const most = Math.min(settings.autoscalingMaxCu, plan?.autoscalingMaxCu ?? Number.POSITIVE_INFINITY);
  if (min < max && (max > most || max - min > spread)) {
    throw badRequest(
      `${within}.autoscaling_limit_max_cu: autoscaling goes to ${most} CU, at most ${spread} CU above the minimum`,
    );
  }

  // `present` may be a whole record, so only the size is taken.
  return { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max };
}

/** Throws 400 for a read replica that the plan does not include (specification, section 1, rule 2), or one too many. */
export function assertTypeInPlan(platform: Platform, project: Project, type: EndpointType): void {
  const { replicas } = planLimits(platform.settings, project.plan) ?? {};
  if (type !== "read_only" || replicas === undefined) return;
  const there = [...project.endpoints.values()].filter(({ record }) => record.type === "read_only").length;
  if (there < replicas) return;
  throw badRequest(`endpoint.type: the ${project.plan} plan has ${replicas} read replicas (read_only)`, "PLAN_LIMIT");
}

/**
 * Throws 400 for an autosuspend delay outside the plan, and 412 for any on a plan that fixes it (recorded 2024 to
 * 2026).
 */
export function assertDelayInPlan(platform: Platform, project: Project, seconds: number | undefined): void {
  const { delays = "any" } = planLimits(platform.settings, project.plan) ?? {};
  if (delays === "none" && seconds !== undefined && seconds !== 0) throw delayFixed();
  const isDefault = seconds === undefined || seconds === 0 || seconds === DEFAULT_SUSPEND_SECONDS;
  if (isDefault || delays === "any" || (delays === "never" && seconds < 0)) return;
  const has = `${DEFAULT_SUSPEND_SECONDS} or -1 (never)`;
  throw badRequest(`endpoint.suspend_timeout_seconds: the ${project.plan} plan has ${has}`, "PLAN_LIMIT");
}

// A single limit must not fail against a default that the caller never wrote.
function defaultSize(defaultCu: number, wanted: Partial<Size>): Size {
  const min = wanted.autoscaling_limit_min_cu;
  const max = wanted.autoscaling_limit_max_cu;
  return {
    autoscaling_limit_min_cu: Math.min(defaultCu, max ?? defaultCu),
    autoscaling_limit_max_cu: Math.max(defaultCu, min ?? defaultCu),
  };
}
