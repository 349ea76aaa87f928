/** The data directories of branches: new ones, and copies that are consistent even while their source is in use. */

import { constants, existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client, escapeIdentifier, escapeLiteral } from "pg";
import { DEFAULT_LOGIN, type Login } from "../model/project";
import { runCommand } from "./command";
import type { Server, ServerHost } from "./server";
import { ADMIN_ROLE, type Passwords, REPLICATION_ROLE } from "./server-config";

/** Further roles for clients, if this version of Postgres has them. None reveals another role's secrets. */
const granted = ["pg_write_all_data", "pg_signal_backend"];

/** Statements that create or update the roles: clients, who are no superusers, and standbys, who only replicate. */
const roleSql = (passwords: Passwords, version: number, role: string, database: string) => [
  `CREATE ROLE ${role}`,
  `CREATE ROLE ${REPLICATION_ROLE}`,
  `ALTER ROLE ${role} LOGIN CREATEDB ${version < 16 ? "NO" : ""}CREATEROLE BYPASSRLS NOREPLICATION PASSWORD ${escapeLiteral(passwords.client)}`,
  `ALTER ROLE ${REPLICATION_ROLE} LOGIN REPLICATION PASSWORD ${escapeLiteral(passwords.replication)}`,
  ...granted.map((what) => `GRANT ${what} TO ${role} WITH ADMIN OPTION`),
  ...unsubscribingSql(role, version),
  `ALTER DATABASE ${database} OWNER TO ${role}`,
];

/** Statements that disable and forbid clients' subscriptions, which connect anywhere as the server's account. */
const unsubscribingSql = (role: string, version: number) =>
  version < 16
    ? []
    : [
        // With all grants that it passed on.
        `REVOKE pg_create_subscription FROM ${role} CASCADE`,
        `SELECT '${DISABLES}' || pg_catalog.count(*) FROM pg_catalog.pg_subscription WHERE subowner <> ${SUPERUSER}`,
        `UPDATE pg_catalog.pg_subscription SET subenabled = false, subowner = ${SUPERUSER} WHERE subowner <> ${SUPERUSER}`,
        "DELETE FROM pg_catalog.pg_shdepend WHERE classid = 'pg_catalog.pg_subscription'::pg_catalog.regclass",
      ];

/** Statements that give the template's role and database the project's names. */
const renamingSql = ({ role, database }: Login) => [
  `ALTER ROLE ${DEFAULT_LOGIN.role} RENAME TO ${escapeIdentifier(role)}`,
  `ALTER DATABASE ${DEFAULT_LOGIN.database} RENAME TO ${escapeIdentifier(database)}`,
];

/** File in a data directory with roles set; it holds unusual names. */
const ROLES_MARK = "pgcompute.roles-3";

/** Id of the first superuser, whatever its name. */
const SUPERUSER = 10;
/** Prefix of the number of disabled subscriptions in a script's output. */
const DISABLES = "pgcompute disables ";

/** Files of one server, never copied. */
const OWN = new Set([
  "postmaster.pid",
  "postmaster.opts",
  "server.log",
  "server.process",
  "standby.signal",
  "backup_label.old",
]);
/** Folders that a server rebuilds at its start. */
const FILLED_ANEW = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);

/** Options of the emulator's own sessions, which override settings that clients made for a database or all roles. */
const SAFE_OPTIONS =
  "-c search_path=pg_catalog -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0";

const CONNECT_ATTEMPTS = 50;
const CONNECT_PAUSE_MS = 100;

/** Creates a new data directory. */
export async function makeDatabase(host: ServerHost, folder: string, passwords: Passwords): Promise<void> {
  await inParts(folder, async (part) => {
    await mkdir(part, { recursive: true, mode: 0o700 });
    const passwordFile = `${part}.password`;
    await writeFile(passwordFile, passwords.admin, { mode: 0o600 });
    const looks = ["--encoding=UTF8", "--locale=C", "--wal-segsize=1", "--no-sync", "--no-instructions"];
    const who = [`--username=${ADMIN_ROLE}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
    await runCommand(host.install.initdb, ["-D", part, ...looks, ...who], { cwd: part });
    await rm(passwordFile);
    await setRoles(host, part, passwords, DEFAULT_LOGIN);
  });
}

/**
 * Sets the roles of a stopped server's data directory, if not yet set. Returns the number of clients' subscriptions it
 * disabled.
 */
export async function setRoles(host: ServerHost, folder: string, passwords: Passwords, login: Login): Promise<number> {
  const mark = join(folder, ROLES_MARK);
  const { role, database } = login;
  const own = role !== DEFAULT_LOGIN.role || database !== DEFAULT_LOGIN.database;
  const names = own ? JSON.stringify([role, database]) : "";
  if (existsSync(mark) && readFileSync(mark, "utf8") === names) return 0;
  // The last server's settings must not apply here.
  for (const name of ["postgresql.conf", "postgresql.auto.conf"]) await writeFile(join(folder, name), "");

  // With -j an empty line ends a statement. An existing or missing role is reported and passed over.
  const quoted = [escapeIdentifier(role), escapeIdentifier(database)] as const;
  const statements = [...(own ? renamingSql(login) : []), ...roleSql(passwords, host.install.version, ...quoted)];
  const input = statements.map((sql) => `${sql};\n\n`).join("");
  const args = ["--single", "-F", "-j", "-D", folder, "template1"];
  const { stderr, stdout } = await runCommand(host.install.postgres, args, { cwd: folder, input });
  const error = /ERROR: +(?! |(?:role|database) ".+" (?:already exists|does not exist))(.+)/.exec(stderr)?.[1];
  if (error !== undefined) throw new Error(`the roles could not be set: ${error}`);

  await writeFile(mark, names);
  return Number(new RegExp(`"${DISABLES}(\\d+)"`).exec(stdout)?.[1] ?? 0);
}

/** Copies a data directory as of one moment. `running`: the server that writes to the source, if any. */
export async function copyDatabase(
  source: { folder: string; running: Server | undefined },
  folder: string,
  passwords: Passwords,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const { running } = source;
  await inParts(folder, async (part) => {
    if (!running) {
      await copyFolder(source.folder, part, (path) => OWN.has(path));
      return;
    }

    const label = await asAdmin(running, passwords.admin, async (client) => {
      await client.query("SELECT pg_catalog.pg_backup_start('branch', true)");
      await copyFolder(source.folder, part, (path) => OWN.has(path) || FILLED_ANEW.has(path) || path === "pg_wal");
      const { rows } = await client.query<{ label: string }>(
        "SELECT labelfile AS label FROM pg_catalog.pg_backup_stop(false)",
      );
      return rows[0]?.label ?? "";
    });

    await writeFile(join(part, "backup_label"), label, { mode: 0o600 });
    // Last, so that it covers all that the copied files need.
    await copyFolder(join(source.folder, "pg_wal"), join(part, "pg_wal"));
  });
}

/** Makes a copy a hot standby of its source. */
export async function makeStandby(folder: string): Promise<void> {
  await writeFile(join(folder, "standby.signal"), "", { mode: 0o600 });
}

/**
 * Connects as superuser to a database without clients' code. If clients hold every connection, waits for one, up to 5
 * s.
 */
export async function asAdmin<T>(server: Server, password: string, talk: (client: Client) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const who = { user: ADMIN_ROLE, password, database: "template1", options: SAFE_OPTIONS };
    const client = new Client({ ...server.address, ...who });
    // If the server ends, the query fails; the connection's error adds nothing.
    client.on("error", () => undefined);

    try {
      await client.connect();
    } catch (error) {
      const isFull = error instanceof Error && "code" in error && error.code === "53300";
      if (attempt === CONNECT_ATTEMPTS || !isFull) throw error;
      await new Promise((resolve) => setTimeout(resolve, CONNECT_PAUSE_MS));
      continue;
    }

    try {
      return await talk(client);
    } finally {
      await client.end();
    }
  }
}

/** Creates a folder, which gets its final name once complete. A failed one is removed. */
async function inParts(folder: string, make: (part: string) => Promise<void>): Promise<void> {
  const part = `${folder}.part`;
  const remove = () => rm(part, { recursive: true, force: true });
  await remove();

  try {
    await make(part);
    await rename(part, folder);
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Copies a folder whose files may change or vanish meanwhile. `skips` excludes relative paths; an excluded folder
 * itself is kept, empty.
 */
async function copyFolder(
  from: string,
  to: string,
  skips: (path: string) => boolean = () => false,
  path = "",
): Promise<void> {
  const source = join(from, path);
  const target = join(to, path);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const entries = await readdir(source, { withFileTypes: true });

  const copies = entries.map(async (entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory()) {
      if (!skips(below)) return copyFolder(from, to, skips, below);
      await mkdir(join(to, below), { mode: 0o700 });
    } else if (entry.isFile() && !skips(below)) {
      await copyFile(join(from, below), join(to, below), constants.COPYFILE_FICLONE).catch(ifGone);
    }
  });

  // Await all: none may still write after a failure.
  for (const result of await Promise.allSettled(copies)) if (result.status === "rejected") throw result.reason;
}

function ifGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
