/** The data directories of branches: new ones, and copies that are consistent even while their source is written to. */

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { runCommand } from "./command";
import { copyFolder, own } from "./copy-folder";
import type { Server, ServerHost } from "./server";
import { ADMIN_ROLE, CLIENT_ROLE, DATABASE, type Passwords } from "./server-config";

/** What clients may do besides, as far as this version of Postgres has it. */
const grants = ["pg_read_all_data", "pg_write_all_data", "pg_monitor", "pg_signal_backend", "pg_create_subscription"];

/** Whom clients come as: no superuser, who could leave the database for the machine. */
const clientRoleSql = (password: string) => [
  `CREATE ROLE ${CLIENT_ROLE} LOGIN CREATEDB CREATEROLE BYPASSRLS REPLICATION PASSWORD '${password}'`,
  ...grants.map((role) => `GRANT ${role} TO ${CLIENT_ROLE} WITH ADMIN OPTION`),
  `ALTER DATABASE ${DATABASE} OWNER TO ${CLIENT_ROLE}`,
];

/** Of a server, and never of its copy. */
const OWN = new Set(["postmaster.pid", "postmaster.opts", "server.log", "standby.signal", "backup_label.old"]);
/** Folders that a server fills anew at its start. */
const FILLED_ANEW = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);

const CONNECT_ATTEMPTS = 50;
const CONNECT_PAUSE_MS = 100;

/** Makes a data directory that is as new. */
export async function makeDatabase(host: ServerHost, folder: string, passwords: Passwords): Promise<void> {
  const { install, account } = host;
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  await own(part, account);
  const passwordFile = `${part}.password`;
  await writeFile(passwordFile, passwords.admin, { mode: 0o600 });
  await own(passwordFile, account);
  const where = { account, cwd: part };
  const looks = ["--encoding=UTF8", "--locale=C", "--wal-segsize=1", "--no-sync", "--no-instructions"];
  const who = [`--username=${ADMIN_ROLE}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  await runCommand(install.initdb, ["-D", part, ...looks, ...who], where);
  await rm(passwordFile);
  // With -j, an empty line ends a statement.
  const input = clientRoleSql(passwords.client)
    .map((sql) => `${sql};\n\n`)
    .join("");
  await runCommand(install.postgres, ["--single", "-F", "-j", "-D", part, DATABASE], {
    ...where,
    input,
  });
  await rename(part, folder);
}

/**
 * Copies a data directory as it is at one instant, which a server that starts on the copy restores. `running` is the server
 * that writes to the source, if one does.
 */
export async function copyDatabase(
  host: ServerHost,
  source: { folder: string; running: Server | undefined },
  folder: string,
  passwords: Passwords,
): Promise<void> {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true, mode: 0o711 });
  const { running } = source;
  if (!running) {
    await copyFolder(source.folder, part, host.account, (path) => OWN.has(path));
  } else {
    const label = await asAdmin({ port: running.port, password: passwords.admin }, async (client) => {
      await client.query("SELECT pg_backup_start('branch', true)");
      await copyFolder(
        source.folder,
        part,
        host.account,
        (path) => OWN.has(path) || FILLED_ANEW.has(path) || path === "pg_wal",
      );
      const { rows } = await client.query<{ label: string }>("SELECT labelfile AS label FROM pg_backup_stop(false)");
      return rows[0]?.label ?? "";
    });
    await writeFile(join(part, "backup_label"), label, { mode: 0o600 });
    await own(join(part, "backup_label"), host.account);
    // Last, so that all is there which the copied files need to be of one instant.
    await copyFolder(join(source.folder, "pg_wal"), join(part, "pg_wal"), host.account);
  }
  await rename(part, folder);
}

/** Makes a copy one that follows its source: a hot standby. */
export async function makeStandby(host: ServerHost, folder: string): Promise<void> {
  const signal = join(folder, "standby.signal");
  await writeFile(signal, "", { mode: 0o600 });
  await own(signal, host.account);
}

// Talks to a server as its superuser. Where clients have every connection there is, it waits for one, up to 5 s.
async function asAdmin<T>(
  { port, password }: { port: number; password: string },
  talk: (client: Client) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = new Client({ host: "127.0.0.1", port, user: ADMIN_ROLE, password, database: DATABASE });
    // A server that ends meanwhile fails the query under way; the connection's own error says nothing more.
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
