/** A server's configuration: the values of its size, the endpoint's settings, access rules, and a standby's primary. */

import { connectionsOf, MAX_CONNECTIONS } from "../model/compute-size";
import type { EndpointRecord } from "../model/endpoint";
import { settingFailure } from "../model/pg-settings";
import { pgSettings } from "../model/pg-settings.gen";
import type { Settings } from "../settings/settings";
import { quoteForLibpq } from "./connection-strings";

/** The role of the emulator itself, a superuser. */
export const ADMIN_ROLE = "pgcompute_admin";
/** The role of standbys, which can do nothing but follow. */
export const REPLICATION_ROLE = "pgcompute_replication";

/** The passwords of one data folder, made at random. */
export interface Passwords {
  admin: string;
  replication: string;
  client: string;
}

/** Address of a standby's primary: a socket, and the file with the password. */
export interface PrimaryAddress {
  host: string;
  port: number;
  passfile: string;
  /** Whether this version of Postgres can insist on how the primary asks for it. */
  insists: boolean;
}

/** The configuration that a server runs with. */
export interface ServerConfig {
  /** By the size (specification, section 2.4, sizing rule 2); of a standby the largest there is. */
  maxConnections: number;
  settings: Readonly<Record<string, string>>;
  passwordless: boolean;
  /** Only a standby has it; `undefined` in it where no primary runs. */
  follows?: PrimaryAddress | undefined;
}

/** Of these a standby needs as much as its primary ever has, since it could not replay otherwise: as much as any may have. */
const asLargest = ["max_locks_per_transaction", "max_prepared_transactions", "max_wal_senders", "max_worker_processes"];

/** Settings of a standby in place of its endpoint's settings. They cost 136 MB of memory. */
const standbySettings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(asLargest.map((name) => [name, String(pgSettings[name]?.max)])),
  // Nothing is serializable on a standby, and the memory for that goes by the connections.
  max_pred_locks_per_transaction: "10",
};

/** The configuration that an endpoint's record asks for. */
export function configOf(record: EndpointRecord, settings: Settings): ServerConfig {
  return {
    maxConnections: connectionsOf(settings, record),
    settings: record.settings.pg_settings,
    passwordless: record.passwordless_access,
  };
}

/**
 * A standby's configuration: its own, with all that Postgres wants of any primary's, so that neither has to wait for the other. Its size's
 * limit is held where clients come in.
 */
export function standbyConfig(own: ServerConfig): ServerConfig {
  // Names may be written in capitals, too.
  const others = Object.entries(own.settings).filter(([name]) => !(name.toLowerCase() in standbySettings));
  return { ...own, settings: { ...Object.fromEntries(others), ...standbySettings }, maxConnections: MAX_CONNECTIONS };
}

/** The text of `postgresql.conf`. Throws for what no endpoint may have, such as a folder from elsewhere could ask for. */
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
      // An older libpq does not know it, and is as safe: nobody else can listen in that folder.
      ...(insists && { require_auth: "scram-sha-256" }),
    };
    const pairs = Object.entries(address).map(([name, value]) => `${name}=${quoteForLibpq(String(value))}`);
    lines.push(`primary_conninfo = ${quote(pairs.join(" "))}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The text of `pg_hba.conf`: the servers listen on sockets only, standbys alone may replicate, and who comes first counts. */
export function accessText({ passwordless }: ServerConfig): string {
  return [
    `local replication ${REPLICATION_ROLE} scram-sha-256`,
    `local all ${REPLICATION_ROLE} reject`,
    `local all ${ADMIN_ROLE} scram-sha-256`,
    `local all all ${passwordless ? "trust" : "scram-sha-256"}`,
    "",
  ].join("\n");
}

/** Options of the command line, which neither settings nor ALTER SYSTEM can override. */
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
    // Every connection that the size allows is a client's.
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
