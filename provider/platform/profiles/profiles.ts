/** Which platform an address stands for, and what of its limits a plan has a say in. */
import { DEFAULT_BASE_URL } from "../http/base-url";
import { neon } from "./neon";
import { AUTOSCALING_MAX_CU, type PlanLimits, type Profile, type ProfileName } from "./profile";
import { specification } from "./specification";

/** Every platform that rules are known of. */
export const profiles: Readonly<Record<ProfileName, Profile>> = { specification, neon };

/** The names of plans, as the configuration takes them: the profiles' own, and `paid` for any paid one. */
export const planNames = ["free", "launch", "scale", "paid"] as const;

/** The account's plan. */
export type Plan = (typeof planNames)[number];

/** What limits an endpoint on one plan, or on any plan that the account may have. */
export interface Limits extends PlanLimits {
  /** The platform in a sentence. */
  platform: string;
  /** How far an autoscaling maximum may lie above its minimum, in CU. */
  autoscalingSpreadCu: number;
  /** Whose limits these are, such as `Neon's free plan`, or `Neon` where no single plan is meant. */
  owner: string;
  /** A plan that allows more; absent where there is none, or no plan was configured. */
  morePlan?: Plan;
}

/** The platform of an address where none is configured: the public address is Neon's, every other the specification's. */
export function profileOf(platform: ProfileName | undefined, baseUrl: URL | undefined): Profile {
  if (platform !== undefined) return profiles[platform];
  return baseUrl === undefined || baseUrl.host === new URL(DEFAULT_BASE_URL).host ? neon : specification;
}

/** The same with sizes of any extent. */
export function withoutLimits(limits: Limits): Limits {
  const all = Number.POSITIVE_INFINITY;
  return { ...limits, largestCu: all, autoscalingMaxCu: all, autoscalingSpreadCu: all };
}

/** What a preview says of the platform that it is for, in a form that can be read back. */
export function platformMessage({ name }: Profile): string {
  return `platform: ${name}`;
}

/** The platform that such a message names; undefined for another text. */
export function platformIn(message: string): Profile | undefined {
  return Object.values(profiles).find((profile) => platformMessage(profile) === message.trim());
}

/** True for a plan that the platform has, or may be meant by `paid`. */
export function hasPlan({ plans }: Profile, plan: Plan): boolean {
  return plan === "paid" || plan in plans;
}

/**
 * The limits of a plan. Of `paid`, and where none is configured, only what all plans share that may be meant: the most that any of them
 * allows. A configured largest size outranks what the profile says.
 */
export function limitsOf(profile: Profile, plan: Plan | undefined, maxSizeCu?: number): Limits {
  const { plans, platform, planOwner, autoscalingSpreadCu } = profile;
  const own = plan === undefined ? undefined : plans[plan];
  const meant = own
    ? [own]
    : Object.keys(plans).flatMap((name) => (plan && name === "free" ? [] : (plans[name] ?? [])));
  const most = (of: (limits: PlanLimits) => number) => Math.max(...meant.map(of));
  const least = meant.flatMap(({ suspend }) => suspend.leastSeconds ?? []);
  const replicas = meant.flatMap(({ readReplicas }) => readReplicas ?? []);
  const others = Object.keys(plans);
  const more = plan === "free" ? "paid" : others[others.indexOf(plan ?? "") + 1];
  return {
    owner: own ? `${planOwner} ${plan} plan` : platform,
    ...(own && more !== undefined && { morePlan: more as Plan }),
    platform,
    autoscalingSpreadCu,
    largestCu: maxSizeCu ?? most(({ largestCu }) => largestCu),
    autoscalingMaxCu:
      maxSizeCu === undefined
        ? most(({ autoscalingMaxCu }) => autoscalingMaxCu)
        : Math.min(maxSizeCu, AUTOSCALING_MAX_CU),
    suspend: {
      never: meant.some(({ suspend }) => suspend.never),
      ...(least.length > 0 && { leastSeconds: Math.min(...least) }),
    },
    // One plan without the limit leaves none.
    ...(replicas.length === meant.length && { readReplicas: Math.max(...replicas) }),
  };
}
