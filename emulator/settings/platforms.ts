/** The platforms that the emulator can imitate: the default settings of each, and its plans. */

/** The platform of the specification, and today's public one. */
export const platformNames = ["specification", "neon"] as const;

/** The name of a platform. */
export type PlatformName = (typeof platformNames)[number];

/** The plans that a project can be on; `paid` is the largest of a platform. */
export const planNames = ["free", "launch", "scale", "paid"] as const;

/** The name of a plan. */
export type Plan = (typeof planNames)[number];

/** The limits of a plan. */
export interface PlanLimits {
  /** Largest fixed size and largest autoscaling maximum, in compute units. */
  maxCu: number;
  autoscalingMaxCu: number;
  /** Maximum number of read replicas per project; absent for no limit. */
  replicas?: number;
  /** Allowed delays besides the default: `never` only, or any number of seconds too. */
  delays: "none" | "never" | "any";
}

/**
 * The branch that an endpoint may move to: one without any endpoint (specification, sections 3.2, 4.5), or without a
 * read-write one (specification, section 1).
 */
export type MoveRule = "no-endpoint" | "no-read-write";

/**
 * The effect of a change on a stopped compute: it stays stopped, is active meanwhile (published), or takes no operation
 * (recorded 2025 and 2026).
 */
export type IdleChange = "apply" | "start-and-suspend" | "none";

/**
 * The basis of `max_connections`: the minimum size (specification, section 2.4), or minimum and maximum, as on today's
 * platform.
 */
export type ConnectionsBy = "minimum" | "range";

/** The settings that differ between platforms. */
export interface PlatformSettings {
  /** The first operation's status in a change's answer: today's platform has `running`. Default `scheduling`. */
  firstOperation: "scheduling" | "running";
  /** Default `no-endpoint`. */
  moveRule: MoveRule;
  /** Default `apply`. */
  idleChange: IdleChange;
  /** The effect of the restart call on a stopped compute: a start, or a refusal with 422. Default `start`. */
  idleRestart: "start" | "refuse";
  /** Regions for new projects. Default any. */
  regions: readonly string[] | undefined;
  /**
   * State of a disabled endpoint: `stopped` (specification, section 3.2), or `idle` on a platform without that state.
   * Default `stopped`.
   */
  disabledState: "stopped" | "idle";
  /** Largest size, in compute units. Default 7 (specification, section 2.4). */
  maxCu: number;
  /** Largest autoscaling maximum, and its largest distance to the minimum, in compute units. Default 16 and 8. */
  autoscalingMaxCu: number;
  autoscalingSpreadCu: number;
  /** Endpoints above this size, in compute units, never suspend on their own. Default none. */
  alwaysActiveAboveCu: number | undefined;
  /** Default `minimum`. */
  connectionsBy: ConnectionsBy;
  /** Maximum number of active computes per project, without the default branch's. Default unlimited. */
  activeComputes: number | undefined;
  /**
   * Smallest positive autosuspend delay, in seconds. Default 1 (specification, section 3.3); today's platforms require
   * 60.
   */
  minSuspendTimeoutSeconds: number;
  /**
   * Whether branches show `restricted_actions` and `expires_at`, and protection, restrictions and expiry hold. Default
   * false; today's platform has them.
   */
  branchRules: boolean;
  /** Fields of endpoint requests that are accepted without effect, such as `passwordless_access`. Default none. */
  ignoredFields: readonly string[];
}

/** Published on the platform's page of regions, 2026; Azure's take no new projects since 2026-04-07. */
const AWS_REGIONS = [
  "aws-us-east-1",
  "aws-us-east-2",
  "aws-us-west-2",
  "aws-eu-central-1",
  "aws-eu-west-2",
  "aws-ap-southeast-1",
  "aws-ap-southeast-2",
  "aws-sa-east-1",
];

/** From specification, sections 1, 2.4 and 3, and Neon's documentation of 2025-12 to 2026-01. */
export const platforms: Readonly<
  Record<PlatformName, { settings: PlatformSettings; plans: Readonly<Partial<Record<Plan, PlanLimits>>> }>
> = {
  specification: {
    settings: {
      maxCu: 7,
      autoscalingMaxCu: 16,
      autoscalingSpreadCu: 8,
      alwaysActiveAboveCu: undefined,
      connectionsBy: "minimum",
      minSuspendTimeoutSeconds: 1,
      activeComputes: undefined,
      firstOperation: "scheduling",
      moveRule: "no-endpoint",
      idleChange: "apply",
      idleRestart: "start",
      regions: undefined,
      disabledState: "stopped",
      branchRules: false,
      ignoredFields: [],
    },
    plans: { free: { maxCu: 0.25, autoscalingMaxCu: 0.25, replicas: 0, delays: "any" } },
  },
  neon: {
    settings: {
      maxCu: 56,
      autoscalingMaxCu: 16,
      autoscalingSpreadCu: 8,
      alwaysActiveAboveCu: 16,
      connectionsBy: "range",
      minSuspendTimeoutSeconds: 60,
      activeComputes: 20,
      firstOperation: "running",
      moveRule: "no-read-write",
      idleChange: "start-and-suspend",
      idleRestart: "refuse",
      regions: AWS_REGIONS,
      disabledState: "idle",
      branchRules: true,
      ignoredFields: ["passwordless_access", "pooler_mode"],
    },
    plans: {
      free: { maxCu: 2, autoscalingMaxCu: 2, replicas: 3, delays: "none" },
      launch: { maxCu: 16, autoscalingMaxCu: 16, delays: "never" },
      scale: { maxCu: 56, autoscalingMaxCu: 16, delays: "any" },
    },
  },
};

/** The given settings over their platform's. */
export function withPlatform<T extends { platform?: PlatformName }>(given: T): T & Partial<PlatformSettings> {
  return given.platform === undefined ? given : { ...platforms[given.platform].settings, ...given };
}

/** A plan's limits on the configured platform; undefined for its largest plan, which has the platform's own. */
export function planLimits({ platform }: { platform: PlatformName }, plan: Plan): PlanLimits | undefined {
  return platforms[platform].plans[plan];
}
