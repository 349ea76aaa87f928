import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net from "node:net";
import tls from "node:tls";
import { promisify } from "node:util";
import { createNeonClient } from "@neon/sdk";
import { EndpointType } from "@neondatabase/api-client";
import type pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { cancelMessage, startupMessage } from "../../postgres/messages";
import { BoundExchange } from "../../postgres/scram";
import { describedClient } from "../api/support/description";
import { neonOn } from "../api/support/neon-cli";
import { connect, newClient, until, useBench, values } from "./support/open-postgres";

// Specification, sections 2.4, 3.2 and 8.

const bench = useBench({ maxRunning: 32 });
const run = promisify(execFile);

describe("a client", () => {
  it("wakes an idle endpoint, waits for it, and comes through by every way in", async () => {
    const { id } = bench.endpoint();
    const { admin } = bench.emulator;
    const strings = await until(() => {
      const found = admin.connectionStrings(id);
      return !found.portUrl.includes(":0/") && found;
    });
    const client = await connect(bench.emulator, id);
    const { operations } = admin.project(bench.emulator.projectId);
    expect(operations.find(({ endpoint_id }) => endpoint_id === id)).toMatchObject({ action: "start_compute" });
    expect(admin.endpoint(id)).toMatchObject({ current_state: "active", connections: 1 });
    await client.query("CREATE TABLE notes AS SELECT 'one' AS note");

    const others: pg.ClientConfig[] = [{ ...strings.pg }, { connectionString: strings.portUrl }];
    for (const config of others) {
      const other = await connect(bench.emulator, id, { connectionString: undefined, ...config });
      expect(await values(other, "SELECT note FROM notes")).toEqual(["one"]);
      await other.end();
    }
    if (existsSync("/usr/bin/psql")) {
      for (const target of [strings.libpq, strings.url]) {
        const { stdout } = await run("psql", [target, "-Atc", "SELECT note FROM notes"]);
        expect(stdout).toBe("one\n");
      }
    }
  });

  it("is not counted any more when it leaves just as its endpoint becomes active", async () => {
    const { id } = bench.endpoint();
    const { admin } = bench.emulator;
    const refused = expect(connect(bench.emulator, id)).rejects.toMatchObject({ code: "57P01" });
    // As often as can be, so as to see that before the client is let through.
    while (admin.endpoint(id).current_state !== "active") await new Promise(setImmediate);
    admin.disconnect({ endpointId: id });
    expect(admin.endpoint(id)).toMatchObject({ connections: 0, waiting_connections: 0 });
    await refused;
  });

  it("may begin with TLS without asking for it", async () => {
    const { id } = bench.endpoint();
    const { pg } = bench.emulator.admin.connectionStrings(id);
    const { servername } = pg.ssl;
    const ca = bench.emulator.postgres?.certificate;
    const socket = tls.connect({ host: pg.host, port: pg.port, servername, ALPNProtocols: ["postgresql"], ca });
    onTestFinished(() => void socket.destroy());
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe("postgresql");
    socket.write(startupMessage(196_608, new Map([["user", "postgres"]])));
    const [first] = await once(socket, "data");
    expect(String(first)).toMatch(/^R/);
  });

  it("is seen: who it is, since when, and what it does", async () => {
    const { id } = bench.endpoint();
    const client = await connect(bench.emulator, id, { application_name: "shop" });
    const sessions = () => bench.emulator.admin.sessions(id);
    expect(sessions()).toMatchObject([
      { user: "postgres", database: "postgres", application: "shop", pooled: false, state: "idle" },
    ]);
    await client.query("BEGIN");
    expect(sessions()).toMatchObject([{ state: "idle in transaction" }]);
    const slow = client.query("SELECT pg_sleep(60)");
    await until(() => sessions()[0]?.state === "active");
    const refused = expect(slow).rejects.toMatchObject({ code: "57P01" });
    bench.emulator.admin.disconnect({ endpointId: id });
    await refused;
    expect(sessions()).toEqual([]);
    expect(bench.emulator.admin.endpoint(id)).toMatchObject({ connections: 0, dropped_connections: 0 });
  });

  it.each(["without", "with"])("can cancel its query %s TLS, whose end is said", async (how) => {
    const { id } = bench.endpoint();
    const { url, pg } = bench.emulator.admin.connectionStrings(id);
    const client = await connect(bench.emulator, id);
    const query = client.query("SELECT pg_sleep(60)");
    const cancelled = expect(query).rejects.toMatchObject({ code: "57014" });
    // A request to cancel that comes before the server has begun with the query stops nothing.
    const watcher = await connect(bench.emulator, id);
    const asleep = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    await until(async () => (await values(watcher, asleep)).length === 1);
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    if (how === "with") {
      let answer = Buffer.alloc(0);
      const between = net.createServer((near) => {
        const far = net.connect(pg.port, pg.host);
        far.on("data", (piece) => {
          answer = Buffer.concat([answer, piece]);
        });
        near.pipe(far).pipe(near);
      });
      onTestFinished(() => void between.close());
      await once(between.listen(0, "127.0.0.1"), "listening");
      const { port } = between.address() as net.AddressInfo;
      const secure = tls.connect({
        port,
        maxVersion: "TLSv1.2",
        ALPNProtocols: ["postgresql"],
        rejectUnauthorized: false,
      });
      const key = Buffer.alloc(8);
      key.writeUInt32BE(processID);
      key.writeInt32BE(secretKey, 4);
      secure.write(cancelMessage(key.toString("hex")));
      secure.resume();
      await once(secure, "close");
      await cancelled;
      // A TLS record is a type, a version, a length and that many bytes. The last one is an alert: close_notify.
      const types: number[] = [];
      for (let at = 0; at < answer.length; at += 5 + answer.readUInt16BE(at + 3)) types.push(answer[at] ?? 0);
      expect(types.at(-1)).toBe(21);
      return;
    }
    const { connection } = newClient({ connectionString: url }) as unknown as {
      connection: {
        connect(port: number, host: string): void;
        cancel(pid: number, key: number): void;
        once(event: "connect", listener: () => void): void;
      };
    };
    connection.once("connect", () => connection.cancel(processID, secretKey));
    connection.connect(bench.emulator.postgres?.port ?? 0, "127.0.0.1");
    await cancelled;
  });

  it("is refused in Postgres's own words: nobody, an unknown and a disabled endpoint, one too many", async () => {
    const { port = 0 } = bench.emulator.postgres ?? {};
    const at = { connectionString: `postgresql://postgres@127.0.0.1:${port}/postgres` };
    const to = (options: string) => newClient({ ...at, options }).connect();
    await expect(newClient(at).connect()).rejects.toMatchObject({ code: "08004", message: /names no endpoint/ });
    await expect(to("endpoint=ep-none")).rejects.toMatchObject({ code: "08004", message: /"ep-none" not found/ });
    const disabled = bench.endpoint({ disabled: true });
    await expect(to(`endpoint=${disabled.id}`)).rejects.toMatchObject({ code: "57P03", message: /is disabled/ });
  });

  it("is one too many beyond what the size allows, and is told that pooled connections are not pooled", async () => {
    const { id } = bench.endpoint();
    const first = await connect(bench.emulator, id);
    expect(await values(first, "SHOW max_connections")).toEqual(["112"]);
    await Promise.all(Array.from({ length: 111 }, () => connect(bench.emulator, id)));
    await expect(connect(bench.emulator, id)).rejects.toMatchObject({ code: "53300", message: /too many clients/ });
    await first.end();
    await until(() => bench.emulator.admin.endpoint(id).connections === 111);
    const { pg } = bench.emulator.admin.connectionStrings(id);
    const servername = pg.ssl.servername.replace(id, `${id}-pooler`);
    const pooled = newClient({ ...pg, ssl: { ...pg.ssl, servername } });
    const notice = new Promise((resolve) => pooled.on("notice", ({ message }) => resolve(message)));
    await pooled.connect();
    pooled.isOpen = true;
    expect(bench.emulator.admin.sessions(id).at(-1)).toMatchObject({ pooled: true });
    expect(await notice).toMatch(/without pooling/);
    expect(await values(pooled, "SELECT 1")).toEqual([1]);
  });

  it("needs the password, unless passwordless access is asked for", async () => {
    const { id } = bench.endpoint();
    const open = bench.endpoint({ passwordless_access: true });
    expect(await values(await connect(bench.emulator, open.id), "SELECT current_user")).toEqual(["postgres"]);
    expect(bench.emulator.admin.connectionStrings(open.id).url).toContain("//postgres@");
    const { url } = bench.emulator.admin.connectionStrings(id);
    const password = bench.emulator.postgres?.password ?? "";
    expect(url).toContain(`:${password}@`);
    expect(await values(await connect(bench.emulator, id), "SELECT current_user")).toEqual(["postgres"]);
  });

  it("may bind its authentication to its channel: by the password of any role that it makes, and to no other's certificate", async () => {
    const { id } = bench.endpoint({ passwordless_access: false });
    const strings = bench.emulator.admin.connectionStrings(id).pg;
    const client = await connect(bench.emulator, id);
    // What it may not is held in safe.test.ts.
    for (const what of ["DATABASE shop", "EXTENSION pgcrypto", "ROLE reader LOGIN PASSWORD 'new'"])
      await client.query(`CREATE ${what}`);
    const bound = (config: pg.ClientConfig) =>
      newClient({ ...strings, enableChannelBinding: true, ...config } as pg.ClientConfig);
    const plain = newClient({ ...strings, user: "reader", password: "new" });
    for (const one of [bound({}), bound({ user: "reader", password: "new" }), plain]) {
      await one.connect();
      expect(await values(one, "SELECT 1")).toEqual([1]);
      await one.end();
    }
    for (const user of ["postgres", "reader", "nobody"]) {
      await expect(bound({ user, password: "guess" }).connect()).rejects.toMatchObject({ code: "28P01" });
    }
    const verifier = { salt: "c2FsdA==", iterations: 4096, storedKey: Buffer.alloc(32), serverKey: Buffer.alloc(32) };
    const exchange = new BoundExchange(verifier, Buffer.alloc(32, 1));
    const first = exchange.answerFirst("p=tls-server-end-point,,n=,r=abc") ?? "";
    const other = Buffer.concat([Buffer.from("p=tls-server-end-point,,"), Buffer.alloc(32, 2)]).toString("base64");
    expect(exchange.accept(`c=${other},${first.split(",", 1)[0]},p=${Buffer.alloc(32).toString("base64")}`)).toBe(
      false,
    );
    expect(exchange.answerFirst("n,,n=,r=abc")).toBeUndefined();
  });
});

describe("the platform's own clients", () => {
  it("find roles, databases and the password, as described, and change none of them", async () => {
    const { projectId, branchId, postgres } = bench.emulator;
    const { neon, deviations } = describedClient(bench.emulator);
    const at = [projectId, branchId] as const;
    const role = { branch_id: branchId, name: "postgres", protected: false };
    const database = { branch_id: branchId, name: "postgres", owner_name: "postgres" };
    expect((await neon.listProjectBranchRoles(...at)).data).toMatchObject({ roles: [role] });
    expect((await neon.getProjectBranchRole(...at, "postgres")).data).toMatchObject({ role });
    const { password } = postgres ?? {};
    expect((await neon.getProjectBranchRolePassword(...at, "postgres")).data).toEqual({ password });
    expect((await neon.listProjectBranchDatabases(...at)).data).toMatchObject({ databases: [database] });
    expect((await neon.getProjectBranchDatabase(...at, "postgres")).data).toMatchObject({ database });
    expect((await neon.getProjectBranchRole(...at, "none")).status).toBe(404);
    expect((await neon.listProjectBranchRoles(projectId, "br-none")).status).toBe(404);
    expect((await neon.getProjectBranchRolePassword(...at, "none")).status).toBe(404);
    expect((await neon.getProjectBranchDatabase(...at, "none")).status).toBe(404);
    expect((await neon.createProjectBranchRole(...at, { role: { name: "r" } })).status).toBe(501);
    const { data } = await neon.createProject({ project: { name: "quiet", store_passwords: false } });
    expect(data).toMatchObject({ roles: [{ name: "postgres", password }], databases: [{ name: "postgres" }] });
    const hidden = await neon.getProjectBranchRolePassword(data.project.id, data.branch.id, "postgres");
    expect(hidden.status).toBe(412);
    expect(deviations).toEqual([]);
  });

  it("name the role and the database of a project, and of every branch that comes of it", async () => {
    const { neon } = describedClient(bench.emulator);
    const to = (connectionString = "") => connect(bench.emulator, bench.emulator.endpointId, { connectionString });
    const branch = { role_name: `o'hara "sal"`, database_name: "my shop" };
    const { data: created } = await neon.createProject({ project: { name: "shop", branch } });
    expect(created).toMatchObject({
      roles: [{ name: branch.role_name }],
      databases: [{ name: branch.database_name, owner_name: branch.role_name }],
      connection_uris: [{ connection_parameters: { host: created.endpoints[0]?.host } }],
    });
    const who =
      "SELECT format('%s owns %s', pg_get_userbyid(datdba), datname) FROM pg_database WHERE datname = current_database()";
    const client = await to(created.connection_uris[0]?.connection_uri);
    expect(await values(client, who)).toEqual([`${branch.role_name} owns ${branch.database_name}`]);
    await client.query("CREATE TABLE notes AS SELECT 'kept' AS note");
    expect(await values(client, "SELECT rolname FROM pg_roles WHERE rolcanlogin AND rolname !~ '^pgcompute'")).toEqual([
      branch.role_name,
    ]);
    const endpoints = [{ type: EndpointType.ReadWrite }, { type: EndpointType.ReadOnly }];
    const { data: child } = await neon.createProjectBranch(created.project.id, { branch: {}, endpoints });
    expect(child).toMatchObject({ roles: [{ name: branch.role_name }], connection_uris: [{}, {}] });
    for (const { connection_uri } of child.connection_uris ?? []) {
      const one = await to(connection_uri);
      expect(await values(one, who)).toEqual([`${branch.role_name} owns ${branch.database_name}`]);
      expect(await values(one, "SELECT note FROM notes")).toEqual(["kept"]);
    }
  });

  it("do not get today's data where they ask for others", async () => {
    for (const branch of [
      { init_source: "schema-only" },
      { parent_timestamp: "2026-01-31T12:00:00Z" },
      { parent_lsn: "0/1F00000" },
    ]) {
      const [field] = Object.keys(branch);
      await expect(bench.call("POST", "/branches", { branch })).rejects.toThrow(`501 branch.${field}: `);
    }
    await bench.call("POST", "/branches", { branch: { init_source: "parent-data", parent_timestamp: "" } });
  });

  it("make connection strings that connect", async () => {
    const { url, apiKey, projectId, branchId, endpointId, postgres } = bench.emulator;
    const neon = createNeonClient({ apiKey, baseUrl: url, throwOnError: true });
    for (const pooled of [false, true]) {
      const connectionString = await neon.postgres.connectionString({ projectId, branchId, pooled });
      expect(await values(await connect(bench.emulator, endpointId, { connectionString }), "SELECT 1")).toEqual([1]);
    }
    const { id: endpoint_id } = bench.endpoint();
    const asked = { projectId, endpoint_id, database_name: "postgres", role_name: "postgres" };
    const { data } = await describedClient(bench.emulator).neon.getConnectionUri(asked);
    expect(data).toEqual({ uri: bench.emulator.admin.connectionStrings(endpoint_id).url });
    const { connectionString } = await neon.branches.createAndConnect({ projectId, name: "preview" });
    expect(await values(await connect(bench.emulator, endpointId, { connectionString }), "SELECT 1")).toEqual([1]);
    const neonCli = neonOn(bench.emulator);
    const shown = (await neonCli("connection-string", "--project-id", projectId)).trim();
    expect(new URL(shown)).toMatchObject({ username: "postgres", password: postgres?.password, pathname: "/postgres" });
    if (existsSync("/usr/bin/psql")) {
      // Nothing resolves the host name: the address and the port are told beside it.
      const env = { ...process.env, PGHOSTADDR: "127.0.0.1", PGPORT: `${postgres?.port}` };
      expect((await run("psql", [shown, "-Atc", "SELECT 1"], { env })).stdout).toBe("1\n");
    }
  });
});
