/** On a machine that others use, too: what another account and a client do not get. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { createEmulator, type Emulator } from "pgcompute-emulator";
import { describe, expect, it } from "vitest";
import {
  connect,
  isRoot,
  newClient,
  newFolder,
  OTHER,
  parentOf,
  processes,
  runFolderOf,
  serverOf,
  start,
  until,
  useBench,
  values,
} from "./support/open-postgres";

const bench = useBench({ operationMs: 20 });

/** The processes of an emulator: itself, its servers and what ends those, found from a server of its. */
async function processesOf(emulator: Emulator): Promise<{ pids: number[]; run: string }> {
  const server = await serverOf(await connect(emulator, emulator.endpointId));
  const parent = parentOf(server);
  const all = processes().map((pid) => ({ pid, parent: parentOf(pid) }));
  const children = (of: number): number[] =>
    all.filter((one) => one.parent === of).flatMap(({ pid }) => [pid, ...children(pid)]);
  const first = parent === process.pid ? server : parent;
  return { pids: [first, ...children(first)], run: runFolderOf(server) };
}

/** Runs a script as the other account. */
function asOther(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", script, "sh", ...args], {
    uid: OTHER,
    gid: OTHER,
    cwd: "/",
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

describe.runIf(isRoot)("another account (tried as root alone)", () => {
  it("gets at no folder, file, socket or process, and no secret shows in what it can see", async () => {
    const data = newFolder();
    chmodSync(data, 0o755);
    const emulator = await start({ data });
    const { pids, run } = await processesOf(emulator);
    expect(pids.length).toBeGreaterThan(3);
    expect(run).toMatch(/^\/tmp\/pgcompute-\w{6}$/);
    const secrets = Object.values(JSON.parse(readFileSync(join(data, "passwords.json"), "utf8"))) as string[];
    expect(secrets).toHaveLength(5);
    for (const folder of [data, run]) {
      expect(asOther('ls "$1"', folder).output).toMatch(/Permission denied/);
      expect(asOther('touch "$1/mine"', folder).output).toMatch(/Permission denied/);
    }
    const socket = readdirSync(join(run, "s")).find((name) => name.startsWith(".s.")) ?? "";
    const kept = ["passwords.json", "platform.json", "platform.changes"].map((name) => join(data, name));
    for (const file of [...kept, join(run, "replication.pgpass")]) {
      expect(lstatSync(file).mode & 0o777).toBe(0o600);
      expect(asOther('cat "$1"', file).output).toMatch(/Permission denied/);
    }
    const dial = `require("net").connect(process.argv[1]).on("error", (e) => console.log(e.code)).on("connect", () => console.log("in"))`;
    // The program itself may lie where the other account cannot go.
    const reached = spawnSync(process.execPath, ["-e", dial, join(run, "s", socket)], {
      uid: OTHER,
      gid: OTHER,
      encoding: "utf8",
    });
    if (!reached.error) expect(reached.stdout).toBe("EACCES\n");
    for (const pid of pids) {
      expect(asOther('kill -0 "$1"', String(pid)).output).toMatch(/not permitted/);
      expect(asOther('cat "/proc/$1/environ"', String(pid)).output).toMatch(/Permission denied/);
      const shown = asOther('cat "/proc/$1/cmdline"', String(pid)).output;
      for (const secret of secrets) expect(shown).not.toContain(secret);
    }
  });

  it("is not what the emulator runs as: nothing of it is root's any more, the caller is who it was, and --user names another", async () => {
    const identity = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getgroups?.()];
    for (const user of ["nobody", "daemon"]) {
      const [uid, gid] = ["-u", "-g"].map((flag) => execFileSync("id", [flag, user], { encoding: "utf8" }).trim());
      const data = newFolder();
      const emulator = await start({ data, ...(user !== "nobody" && { user }) });
      for (const pid of (await processesOf(emulator)).pids) {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, "m"));
        expect(status).toMatch(new RegExp(`^Gid:\\t${gid}\\t${gid}\\t${gid}\\t${gid}$`, "m"));
        // One that is kept from root would be there, and so would the lack of any.
        expect(status).toMatch(new RegExp(`^Groups:\\t${gid} ?$`, "m"));
        expect(status).toMatch(/^CapEff:\t0+$/m);
      }
      expect(lstatSync(data).uid).toBe(Number(uid));
    }
    expect([process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getgroups?.()]).toEqual(identity);
    await expect(createEmulator({ postgres: true, user: "root" })).rejects.toThrow(/refuses to run as root/);
    await expect(createEmulator({ postgres: true, user: "no-such" })).rejects.toThrow(/there is no account no-such/);
  });

  it("is given no folder of root's with something in it: the refusal has the line to run", async () => {
    const data = newFolder();
    mkdirSync(join(data, "theirs"));
    const refused = createEmulator({ postgres: true, data });
    await expect(refused).rejects.toThrow(
      `data: ${data} is root's, and the servers run as nobody: chown -Rh nobody ${data}`,
    );
    execFileSync("/bin/sh", ["-c", `chown -Rh nobody ${data}`]);
    await start({ data });
  });
});

it("admin calls and the console's want the token, which the console's address has and exchanges for a cookie", async () => {
  const { adminUrl, adminToken, consoleUrl, endpointId, apiKey, url } = bench.emulator;
  const origin = new URL(consoleUrl).origin;
  const status = async (address: string, headers: Record<string, string> = {}) =>
    (await fetch(address, { headers })).status;
  const calls = [
    `${adminUrl}/state`,
    `${adminUrl}/endpoints/${endpointId}/connection-strings`,
    `${adminUrl}/none`,
    `${origin}/_console/view`,
  ];
  const others: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${apiKey}` },
    { cookie: `token=${adminToken}` },
  ];
  for (const call of calls) for (const headers of others) expect(await status(call, headers)).toBe(401);
  const bearer = { authorization: `Bearer ${adminToken}` };
  // Its own port comes a moment later.
  const { portUrl: _, ...strings } = bench.emulator.admin.connectionStrings(endpointId);
  expect(await (await fetch(calls[1] ?? "", { headers: bearer })).json()).toMatchObject(strings);
  expect(await status(`${url}/projects`)).toBe(401);
  const exchanged = await fetch(consoleUrl, { redirect: "manual" });
  expect(exchanged.status).toBe(303);
  expect(exchanged.headers.get("location")).toBe("/");
  const set = exchanged.headers.get("set-cookie") ?? "";
  expect(set).toMatch(/; Path=\/_console; HttpOnly; SameSite=Strict$/);
  const [cookie = ""] = set.split(";");
  // Nor in the two parts of it.
  expect(cookie.replace(/^pgcompute-|=/g, "")).not.toContain(adminToken);
  expect(await status(`${origin}/_console/view`, { cookie: `other=1; ${cookie}` })).toBe(200);
  expect(await status(`${origin}/_console/view`, { cookie, origin: "http://127.0.0.1:1" })).toBe(403);
  expect(await status(`${adminUrl}/state`, { cookie })).toBe(401);
  const wrong = await fetch(`${origin}/?token=${adminToken}0`, { redirect: "manual" });
  expect(wrong.headers.get("set-cookie")).toBeNull();
});

describe("a client", () => {
  it.each([
    ["a program", "COPY (SELECT 1) TO PROGRAM 'id'", "42501"],
    ["a file to read", "SELECT pg_read_file('/etc/passwd')", "42501"],
    ["a folder", "SELECT pg_ls_dir('/')", "42501"],
    ["a file to load", "CREATE TABLE t (l text); COPY t FROM '/etc/passwd'", "42501"],
    ["a file to write", "COPY (SELECT 1) TO '/tmp/mine'", "42501"],
    ["a large object of a file", "SELECT lo_import('/etc/passwd')", "42501"],
    ["the server's settings", "ALTER SYSTEM SET archive_command = 'id'", "42501"],
    ["a library", "LOAD '/tmp/evil.so'", "42501"],
    ["a C function", "CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/tmp/evil.so'", "42501"],
    ["a language that can do anything", "CREATE EXTENSION plperlu", "42501"],
    ["connections as the server", "CREATE EXTENSION dblink", "42501"],
    ["files as tables", "CREATE EXTENSION file_fdw", "42501"],
    ["another disk", "CREATE TABLESPACE t LOCATION '/tmp'", "42501"],
    ["a superuser", "CREATE ROLE boss SUPERUSER", "42501"],
    ["to become one", "SET ROLE pgcompute_admin", "42501"],
    ["to become one by name", "SET SESSION AUTHORIZATION pgcompute_admin", "42501"],
    ["the emulator's password", "ALTER ROLE pgcompute_admin PASSWORD 'mine'", "42501"],
    ["the standbys' password", "ALTER ROLE pgcompute_replication PASSWORD 'mine'", "42501"],
    ["to be a standby", "ALTER ROLE postgres REPLICATION", "42501"],
    ["a role that runs programs", "GRANT pg_execute_server_program TO postgres", "42501"],
    ["a role that reads files", "GRANT pg_read_server_files TO postgres", "42501"],
    ["what monitors see", "GRANT pg_monitor TO postgres", "42501"],
    ["everybody's data", "GRANT pg_read_all_data TO postgres", "42501"],
    ["the passwords' hashes", "SELECT rolpassword FROM pg_authid", "42501"],
    ["where the standby connects to", "SHOW primary_conninfo", "42501"],
    ["a slot", "SELECT pg_create_physical_replication_slot('mine')", "42501"],
    ["the log", "SELECT pg_current_logfile()", "42501"],
    ["to read the configuration", "SELECT * FROM pg_hba_file_rules", "42501"],
    ["a subscription", "CREATE SUBSCRIPTION s CONNECTION 'sslkeylogfile=/tmp/mine' PUBLICATION p", "42501"],
    ["one for later", "CREATE SUBSCRIPTION s CONNECTION 'password=x' PUBLICATION p WITH (connect=false)", "42501"],
    ["the role of those", "GRANT pg_create_subscription TO postgres", "42501"],
    ["the rows of those", "UPDATE pg_subscription SET subenabled = true", "42501"],
    ["the rows of roles", "UPDATE pg_authid SET rolsuper = true", "42501"],
    ["other databases as tables", "CREATE EXTENSION postgres_fdw", "42501"],
    ["a wrapper of its own", "CREATE FOREIGN DATA WRAPPER w", "42501"],
    ["a language of the machine", "CREATE EXTENSION plpython3u", "42501"],
    ["a library at each start", "ALTER DATABASE postgres SET session_preload_libraries = 'evil'", "42501"],
    ["a folder of libraries", "SET dynamic_library_path = '/tmp'", "42501"],
    ["a program for its WAL", "ALTER SYSTEM SET restore_command = 'id'", "42501"],
    ["another primary", "ALTER SYSTEM SET primary_conninfo = 'host=x'", "42501"],
    ["a file of keys", "ALTER SYSTEM SET ssl_key_file = '/tmp/key'", "42501"],
    ["a large object as a file", "SELECT lo_export(1, '/tmp/mine')", "42501"],
    ["a file to read in bytes", "SELECT pg_read_binary_file('/etc/passwd')", "42501"],
    ["what a file is like", "SELECT pg_stat_file('/etc/passwd')", "42501"],
    ["the collations of a program", "SELECT pg_import_system_collations('public')", "42501"],
    ["a slot of changes", "SELECT pg_create_logical_replication_slot('mine', 'pgoutput')", "42501"],
    ["an origin of changes", "SELECT pg_replication_origin_create('mine')", "42501"],
    ["a copy for itself", "SELECT pg_backup_start('mine')", "42501"],
    ["triggers on everybody's commands", "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f()", "42501"],
    [
      "other words for a file",
      "CREATE TEXT SEARCH DICTIONARY d (template = ispell, dictfile = '../../passwd')",
      "22023",
    ],
  ])("gets not %s", async (_, sql, code) => {
    const client = await connect(bench.emulator, bench.emulator.endpointId);
    await expect(client.query(sql)).rejects.toMatchObject({ code });
  });

  it.each([
    ["the emulator's role", { user: "pgcompute_admin", password: "x" }, "28000"],
    ["the standbys' role", { user: "pgcompute_replication", password: "x" }, "28000"],
    ["a name that only looks like one", { user: "pgcompute_admin ", password: "x" }, "28P01"],
    ["replication of all", { replication: "true" }, "28000"],
    ["replication of a database", { replication: "database" }, "42501"],
    ["no password", { password: "" }, "08P01"],
  ])("does not come in as %s", async (_, config, code) => {
    const { port, password } = bench.emulator.postgres ?? { port: 0 };
    const options = `endpoint=${bench.emulator.endpointId}`;
    const wanted = { host: "127.0.0.1", port, user: "postgres", password, options, ...config } as pg.ClientConfig;
    const answered = await newClient(wanted)
      .connect()
      .then(
        () => "in",
        (error) => error.code,
      );
    expect([code, undefined]).toContain(answered);
  });

  it("has nothing of its own run by the emulator's role, whatever it sets for its database", async () => {
    const { endpointId } = bench.emulator;
    const client = await connect(bench.emulator, endpointId);
    await client.query(`
      CREATE SCHEMA evil;
      CREATE TABLE evil.seen (who text);
      GRANT ALL ON SCHEMA evil TO PUBLIC; GRANT ALL ON evil.seen TO PUBLIC;
      CREATE FUNCTION evil.pg_backup_start(text, boolean) RETURNS pg_lsn LANGUAGE plpgsql AS
        'BEGIN INSERT INTO evil.seen VALUES (session_user); RETURN pg_catalog.pg_backup_start($1, $2); END';
      ALTER DATABASE postgres SET search_path = evil, pg_catalog;
      ALTER ROLE postgres SET search_path = evil, pg_catalog`);
    await bench.branch(bench.emulator.branchId, "read_write");
    expect(await values(client, "SELECT who FROM evil.seen")).toEqual([]);
    await client.query("ALTER DATABASE postgres RESET ALL; ALTER ROLE postgres RESET ALL; DROP SCHEMA evil CASCADE");
  });

  it("reads a replica, which follows by a socket and a role of its own", async () => {
    const { admin, projectId } = bench.emulator;
    const { id, branchId } = bench.endpoint();
    const writer = await connect(bench.emulator, id);
    const replica = await connect(
      bench.emulator,
      admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only" }).id,
    );
    await writer.query("CREATE TABLE followed ()");
    await until(async () => (await values(replica, "SELECT to_regclass('followed')::text"))[0] === "followed");
    expect(await values(writer, "SELECT usename FROM pg_stat_replication")).toEqual(["pgcompute_replication"]);
    for (const one of [writer, replica]) expect(await values(one, "SHOW listen_addresses")).toEqual([""]);
    await expect(replica.query("SHOW primary_conninfo")).rejects.toMatchObject({ code: "42501" });
  });
});
