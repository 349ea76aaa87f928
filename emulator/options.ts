import { randomBytes } from "node:crypto";
import type { ClockMode } from "./clock";
import { SPECIFIED_MAX_CU } from "./model/compute-size";
import type { RateLimit } from "./rate-limit";

/** The plan of a project: `free` has one size and no read replicas (section 1, section 2.4). */
export type Plan = "free" | "paid";

/** Which open operations a mutating call is refused for: those of its endpoint or branch, those of the whole project, none. */
export type LockMode = "endpoint" | "project" | "none";

/** Where an endpoint may move: a branch without any endpoint (sections 3.2, 4.5) or without a read-write one (section 1). */
export type MoveRule = "no-endpoint" | "no-read-write";

/**
 * How the end of the operation list shows, which section 4.1 leaves open.
 * `short-page`: the last page is shorter than asked (it may be empty); every page that is not empty has a cursor.
 * `absent-pagination`: the last page has no `pagination`.
 * `empty-page`: after the last operation comes an empty page, whose cursor still moves on.
 * `repeated-cursor`: past the end the last operation comes again, with the cursor that was sent.
 */
export type LastPage = "short-page" | "absent-pagination" | "empty-page" | "repeated-cursor";

/** What can be changed while the emulator runs (`admin.configure`). */
export interface Settings {
  /** Plan of projects that name none. Default `paid`. */
  plan: Plan;
  /** How long an operation runs, in milliseconds on the emulator's clock; a quarter of it as `scheduling`. Default 500. */
  operationMs: number;
  /** The same for single actions, such as `{ start_compute: 2000 }`. Default none. */
  operationMsByAction: Readonly<Record<string, number>>;
  /** Default `endpoint`. */
  lock: LockMode;
  /** Status of a call refused by the lock: 423, or 422 as some platforms answer. Default 423. */
  lockStatus: 423 | 422;
  /** Default `no-endpoint`. */
  moveRule: MoveRule;
  /** Answer to the deletion of what is gone: 404 with an error, or 204 with an empty body. Default 404. */
  goneStatus: 404 | 204;
  /** Default `short-page`. */
  lastPage: LastPage;
  /** Operations a page has when `limit` is not sent, 1 to 1000. Default 100. */
  defaultPageSize: number;
  /** Whether the newer restart call exists. Default true. */
  restartCall: boolean;
  /** Largest size on offer, in compute units. Default 7 (section 2.4). */
  maxCu: number;
  /** Size of an endpoint that is created without one, in compute units. Default 0.25. */
  defaultCu: number;
  /** Smallest positive autosuspend delay, in seconds. Default 1 (section 3.3); today's platforms ask for 60. */
  minSuspendTimeoutSeconds: number;
  /** Accepted values of `pooler_mode`. Default the three of PgBouncer; the specification shows `transaction` only. */
  poolerModes: readonly string[];
  /** Adds unknown fields to every record and an operation of an unknown action to every change. Default false. */
  surprise: boolean;
  /** Default none. */
  rateLimit: RateLimit | undefined;
}

/** Options of `createEmulator`; all are optional. */
export interface EmulatorOptions extends Partial<Settings> {
  /** TCP port; 0 takes a free one. Default 0. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`; on any other than loopback the admin calls ask for the key, too. */
  host?: string;
  /** The account's API key: printable, without spaces. Default a random one. */
  apiKey?: string;
  /** Default `real`. */
  clock?: ClockMode;
  /** Time that the clock starts at, in milliseconds since the epoch. Default now. */
  startAt?: number;
  /** Seed of generated ids and of fault probabilities. Default 1. */
  seed?: number;
  /** Region of seeded projects, in the form provider-region. Default `aws-eu-central-1`. */
  regionId?: string;
  /** Last part of host names (section 2.3). Default `compute.test`. */
  serviceDomain?: string;
  /** Largest request body, in bytes. Default 1 MiB. */
  bodyLimitBytes?: number;
  /** Requests that the log keeps, oldest dropped first; the counts go on. Default 100,000. */
  logLimit?: number;
}

/** The options with every default filled in. */
export type ResolvedOptions = Required<Omit<EmulatorOptions, keyof Settings | "startAt">> & {
  startAt: number | undefined;
  settings: Settings;
};

/** The settings that apply where the options are silent. */
export const defaultSettings: Readonly<Settings> = {
  plan: "paid",
  operationMs: 500,
  operationMsByAction: {},
  lock: "endpoint",
  lockStatus: 423,
  moveRule: "no-endpoint",
  goneStatus: 404,
  lastPage: "short-page",
  defaultPageSize: 100,
  restartCall: true,
  maxCu: SPECIFIED_MAX_CU,
  defaultCu: 0.25,
  minSuspendTimeoutSeconds: 1,
  poolerModes: ["transaction", "session", "statement"],
  surprise: false,
  rateLimit: undefined,
};

/** Fills in the defaults. Throws a `RangeError` for a key that could not be sent in a header. */
export function resolveOptions(options: EmulatorOptions): ResolvedOptions {
  const { port, host, apiKey, clock, startAt, seed, regionId, serviceDomain, bodyLimitBytes, logLimit, ...rest } =
    options;
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey)) throw new RangeError("apiKey: printable ASCII without spaces");
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    port: port ?? 0,
    host: host ?? "127.0.0.1",
    apiKey: apiKey ?? `emulated-${randomBytes(12).toString("hex")}`,
    clock: clock ?? "real",
    startAt,
    seed: seed ?? 1,
    regionId: regionId ?? "aws-eu-central-1",
    serviceDomain: serviceDomain ?? "compute.test",
    bodyLimitBytes: bodyLimitBytes ?? 1024 * 1024,
    logLimit: logLimit ?? 100_000,
    settings: { ...defaultSettings, ...given },
  };
}
