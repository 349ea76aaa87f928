/** A server's configuration: its size's values, the endpoint's settings, access rules, and a standby's primary. */

import { connectionsOf, MAX_CONNECTIONS } from "../model/compute-size";
import type { EndpointRecord } from "../model/endpoint";
import { settingFailure } from "../model/pg-settings";
import { pgSettings } from "../model/pg-settings.gen";
import type { Settings } from "../settings/settings";
import { quoteForLibpq } from "./connection-strings";

/** The emulator's own role, a superuser. */
export const ADMIN_ROLE = "pgcompute_admin";
/** The standbys' role, which can only replicate. */
export const REPLICATION_ROLE = "pgcompute_replication";

/** The random passwords of one data folder. */
export interface Passwords {
  admin: string;
  replication: string;
  client: string;
}

/** A standby's connection to its primary: a socket, and the password file. */
export interface PrimaryAddress {
  host: string;
  port: number;
  passfile: string;
  /** True if this version of Postgres can require the primary's kind of authentication. */
  insists: boolean;
}

/** A server's configuration. */
export interface ServerConfig {
  /** By size (specification, section 2.4, sizing rule 2); a standby has the largest. */
  maxConnections: number;
  settings: Readonly<Record<string, string>>;
  passwordless: boolean;
  /** For a standby only; `undefined` if no primary runs. */
  follows?: PrimaryAddress | undefined;
}

/** A standby cannot replay with less than its primary's value, so it gets the maximum. */
const asLargest = ["max_locks_per_transaction", "max_prepared_transactions", "max_wal_senders", "max_worker_processes"];

/** A standby's settings in place of its endpoint's. They cost 136 MB of memory. */
const standbySettings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(asLargest.map((name) => [name, String(pgSettings[name]?.max)])),
  // A standby has no serializable transactions, and their memory grows with the connections.
  max_pred_locks_per_transaction: "10",
};

/** The configuration for an endpoint's record. */
export function configOf(record: EndpointRecord, settings: Settings): ServerConfig {
  return {
    maxConnections: connectionsOf(settings, record),
    settings: record.settings.pg_settings,
    passwordless: record.passwordless_access,
  };
}

/** A standby's configuration, with the maximum of every value that must not be below its primary's. */
export function standbyConfig(own: ServerConfig): ServerConfig {
  // Setting names may have capitals.
  const others = Object.entries(own.settings).filter(([name]) => !(name.toLowerCase() in standbySettings));
  return { ...own, settings: { ...Object.fromEntries(others), ...standbySettings }, maxConnections: MAX_CONNECTIONS };
}

/** The text of `postgresql.conf`. Throws for forbidden settings, which a foreign folder could contain. */
export function configText({ settings, follows }: ServerConfig): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    const reason = settingFailure(name, value);
    if (reason !== undefined) throw new Error(`pg_settings.${name}: ${reason}`);
    return `${name} = ${quote(value)}`;
  });
  if (follows) {
    const { host, port, passfile, insists } = follows;
    const address = {
      host,
      port,
      user: REPLICATION_ROLE,
      passfile,
      // An older libpq lacks it, and is as safe: no other account can listen in that folder.
      ...(insists && { require_auth: "scram-sha-256" }),
    };

    const pairs = Object.entries(address).map(([name, value]) => `${name}=${quoteForLibpq(String(value))}`);
    lines.push(`primary_conninfo = ${quote(pairs.join(" "))}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The text of `pg_hba.conf`: sockets only, replication for standbys only, first match wins. */
export function accessText({ passwordless }: ServerConfig): string {
  return [
    `local replication ${REPLICATION_ROLE} scram-sha-256`,
    `local all ${REPLICATION_ROLE} reject`,
    `local all ${ADMIN_ROLE} scram-sha-256`,
    `local all all ${passwordless ? "trust" : "scram-sha-256"}`,
    "",
  ].join("\n");
}

/** Command-line options, which settings and ALTER SYSTEM cannot override. */
export function fixedOptions(
  { port, sockets, durable }: { port: number; sockets: string; durable: boolean },
  config: ServerConfig,
): string[] {
  const fixed = {
    port,
    listen_addresses: "",
    unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    max_connections: config.maxConnections,
    // Specification, section 2.4, sizing rule 1.
    shared_buffers: "128MB",
    // Every connection of the size is for clients.
    superuser_reserved_connections: 0,
    hot_standby: "on",
    wal_keep_size: "64MB",
    fsync: durable ? "on" : "off",
    ssl: "off",
    logging_collector: "off",
    log_destination: "stderr",
    log_line_prefix: "",
  };
  return Object.entries(fixed).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function quote(value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `'${escaped}'`;
}
