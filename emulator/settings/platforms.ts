/** The platforms that the emulator can be: what applies on each where no setting says otherwise, and what its plans have. */

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
  /** Largest size, and largest maximum of autoscaling, in compute units. */
  maxCu: number;
  autoscalingMaxCu: number;
  /** Read replicas that a project may have; absent where there is no limit. */
  replicas?: number;
  /** The delays besides the default: numbers of seconds, and never. */
  delays: "none" | "never" | "any";
}

/**
 * The branch that an endpoint may move to: a branch without any endpoint (specification, sections 3.2, 4.5) or without a read-write one
 * (specification, section 1).
 */
export type MoveRule = "no-endpoint" | "no-read-write";

/**
 * The effect of a change on a compute that does not run. `apply`: it stays as it is. `start-and-suspend`: it is active while
 * the configuration is applied and is suspended after it, as the published description has it. `none`: it takes no operation at all, as
 * answers recorded in 2025 and 2026 show.
 */
export type IdleChange = "apply" | "start-and-suspend" | "none";

/** Which sizes set `max_connections`: the minimum (specification, section 2.4), or minimum and maximum, as today's platform has it. */
export type ConnectionsBy = "minimum" | "range";

/** The settings in which platforms differ. */
export interface PlatformSettings {
  /** The status of a change's first operation in the answer: today's platform shows `running`. Default `scheduling`. */
  firstOperation: "scheduling" | "running";
  /** Default `no-endpoint`. */
  moveRule: MoveRule;
  /** Default `apply`. */
  idleChange: IdleChange;
  /** The effect of the restart call on a compute that does not run: it is only started, or the call is refused with 422. Default `start`. */
  idleRestart: "start" | "refuse";
  /** Regions that a new project may be in. Default any. */
  regions: readonly string[] | undefined;
  /**
   * State of a disabled endpoint: `stopped` (specification, section 3.2), or `idle` where the platform has no such state.
   * Default `stopped`.
   */
  disabledState: "stopped" | "idle";
  /** Largest size on offer, in compute units. Default 7 (specification, section 2.4). */
  maxCu: number;
  /** Largest maximum of autoscaling, and how far it may lie above its minimum, in compute units. Default 16 and 8. */
  autoscalingMaxCu: number;
  autoscalingSpreadCu: number;
  /** Endpoints above this size, in compute units, never suspend by themselves. Default none. */
  alwaysActiveAboveCu: number | undefined;
  /** Default `minimum`. */
  connectionsBy: ConnectionsBy;
  /** How many computes of a project may be active at once, that of the default branch not counted. Default no limit. */
  activeComputes: number | undefined;
  /** Smallest positive autosuspend delay, in seconds. Default 1 (specification, section 3.3); today's platforms ask for 60. */
  minSuspendTimeoutSeconds: number;
  /** Fields of a request for an endpoint that are taken and have no effect, such as `passwordless_access`. Default none. */
  ignoredFields: readonly string[];
}

/** Published on the platform's page of regions, 2026; those of Azure take no new projects since 2026-04-07. */
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

/** Specification, sections 1, 2.4 and 3; and what Neon's documentation of 2025-12 to 2026-01 says. */
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
      ignoredFields: ["passwordless_access", "pooler_mode"],
    },
    plans: {
      free: { maxCu: 2, autoscalingMaxCu: 2, replicas: 3, delays: "none" },
      launch: { maxCu: 16, autoscalingMaxCu: 16, delays: "never" },
      scale: { maxCu: 56, autoscalingMaxCu: 16, delays: "any" },
    },
  },
};

/** The settings of a platform under those that are given. */
export function withPlatform<T extends { platform?: PlatformName }>(given: T): T & Partial<PlatformSettings> {
  return given.platform === undefined ? given : { ...platforms[given.platform].settings, ...given };
}

/** The limits of a plan on the configured platform; undefined for its largest plan, which has the platform's own limits. */
export function planLimits({ platform }: { platform: PlatformName }, plan: Plan): PlanLimits | undefined {
  return platforms[platform].plans[plan];
}
