/**
 * The one table of options and settings: the source of their checks, the admin call for settings, and the command line.
 */

import { z } from "zod";
import type { FixedOptions } from "./options";
import { planNames, platformNames } from "./platforms";
import type { Settings } from "./settings";

/** One option or setting. */
export interface Choice<T> {
  schema: z.ZodType<T>;
  /** The format of the text: `list` is `a,b`, `pairs` is `a=1,b=2`. */
  kind: "text" | "number" | "boolean" | "list" | "pairs";
  /** The allowed values, such as `real|manual` or `N`. */
  values: string;
  /** A description of the choice in one line. */
  about: string;
}

type Choices<T> = { [K in keyof T]-?: Choice<Exclude<T[K], undefined>> };

// A hundred years: beyond, dates are invalid.
const ms = z.number().min(0).max(3.2e12);
const cu = z.number().min(0.25).max(56);
const text = z.string().max(1000);

/** The settings, which can change while the emulator runs. */
export const settingChoices: Choices<Settings> = {
  platform: oneOf("whose rules hold where no other setting says otherwise", ...platformNames),
  maxCu: number("largest size, in compute units", cu),
  autoscalingMaxCu: number("largest maximum of autoscaling, in compute units", cu),
  autoscalingSpreadCu: number("how far it may lie above its minimum, in compute units", cu),
  alwaysActiveAboveCu: number("size above which endpoints never suspend by themselves, in compute units", cu),
  connectionsBy: oneOf("which sizes set max_connections", "minimum", "range"),
  minSuspendTimeoutSeconds: number("smallest autosuspend delay, in seconds", z.int().min(1)),
  activeComputes: number("computes of a project that may be active, besides the default branch's", z.int().min(1)),
  firstOperation: oneOf("how a change's first operation is answered", "scheduling", "running"),
  moveRule: oneOf("what the branch that an endpoint moves to must not have", "no-endpoint", "no-read-write"),
  idleChange: oneOf("what a change does to a compute that does not run", "apply", "start-and-suspend", "none"),
  idleRestart: oneOf("what the restart call does to a compute that does not run", "start", "refuse"),
  regions: list("regions that a new project may be in", "REGION,..."),
  disabledState: oneOf("state of a disabled endpoint", "stopped", "idle"),
  branchRules: boolean("whether protection, restricted actions and expiry of branches hold and are shown"),
  ignoredFields: list("fields of endpoints that are taken without effect", "FIELD,..."),
  plan: oneOf("plan of projects that name none", ...planNames),
  operationMs: number("how long an operation runs, in milliseconds", ms),
  operationMsByAction: pairs("the same for single actions", "ACTION=N,...", z.record(z.string(), ms)),
  operationDurations: boolean("whether operations tell total_duration_ms"),
  lock: oneOf("which open operations refuse a change", "endpoint", "project", "none"),
  lockStatus: oneNumberOf("status of such a refusal", 423, 422),
  goneStatus: oneNumberOf("answer to deleting what is gone", 404, 204),
  lastPage: oneOf(
    "how the list of operations ends",
    "short-page",
    "absent-pagination",
    "empty-page",
    "repeated-cursor",
  ),
  defaultPageSize: number("operations a page without limit", z.int().min(1).max(1000)),
  maxPageSize: number("branches or projects a page at most, below limit too", z.int().min(1).max(10_000)),
  restartCall: boolean("whether there is a restart call"),
  defaultCu: number("size of an endpoint that is created without one", cu),
  activeLimit: oneOf("how the start of one too many ends", "skipped", "failed"),
  poolerModes: list("values that pooler_mode may have", "MODE,..."),
  endpointNames: boolean("whether endpoints keep and show names"),
  pgSettingsRequired: boolean("whether settings must have pg_settings"),
  emptySettings: boolean("whether answers show settings as {}"),
  removedFields: oneOf("what becomes of deprecated fields", "kept", "refused", "ignored"),
  unknownFields: oneOf("what becomes of unknown fields of a request", "refuse", "accept"),
  surprise: boolean("whether answers have fields and actions that nobody knows"),
  dateHeader: boolean("whether answers tell the time of the platform's clock"),
  rateLimit: pairs(
    "limit on the calls: perMinute=N, perSecond=N, retryAfter=none|seconds|date, scope=account|route",
    "NAME=VALUE,...",
    z.strictObject({
      perMinute: z.number().min(1).optional(),
      perSecond: z.number().min(1).optional(),
      retryAfter: z.enum(["none", "seconds", "date"]).optional(),
      scope: z.enum(["account", "route"]).optional(),
    }),
  ),
};

/** The options, fixed at the emulator's start. */
export const fixedChoices: Choices<FixedOptions> = {
  port: number("TCP port; 0 takes a free one", z.int().min(0).max(65_535)),
  host: word("address to listen on", "HOST"),
  apiKey: word(
    "API key to ask for (default: emulated-key on loopback; with --postgres or elsewhere a random one)",
    "KEY",
    z.string().regex(/^[!-~]+$/, { error: "must be printable ASCII without spaces" }),
  ),
  clock: oneOf("a clock that runs, or that stands until it is advanced", "real", "manual"),
  startAt: number("time that the clock starts at, in milliseconds since the epoch", z.number().min(0).max(8e12)),
  seed: number(
    "seed of generated ids and of fault probabilities",
    z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
  ),
  regionId: word("region of projects that name none", "REGION", z.string().regex(/^[a-z]+-[a-z0-9-]+$/)),
  serviceDomain: word("last part of host names", "DOMAIN"),
  bodyLimitBytes: number("largest request body, in bytes", z.int().min(1)),
  logLimit: number("requests that the log keeps", z.int().min(1)),
  postgres: boolean("whether endpoints are Postgres servers that clients can connect to"),
  pgPort: number("port on loopback that all of them are reached by; 0 takes a free one", z.int().min(0).max(65_535)),
  postgresBin: word("folder with postgres, initdb and pg_ctl, by default those of the npm package", "DIR"),
  data: word("folder that keeps everything over a restart", "DIR"),
  maxRunning: number("servers that may run at once", z.int().min(1).max(1000)),
  user: word("account that the servers run as where root starts them", "ACCOUNT"),
};

function number(about: string, schema: z.ZodType<number>): Choice<number> {
  return { schema, kind: "number", values: "N", about };
}

function boolean(about: string): Choice<boolean> {
  return { schema: z.boolean(), kind: "boolean", values: "true|false", about };
}

function word(about: string, values: string, schema: z.ZodType<string> = text): Choice<string> {
  return { schema, kind: "text", values, about };
}

function oneOf<const T extends string>(about: string, ...all: T[]): Choice<T> {
  return { schema: z.enum(all), kind: "text", values: all.join("|"), about };
}

function oneNumberOf<const T extends number>(about: string, ...all: T[]): Choice<T> {
  return { schema: z.literal(all), kind: "number", values: all.join("|"), about };
}

function list(about: string, values: string): Choice<readonly string[]> {
  return { schema: z.array(text), kind: "list", values, about };
}

function pairs<T>(about: string, values: string, schema: z.ZodType<T>): Choice<T> {
  return { schema, kind: "pairs", values, about };
}
