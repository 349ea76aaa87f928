/** Settings that can change while the emulator runs (`admin.configure`): choices that the specification leaves open, and the behaviour towards clients. */

import type { RateLimit } from "../lib/rate-limit";
import { type Plan, type PlatformName, type PlatformSettings, platforms } from "./platforms";

/** Which open operations a mutating call is refused for: those of its endpoint or branch, those of the whole project, none. */
export type LockMode = "endpoint" | "project" | "none";

/**
 * The sign of the end of the operation list, which the specification, section 4.1, leaves open.
 * `short-page`: the last page is shorter than asked (it may be empty); every page that is not empty has a cursor.
 * `absent-pagination`: the last page has no `pagination`.
 * `empty-page`: after the last operation comes an empty page, whose cursor still moves on.
 * `repeated-cursor`: past the end the last operation comes again, with the cursor that was sent.
 */
export type LastPage = "short-page" | "absent-pagination" | "empty-page" | "repeated-cursor";

/**
 * The treatment of fields that the published description calls deprecated: an endpoint's `pooler_enabled`,
 * `pooler_mode` and `settings.pgbouncer_settings`, and `branch_id` of an update. `kept`: they work. `refused`: a request
 * with one gets 400. `ignored`: a request may carry them, and nothing comes of it. Where they are gone, answers have
 * none of them, and no other deprecated field (`proxy_host`, a branch's `primary` and `cpu_used_sec`).
 */
export type RemovedFields = "kept" | "refused" | "ignored";

/** The settings, each with what applies where the options are silent. */
export interface Settings extends PlatformSettings {
  /** The platform whose rules hold, unless another setting differs. Default `specification`. */
  platform: PlatformName;
  /** Plan of projects that name none. Default `paid`. */
  plan: Plan;
  /** How long an operation runs, in milliseconds on the emulator's clock; a quarter of it as `scheduling`. Default 500. */
  operationMs: number;
  /** The same for single actions, such as `{ start_compute: 2000 }`. Default none. */
  operationMsByAction: Readonly<Record<string, number>>;
  /** Whether operations tell `total_duration_ms`, 0 while they are open; older platforms have no such field. Default true. */
  operationDurations: boolean;
  /** Default `endpoint`. */
  lock: LockMode;
  /** Status of a call refused by the lock: 423, or 422 as some platforms answer. Default 423. */
  lockStatus: 423 | 422;
  /** Answer to deleting an endpoint or a branch that is gone: 404 with an error, or 204 with an empty body. Default 404. */
  goneStatus: 404 | 204;
  /** Default `short-page`. */
  lastPage: LastPage;
  /** Operations a page has when `limit` is not sent, 1 to 1000. Default 100. */
  defaultPageSize: number;
  /** Whether the newer restart call exists. Default true. */
  restartCall: boolean;
  /** The result of starting one compute too many, which no platform publishes. Default `skipped`. */
  activeLimit: "skipped" | "failed";
  /** Size of an endpoint that is created without one, in compute units. Default 0.25. */
  defaultCu: number;
  /** Accepted values of `pooler_mode`. Default the three of PgBouncer; the specification shows `transaction` only. */
  poolerModes: readonly string[];
  /** Whether endpoints have names. Where not, a request may carry one, and no answer shows it. Default true. */
  endpointNames: boolean;
  /** Whether `settings` of a request has to have `pg_settings`. Default false. */
  pgSettingsRequired: boolean;
  /** Whether answers show an endpoint's settings as `{}`, whatever they are. Default false. */
  emptySettings: boolean;
  /** Default `kept`. */
  removedFields: RemovedFields;
  /** Treatment of a request with an unknown field: `refuse` with 400, or `accept` and ignore the field. Default `refuse`. */
  unknownFields: "refuse" | "accept";
  /** Adds unknown fields to every record and an operation of an unknown action to every change. Default false. */
  surprise: boolean;
  /** Whether answers tell the time of the platform's clock, in `Date`. Default true. */
  dateHeader: boolean;
  /** Default none. */
  rateLimit: RateLimit | undefined;
}

/** The settings that apply where the options are silent. */
export const defaultSettings: Readonly<Settings> = {
  platform: "specification",
  ...platforms.specification.settings,
  plan: "paid",
  operationMs: 500,
  operationMsByAction: {},
  operationDurations: true,
  lock: "endpoint",
  lockStatus: 423,
  goneStatus: 404,
  lastPage: "short-page",
  defaultPageSize: 100,
  restartCall: true,
  defaultCu: 0.25,
  activeLimit: "skipped",
  poolerModes: ["transaction", "session", "statement"],
  endpointNames: true,
  pgSettingsRequired: false,
  emptySettings: false,
  removedFields: "kept",
  unknownFields: "refuse",
  surprise: false,
  dateHeader: true,
  rateLimit: undefined,
};
