/** A report as data: what `--format json` writes and the other two forms show. */
import type { BeforeAfter, Impact, Range } from "../../provider/endpoint/impact/impact";
import type { ProfileName } from "../../provider/platform/profiles/profile";
import type { PropertyChange } from "./change";
import type { ConfigurationChange } from "./configuration";
import type { Disruption, GateCondition } from "./disruption";
import type { PlanMessage, Unread } from "./plan-model";

/** An operation that changed an endpoint. */
export interface LiveChange {
  operation: string;
  action: string;
  /** ISO 8601. */
  at: string;
}

/** What the platform tells of an endpoint that it does not have any more. */
export interface GoneEndpoint {
  state: "gone";
  /** The last operation on it. */
  changedBy?: LiveChange;
}

/** What the platform tells of an endpoint at the time of the report. Hours of the day are in UTC. */
export interface LiveEndpoint {
  /** `unknown` where the platform gives no state. */
  state: "runs" | "idle" | "disabled" | "unknown";
  /** Since when, as ISO 8601; absent if longer than the operations reach back. */
  since?: string;
  lastActive?: string;
  /** The time that the operations which were read cover, in hours; the next four are of it. */
  observedHours: number;
  starts: number;
  runningHours: number;
  /** For each hour of the day, the hours that it ran. */
  hoursOfDay: number[];
  /** The hours of the day in which it never ran. */
  quietHours: number[];
  /** The last operation that changed its configuration. */
  changedBy?: LiveChange;
  /** How long it is away in a restart, by the operations of its own restarts, else of those in its project. */
  away?: { aboutMs: number; slowestMs: number; restarts: number; of: "endpoint" | "project" };
}

/** How far the platform was read. */
export interface LiveReach {
  projectId: string;
  /** Where the operations begin, as ISO 8601. */
  from?: string;
  /** How many pages were read; absent if those were all. */
  pages?: number;
  /** Why nothing of the project could be read. */
  failure?: string;
  /** What its quota no longer allows, such as `compute time`: none of its computes starts. */
  spent?: string[];
}

/** One endpoint of the report. */
export interface EndpointReport
  extends Disruption,
    Pick<Impact, "sizeCu" | "maxConnections" | "memoryGb" | "suspendTimeoutSeconds"> {
  urn: string;
  name: string;
  /** PROJECT/ENDPOINT, where it is there already. */
  id?: string;
  host: "plugin" | "dynamic";
  properties: PropertyChange[];
  hostName?: string;
  move?: { from: string; to: string };
  disabled: BeforeAfter<boolean>;
  /** True where it is protected, so that `up` refuses to delete or replace it. */
  refused?: true;
  /** In CU-hours of a month: what it uses at least and at most. */
  computeHours: BeforeAfter<Range>;
  /** With `--live`. */
  live?: LiveEndpoint | GoneEndpoint;
  /** What else a reader should know, in plain sentences. */
  notes: string[];
}

/** A fleet or an endpoint that cannot be read: everything counts as possible. */
export interface UnreadFleet extends Unread {
  urn: string;
  name: string;
  /** True for an endpoint of its own. */
  isSingle?: true;
}

/** Something that the provider says of a resource. */
export interface ProviderMessage extends PlanMessage {
  name: string;
}

/** How a plan keeps to what was approved. */
export interface Approval {
  /** The seal's digest. */
  seal: string;
  /** A sentence for each way in which the plan does more or something else. */
  differences: string[];
}

/** What a report says about the gate: which conditions were asked for, and the endpoints, or providers, that meet each. */
export interface GateResult {
  asked: GateCondition[];
  /** `unread` are the fleets that count because nobody can read their members. */
  met: { condition: GateCondition; endpoints: string[]; unread?: string[] }[];
  /** True if `config` was asked for and counts as met because it cannot be known. */
  undecided?: true;
  /** What counts as met because the plan hides deletes that earlier runs have left. */
  notShown?: GateCondition[];
}

/** What a CU-hour costs. */
export type Price = Pick<Report, "pricePerCuHour" | "currency">;

/** A report on a plan: data, which the three formats render. */
export interface Report {
  /** The version of this form; a field is only ever added within one. */
  version: 1;
  project?: string;
  stack?: string;
  /** The platform of the figures; if it is not known, figures in which platforms differ are left out. */
  platform?: ProfileName;
  /** One sentence. */
  summary: string;
  /** True where the report is of what a refresh found: the changes are those that put the endpoints back. */
  drift?: true;
  /** The endpoints that change, what hurts most first. */
  endpoints: EndpointReport[];
  /** Fleets and endpoints of which only is known that they change. */
  unread: UnreadFleet[];
  /** Projects of which the plan starts more computes than the platform has active at a time. */
  crowded?: { projectId: string; starts: number; limit: number }[];
  /** What changes of the provider's configuration. */
  configuration: ConfigurationChange[];
  /** The stack's plain settings, where those of its default provider change: of these the plan shows no old value. */
  settings?: Record<string, string>;
  /** The stack's plain settings, where the state has none that they could be compared with. */
  uncompared?: Record<string, string>;
  /** True where the plan hides deletes that earlier runs have left; `--show-replacement-steps` shows them. */
  hidesLeftDeletes?: true;
  /** Endpoints of the plan that stay as they are. */
  unchanged: number;
  /** Changes of other resources, which the report leaves out. */
  otherChanges: number;
  /** Why the preview failed, where it did; the report is then incomplete. */
  errors: string[];
  /** What the provider says, by resource. */
  messages: ProviderMessage[];
  /** The sizes that the bars go over, in CU. */
  scale: Range;
  hoursPerMonth: number;
  computeHours: { before: Range; after: Range; unknown: number };
  pricePerCuHour?: number;
  /** The price's currency, where one was given: three letters of ISO 4217. */
  currency?: string;
  gate?: GateResult;
  /** With `--live`: when the platform was asked, and how far. */
  live?: { at: string; reach: LiveReach[] };
  /** Present where the plan was held against a seal; there are no differences of a preview that failed. */
  approval?: Approval;
}
