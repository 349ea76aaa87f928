/**
 * Settings that can change while the emulator runs (`admin.configure`): choices that the specification leaves open, and
 * behaviour towards clients.
 */

import type { RateLimit } from "../lib/rate-limit";
import { type Plan, type PlatformName, type PlatformSettings, platforms } from "./platforms";

/** The open operations that block a change: its endpoint's and branch's, the whole project's, or none. */
export type LockMode = "endpoint" | "project" | "none";

/**
 * The mark of the operation list's end, which the specification, section 4.1, leaves open:
 * - `short-page`: the last page is shorter than requested, or empty; other pages have a cursor.
 * - `absent-pagination`: the last page has no `pagination`.
 * - `empty-page`: an empty page follows, with a further cursor.
 * - `repeated-cursor`: the last operation repeats, with the sent cursor.
 */
export type LastPage = "short-page" | "absent-pagination" | "empty-page" | "repeated-cursor";

/**
 * The treatment of deprecated fields: an endpoint's `pooler_enabled`, `pooler_mode` and `settings.pgbouncer_settings`,
 * and an update's `branch_id`. `kept`: they work. `refused`: they get 400. `ignored`: they have no effect. Except with
 * `kept`, answers lack them and other deprecated fields (`proxy_host`, a branch's `primary` and `cpu_used_sec`).
 */
export type RemovedFields = "kept" | "refused" | "ignored";

/** The settings, with their defaults. */
export interface Settings extends PlatformSettings {
  /** The platform whose rules hold, unless another setting differs. Default `specification`. */
  platform: PlatformName;
  /** Plan of projects without one. Default `paid`. */
  plan: Plan;
  /** Duration of an operation, in milliseconds on the emulator's clock, a quarter of it `scheduling`. Default 500. */
  operationMs: number;
  /** Durations by action, such as `{ start_compute: 2000 }`. Default none. */
  operationMsByAction: Readonly<Record<string, number>>;
  /** Whether operations have `total_duration_ms` (0 while open), which older platforms lack. Default true. */
  operationDurations: boolean;
  /** Default `endpoint`. */
  lock: LockMode;
  /** Status of a call that the lock refuses: 423, or 422 as on some platforms. Default 423. */
  lockStatus: 423 | 422;
  /** Answer to deleting a missing endpoint or branch: 404 with an error, or 204 with an empty body. Default 404. */
  goneStatus: 404 | 204;
  /** Default `short-page`. */
  lastPage: LastPage;
  /** Operations per page without `limit`, 1 to 1000. Default 100. */
  defaultPageSize: number;
  /** Branches or projects per page, below a larger `limit` too. Default 100 branches, and as many projects as asked for. */
  maxPageSize: number | undefined;
  /** Whether the newer restart call exists. Default true. */
  restartCall: boolean;
  /** Result of starting one compute too many, which no platform publishes. Default `skipped`. */
  activeLimit: "skipped" | "failed";
  /** Size of an endpoint created without one, in compute units. Default 0.25. */
  defaultCu: number;
  /** Accepted values of `pooler_mode`. Default PgBouncer's three; the specification has only `transaction`. */
  poolerModes: readonly string[];
  /** Whether endpoints have names. If false, requests may set one and answers lack it. Default true. */
  endpointNames: boolean;
  /** Whether a request's `settings` must contain `pg_settings`. Default false. */
  pgSettingsRequired: boolean;
  /** Whether answers show an endpoint's settings as `{}`. Default false. */
  emptySettings: boolean;
  /** Default `kept`. */
  removedFields: RemovedFields;
  /** Treatment of unknown fields in requests: `refuse` with 400, or `accept` and ignore. Default `refuse`. */
  unknownFields: "refuse" | "accept";
  /** Adds unknown fields to every record and an operation of an unknown action to every change. Default false. */
  surprise: boolean;
  /** Whether answers have the emulator's time in `Date`. Default true. */
  dateHeader: boolean;
  /** Default none. */
  rateLimit: RateLimit | undefined;
}

/** The default settings. */
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
  maxPageSize: undefined,
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
