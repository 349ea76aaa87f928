/**
 * The model of a report, which `--format json` writes and the other formats render; the source of its types and
 * `review.schema.json`.
 */
import { z } from "zod";
import type { ProfileName } from "../../provider/platform/profiles/profile";
import { profiles } from "../../provider/platform/profiles/profiles";
import type { PropertyChange } from "./change";
import { gateConditions } from "./disruption";
import { actions } from "./fate";

const verdict = z
  .enum(["yes", "no", "possible", "not_stated"])
  .describe("`possible` while a value that decides it is not known; `not_stated` where the specification does not say.")
  .meta({ id: "Verdict" });

const range = z.object({ min: z.number(), max: z.number() }).meta({ id: "Range" });

/** Both sides of a change; a missing or unknown side is absent. */
const sides = <T extends z.ZodType>(side: T) =>
  z.object({ before: z.exactOptional(side), after: z.exactOptional(side) });

const isTrue = z.literal(true);

const instant = z.string().describe("ISO 8601.");

const liveChange = z
  .object({ operation: z.string(), action: z.string(), at: instant })
  .describe("An operation that changed an endpoint.");

const goneEndpoint = z
  .object({ state: z.literal("gone"), changedBy: z.exactOptional(liveChange) })
  .describe("The platform does not have it any more; `changedBy` is the last operation on it.");

const liveEndpoint = z
  .object({
    state: z.enum(["runs", "idle", "disabled", "unknown"]).describe("`unknown` where the platform gives no state."),
    since: z.exactOptional(instant.describe("Absent if longer than the operations reach back.")),
    lastActive: z.exactOptional(z.string()),
    observedHours: z.number().describe("Hours that the operations which were read cover; the next four are of them."),
    starts: z.number(),
    runningHours: z.number(),
    hoursOfDay: z.array(z.number()).describe("For each hour of the day, in UTC, the hours that it ran."),
    quietHours: z.array(z.number()).describe("The hours of the day, in UTC, in which it never ran."),
    changedBy: z.exactOptional(liveChange.describe("The last operation that changed its configuration.")),
    kept: z.exactOptional(
      z.string().describe("Why the platform keeps it on its branch: the planned delete will be refused."),
    ),
    away: z.exactOptional(
      z
        .object({
          aboutMs: z.number(),
          slowestMs: z.number(),
          restarts: z.number(),
          of: z.enum(["endpoint", "project"]),
        })
        .describe("How long a restart takes, by its own restarts, else by those in its project."),
    ),
  })
  .describe("What the platform tells of it at the time of the report.");

const liveReach = z
  .object({
    projectId: z.string(),
    from: z.exactOptional(instant.describe("Where the operations begin.")),
    pages: z.exactOptional(z.number().describe("How many pages were read; absent if those were all.")),
    failure: z.exactOptional(z.string().describe("Why nothing of the project could be read.")),
    spent: z.exactOptional(
      z.array(z.string()).describe("What its quota no longer allows: none of its computes starts."),
    ),
  })
  .describe("How far the platform was read.");

const propertyValue = z
  .union([
    z.object({ is: z.literal("value"), value: z.unknown() }),
    z.object({ is: z.enum(["unset", "secret", "unknown"]) }),
    z.object({ is: z.literal("kept") }).describe("The program no longer sets it, and it has no default: it stays."),
  ])
  .meta({ id: "Value" });

const propertyChange = z.object({
  name: z
    .string()
    .describe("`branchId`, `pgSettings.work_mem`, ...; `size` for the three ways to write one, as a range in CU."),
  from: propertyValue,
  to: propertyValue,
  mayStay: z.exactOptional(isTrue.describe("Nothing says whether the value differs: a side is secret.")),
}) satisfies z.ZodType<PropertyChange>;

const endpointReport = z
  .object({
    urn: z.string(),
    name: z.string(),
    id: z.exactOptional(z.string().describe("PROJECT/ENDPOINT, where it is there already.")),
    host: z.enum(["plugin", "dynamic"]),
    action: z.enum(actions),
    restarts: verdict,
    restartsIdle: verdict.describe("It restarts, moves or suspends only at an idle moment (`restartWhen`)."),
    dropsConnections: verdict,
    moved: verdict,
    hostChanges: verdict,
    downtime: verdict,
    replaced: verdict,
    accessOpens: verdict.describe("Connections without a password are allowed, and were not before."),
    undoesRestore: z.exactOptional(isTrue.describe("It goes back to the data of before a restore.")),
    madeGoodBy: z.exactOptional(
      z.enum(["started", "restarted", "suspended"]).describe("How this run repairs what failed in an earlier one."),
    ),
    properties: z.array(propertyChange),
    hostName: z.exactOptional(z.string()),
    move: z.exactOptional(z.object({ from: z.string(), to: z.string() })),
    disabled: sides(z.boolean()),
    refused: z.exactOptional(isTrue.describe("It is protected, so that `up` refuses to delete or replace it.")),
    sizeCu: z.exactOptional(sides(range)),
    maxConnections: z.exactOptional(sides(z.number())),
    memoryGb: z.exactOptional(sides(range)),
    suspendTimeoutSeconds: z.exactOptional(sides(z.number()).describe("0 is the platform's default, -1 is never.")),
    computeHours: sides(range).describe("CU-hours of a month: what it uses at least and at most."),
    live: z.exactOptional(z.union([liveEndpoint, goneEndpoint]).describe("With `--live`.")),
    notes: z.array(z.string()).describe("What else a reader should know, in sentences."),
  })
  .meta({ id: "Endpoint" });

const unreadFleet = z
  .object({
    urn: z.string(),
    name: z.string(),
    isSingle: z.exactOptional(isTrue.describe("It is an endpoint of its own.")),
    why: z
      .enum(["secret", "unknown", "form", "cut"])
      .describe("`cut` where the plan has only a part of what it is, or will be."),
    members: z.exactOptional(z.number()),
  })
  .describe("A fleet or an endpoint that cannot be read: everything counts as possible.");

const providerMessage = z
  .object({ urn: z.string(), name: z.string(), severity: z.enum(["warning", "info"]), message: z.string() })
  .describe("Something that the provider says of a resource.");

const approval = z.object({
  seal: z.string().describe("The seal's digest."),
  differences: z.array(z.string()).describe("A sentence for each way in which the plan does more or something else."),
});

const gateResult = z.object({
  asked: z.array(z.enum(gateConditions)),
  met: z.array(
    z.object({
      condition: z.enum(gateConditions),
      endpoints: z.array(z.string()).describe("Those that meet it; providers of `config`."),
      unread: z.exactOptional(z.array(z.string()).describe("What counts because nobody can read it.")),
    }),
  ),
  undecided: z.exactOptional(isTrue.describe("`config` was asked for and counts as met because it cannot be known.")),
  notShown: z.exactOptional(
    z.array(z.enum(gateConditions)).describe("Counts as met: the plan hides deletes that earlier runs have left."),
  ),
});

/** A report on a plan, as `--format json` writes it. */
export const reportModel = z.object({
  version: z.literal(1).describe("The version of this form; a field is only ever added within one."),
  project: z.exactOptional(z.string()),
  stack: z.exactOptional(z.string()),
  platform: z.exactOptional(
    z
      .enum(Object.keys(profiles) as [ProfileName, ...ProfileName[]])
      .describe("The platform of the figures; where it is not known, those in which platforms differ are left out."),
  ),
  summary: z.string().describe("What changes, in a few sentences."),
  drift: z.exactOptional(isTrue.describe("It is of what a refresh found: the changes put that back.")),
  endpoints: z.array(endpointReport).describe("The endpoints that change, what hurts most first."),
  unread: z.array(unreadFleet).describe("Fleets and endpoints of which only is known that they change."),
  crowded: z.exactOptional(
    z
      .array(z.object({ projectId: z.string(), starts: z.number(), limit: z.number() }))
      .describe("Projects of which the plan starts more computes than the platform has active at a time."),
  ),
  configuration: z
    .array(z.object({ urn: z.string(), name: z.string(), says: z.array(z.string()) }))
    .describe("What changes of the provider's configuration."),
  settings: z.exactOptional(
    z
      .record(z.string(), z.string())
      .describe("The stack's plain settings, where those of its default provider change."),
  ),
  uncompared: z.exactOptional(
    z
      .record(z.string(), z.string())
      .describe("The stack's plain settings, where no old ones are there to compare with."),
  ),
  hidesLeftDeletes: z.exactOptional(
    isTrue.describe("The plan hides deletes that earlier runs have left; `--show-replacement-steps` shows them."),
  ),
  unchanged: z.number().describe("Endpoints of the plan that stay as they are."),
  otherChanges: z.number().describe("Changes of other resources, which the report leaves out."),
  errors: z.array(z.string()).describe("Why the preview failed, where it did; the report is then incomplete."),
  messages: z.array(providerMessage),
  scale: range.describe("The sizes that the bars go over, in CU."),
  hoursPerMonth: z.number(),
  computeHours: z.object({ before: range, after: range, unknown: z.number() }),
  pricePerCuHour: z.exactOptional(z.number()),
  currency: z.exactOptional(z.string().describe("Of the price: three letters of ISO 4217.")),
  gate: z.exactOptional(gateResult),
  live: z.exactOptional(
    z.object({ at: instant, reach: z.array(liveReach) }).describe("With `--live`: when the platform was asked."),
  ),
  approval: z.exactOptional(approval.describe("Present where the plan was held against a seal.")),
});

/** A report on a plan: data, which each form renders. */
export type Report = z.output<typeof reportModel>;

/** An operation that changed an endpoint. */
export type LiveChange = z.output<typeof liveChange>;

/** The platform's data on a deleted endpoint. */
export type GoneEndpoint = z.output<typeof goneEndpoint>;

/** Live data of an endpoint at the report's time. */
export type LiveEndpoint = z.output<typeof liveEndpoint>;

/** How far a project was read on the platform. */
export type LiveReach = z.output<typeof liveReach>;

/** One endpoint of the report. */
export type EndpointReport = z.output<typeof endpointReport>;

/** An unreadable fleet or endpoint, for which every effect is possible. */
export type UnreadFleet = z.output<typeof unreadFleet>;

/** A message of the provider about a resource. */
export type ProviderMessage = z.output<typeof providerMessage>;

/** The comparison of a plan with its approved seal. */
export type Approval = z.output<typeof approval>;

/** The gate's verdict in a report. */
export type GateResult = z.output<typeof gateResult>;

/** The price of a CU-hour. */
export type Price = Pick<Report, "pricePerCuHour" | "currency">;
