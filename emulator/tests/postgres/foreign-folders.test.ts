/** Folders of an earlier release, and from elsewhere: what stands in them is run, followed or ended by nobody. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "pgcompute-emulator";
import { describe, expect, it, onTestFinished } from "vitest";
import { startOf } from "../../postgres/processes";
import { run } from "../support/command";
import {
  connect,
  giveAway,
  isRoot,
  newClient,
  newFolder,
  OTHER,
  runFolderOf,
  serverOf,
  start,
  values,
} from "./support/open-postgres";

describe("a folder of before", () => {
  it("has its subscriptions disabled, with a line, and nobody who made them can change or drop them", async () => {
    const data = newFolder();
    const before = await start({ data });
    const { endpointId, postgres, branchId, projectId } = before;
    const client = await connect(before, endpointId);
    const { admin: password } = JSON.parse(readFileSync(join(data, "passwords.json"), "utf8"));
    const sockets = join(runFolderOf(await serverOf(client)), "s");
    const socket = readdirSync(sockets).find((name) => name.startsWith(".s.") && !name.endsWith(".lock")) ?? "";
    const who = { host: sockets, port: Number(socket.split(".").at(-1)), user: "pgcompute_admin", password };
    const admin = newClient({ ...who, database: "postgres" });
    await admin.connect();
    await admin.query("GRANT pg_create_subscription TO postgres WITH ADMIN OPTION");
    await admin.end();
    await client.query("CREATE ROLE reader LOGIN PASSWORD 'new'; GRANT pg_create_subscription TO reader");
    const connection = `host=127.0.0.1 port=${postgres?.port} user=postgres password=x dbname=postgres`;
    const options = "WITH (connect = false, slot_name = 'kept')";
    await client.query(`CREATE SUBSCRIPTION kept CONNECTION '${connection}' PUBLICATION p ${options}`);
    await client.query("ALTER SUBSCRIPTION kept ENABLE");
    await before.close();
    const newest =
      readdirSync(data)
        .filter((name) => name.startsWith("data-"))
        .at(-1) ?? "";
    const folder = join(data, newest, projectId, branchId, "data");
    renameSync(join(folder, "pgcompute.roles-3"), join(folder, "pgcompute.roles-2"));

    const { shows, child, ended } = run(["--postgres", "--data", data, "--port", "0"]);
    const url = /^postgres +(\S+)$/m.exec(await shows(/postgres .*\n/))?.[1] ?? "";
    const again = newClient({ connectionString: url });
    await again.connect();
    expect(await values(again, "SELECT subenabled FROM pg_subscription")).toEqual([false]);
    for (const sql of [
      "ALTER SUBSCRIPTION kept ENABLE",
      "ALTER SUBSCRIPTION kept CONNECTION 'sslkeylogfile=/tmp/mine'",
      "ALTER SUBSCRIPTION kept OWNER TO postgres",
      "DROP SUBSCRIPTION kept",
      "CREATE SUBSCRIPTION other CONNECTION 'password=x' PUBLICATION p WITH (connect = false)",
      "GRANT pg_create_subscription TO postgres",
      "SET ROLE pg_create_subscription",
    ])
      await expect(again.query(sql), sql).rejects.toMatchObject({ code: "42501" });
    const held = "SELECT count(*)::int FROM pg_auth_members WHERE roleid = 'pg_create_subscription'::regrole";
    expect(await values(again, held)).toEqual([0]);
    await again.end();
    child.kill("SIGTERM");
    const { output } = await ended;
    expect(output).toContain(
      `branch ${projectId}/${branchId}: a subscription is disabled for good, since a branch publishes and does not subscribe`,
    );
  });
});

describe("a folder from elsewhere", () => {
  const [admin, client, replication, apiKey, token] = [..."abcde"].map((digit) => digit.repeat(36));
  const passwords = { admin, client, replication, apiKey, token };
  const endpoint = { id: "ep-a", project_id: "shop", branch_id: "br-a" };
  const login = { role: "postgres", database: "postgres" };
  const project = { record: { id: "shop" }, login, branches: [], annotations: [], endpoints: [], operations: [] };

  it.each([
    ["a project id", { projects: [{ ...project, record: { id: "../.." } }] }, /an id that none can be: "\.\.\/\.\."/],
    [
      "a branch id",
      { projects: [{ ...project, branches: [{ id: "br/../..", project_id: "shop" }] }] },
      /an id that none/,
    ],
    [
      "a parent",
      { projects: [{ ...project, branches: [{ id: "br-a", project_id: "shop", parent_id: "/" }] }] },
      /an id/,
    ],
    ["an endpoint id", { projects: [{ ...project, endpoints: [{ ...endpoint, id: ".." }] }] }, /an id that none/],
    ["a role", { projects: [{ ...project, login: { role: "a;\n\nb", database: "c" } }] }, /a role or a database that/],
  ])("with %s that leads out of it is refused", async (_, state, reason) => {
    const data = newFolder();
    writeFileSync(join(data, "platform.json"), JSON.stringify({ random: 1, ...state }));
    giveAway(data);
    await expect(createEmulator({ postgres: true, data })).rejects.toThrow(reason);
  });

  it.each([
    ["SQL", { ...passwords, client: "x' SUPERUSER PASSWORD 'x" }],
    ["a line", { ...passwords, admin: `${"a".repeat(20)}\n*:*` }],
  ])("with %s as a password is refused", async (_, given) => {
    const data = newFolder();
    writeFileSync(join(data, "passwords.json"), JSON.stringify(given));
    giveAway(data);
    await expect(createEmulator({ postgres: true, data })).rejects.toThrow(/has no passwords of an emulator/);
  });

  it.each(["data-1", "passwords.json", "emulator.lock"])(
    "whose %s is a link is refused, and what it leads to stays",
    async (name) => {
      const [data, elsewhere] = [newFolder(), newFolder()];
      writeFileSync(join(elsewhere, "kept"), "mine");
      symlinkSync(name === "data-1" ? elsewhere : join(elsewhere, "kept"), join(data, name));
      giveAway(data);
      await expect(createEmulator({ postgres: true, data })).rejects.toThrow(`${join(data, name)} is a link`);
      expect(readFileSync(join(elsewhere, "kept"), "utf8")).toBe("mine");
    },
  );

  it.each([
    ["platform.json", false],
    ["platform.changes", false],
    ["platform.json.part", false],
    ["passwords.json", true],
    ["data-1/pipe", true],
  ])("whose %s is a pipe is refused, and nobody waits for its other side (Postgres: %s)", async (name, postgres) => {
    const data = newFolder();
    mkdirSync(join(data, "data-1"));
    execFileSync("mkfifo", [join(data, name)]);
    if (postgres) giveAway(data);
    await expect(createEmulator({ postgres, data })).rejects.toThrow(
      `data: ${join(data, name)} is neither a file nor a folder`,
    );
  });

  it("that is a link, a pipe or a file itself is refused", async () => {
    const elsewhere = newFolder();
    const [link, pipe, file] = ["link", "pipe", "file"].map((name) => join(elsewhere, name)) as [
      string,
      string,
      string,
    ];
    const data = newFolder();
    symlinkSync(data, link);
    execFileSync("mkfifo", [pipe]);
    writeFileSync(file, "");
    await expect(createEmulator({ data: link })).rejects.toThrow(`data: ${link} is a link`);
    await expect(createEmulator({ data: pipe })).rejects.toThrow(`data: ${pipe} is no folder`);
    await expect(createEmulator({ data: file })).rejects.toThrow(`data: ${file} is no folder`);
  });

  it.each(["platform.json", "platform.changes"])(
    "whose %s is a link is refused without Postgres too, and what it leads to stays",
    async (name) => {
      const [data, elsewhere] = [newFolder(), newFolder()];
      writeFileSync(join(elsewhere, "kept"), "mine");
      symlinkSync(join(elsewhere, "kept"), join(data, name));
      await expect(createEmulator({ data })).rejects.toThrow(`${join(data, name)} is a link`);
      expect(readFileSync(join(elsewhere, "kept"), "utf8")).toBe("mine");
    },
  );

  it.runIf(isRoot)("with a file of another account in it is refused (tried as root alone)", async () => {
    const data = newFolder();
    mkdirSync(join(data, "data-1"));
    writeFileSync(join(data, "data-1", "theirs"), "");
    giveAway(data);
    chownSync(join(data, "data-1", "theirs"), OTHER, OTHER);
    await expect(createEmulator({ postgres: true, data })).rejects.toThrow(
      `theirs belongs to another account (uid ${OTHER})`,
    );
  });

  it.each([
    ["a server's command line, and began at another time", ["postgres", "-D", "DATA", "x"], () => "1"],
    ["a server's begin, and another command line", [], startOf],
  ])("ends no process but a server of its own: none with %s", async (_, args, begin) => {
    const data = newFolder();
    const branch = join(data, "data-1", "shop", "br-a", "data");
    mkdirSync(branch, { recursive: true });
    const identity = isRoot ? { uid: Number(execFileSync("id", ["-u", "nobody"])) } : {};
    // It waits for a line that never comes, and has all of its arguments meanwhile.
    const words = args.map((word) => (word === "DATA" ? branch : word));
    const bystander = spawn("/bin/sh", ["-c", "read line", ...words], identity);
    onTestFinished(() => void bystander.kill("SIGKILL"));
    await once(bystander, "spawn");
    const pid = bystander.pid ?? 0;
    writeFileSync(join(branch, "server.process"), `${pid} ${begin(pid)}`);
    writeFileSync(join(branch, "postmaster.pid"), `${pid}\n${branch}\n1\n`);
    giveAway(data);
    await start({ data });
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });
});
