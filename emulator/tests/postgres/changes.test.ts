import { describe, expect, it, onTestFinished } from "vitest";
import { type Client, connect, until, useBench, values } from "./support/open-postgres";

// Specification, sections 2.4, 3.3, 4.5 and 4.7.

const bench = useBench();

async function patch(id: string, endpoint: object) {
  return bench.ended(await bench.call("PATCH", `/endpoints/${id}`, { endpoint }));
}

async function stays(client: Client) {
  expect(await values(client, "SELECT 1")).toEqual([1]);
}

/** Settings that run a program, load one, let others in or lead elsewhere, and some that there are none of. */
const DANGEROUS = `archive_command Restore_Command recovery_end_command ssl_passphrase_command archive_library jit_provider
  shared_preload_libraries session_preload_libraries local_preload_libraries oauth_validator_libraries
  dynamic_library_path extension_control_path hba_file ident_file data_directory config_file external_pid_file
  include include_dir include_if_exists listen_addresses unix_socket_directories primary_conninfo
  synchronous_standby_names log_directory plperl.on_init my.own __proto__x no_such_setting`;

describe("an open connection", () => {
  it("is dropped by another size, which is then in force, and what was written is there", async () => {
    const { id } = bench.endpoint();
    const client = await connect(bench.emulator, id);
    await client.query("CREATE TABLE notes AS SELECT 'kept' AS note");
    const operations = await patch(id, { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2 });
    expect(operations.map(({ action, status }) => `${action} ${status}`)).toEqual([
      "apply_config finished",
      "suspend_compute finished",
      "start_compute finished",
    ]);
    expect(await client.dropped).toBe("57P01");
    expect(bench.emulator.admin.endpoint(id)).toMatchObject({ connections: 0, dropped_connections: 1 });
    const next = await connect(bench.emulator, id);
    expect(await values(next, "SHOW max_connections")).toEqual(["225"]);
    expect(await values(next, "SELECT note FROM notes")).toEqual(["kept"]);
  });

  it("stays through autosuspend, name, pooler, settings and passwordless access, of which each has its effect", async () => {
    const { id } = bench.endpoint();
    const client = await connect(bench.emulator, id);
    const changes = [
      { suspend_timeout_seconds: 600 },
      { name: "shop" },
      { pooler_enabled: true, pooler_mode: "session" },
      { settings: { pg_settings: { work_mem: "9MB", statement_timeout: "70s" } } },
      { passwordless_access: true },
      { passwordless_access: false },
    ];
    for (const change of changes) {
      await bench.change("PATCH", `/endpoints/${id}`, { endpoint: change });
      await stays(client);
    }
    await until(async () => (await values(client, "SHOW work_mem"))[0] === "9MB");
    const { url } = bench.emulator.admin.connectionStrings(id);
    await expect(
      connect(bench.emulator, id, { connectionString: url.replace(/:[^:@]+@/, ":wrong@") }),
    ).rejects.toMatchObject({ code: "28P01" });
    expect(bench.emulator.admin.endpoint(id).dropped_connections).toBe(0);
  });

  it.each([
    ["restart", "active"],
    ["suspend", "idle"],
  ])("is dropped by a %s", async (verb, state) => {
    const { id } = bench.endpoint();
    const client = await connect(bench.emulator, id);
    await bench.change("POST", `/endpoints/${id}/${verb}`);
    expect(await client.dropped).toBe("57P01");
    expect(bench.emulator.admin.endpoint(id)).toMatchObject({ current_state: state, dropped_connections: 1 });
    await stays(await connect(bench.emulator, id));
  });

  it("is dropped when the endpoint is disabled, which nobody reaches then, and when it is deleted", async () => {
    const { id } = bench.endpoint();
    const client = await connect(bench.emulator, id);
    await patch(id, { disabled: true });
    expect(await client.dropped).toBe("57P01");
    await expect(connect(bench.emulator, id)).rejects.toMatchObject({ code: "57P03" });
    await patch(id, { disabled: false });
    const again = await connect(bench.emulator, id);
    await bench.change("DELETE", `/endpoints/${id}`);
    expect(await again.dropped).toBe("57P01");
  });

  it("is dropped by a move, after which the endpoint has the other branch's rows, and another may have those it left", async () => {
    const { admin, projectId } = bench.emulator;
    const { id, branchId } = bench.endpoint();
    const client = await connect(bench.emulator, id);
    await client.query("CREATE TABLE here ()");
    const target = admin.seedBranch(projectId).id;
    await patch(id, { branch_id: target });
    expect(await client.dropped).toBe("57P01");
    const follower = admin.seedEndpoint(projectId, { branch_id: branchId });
    const [moved, followed] = [await connect(bench.emulator, id), await connect(bench.emulator, follower.id)];
    expect(await values(moved, "SELECT to_regclass('here')")).toEqual([null]);
    expect(await values(followed, "SELECT to_regclass('here')")).toEqual(["here"]);
  });
});

describe("settings", () => {
  it("that Postgres refuses fail the operation with its words, and those of before are in force", async () => {
    const { id } = bench.endpoint({ settings: { pg_settings: { work_mem: "9MB" } } });
    const client = await connect(bench.emulator, id);
    const [apply] = await patch(id, { settings: { pg_settings: { TimeZone: "Nowhere" } } });
    expect(apply).toMatchObject({ action: "apply_config", status: "failed", failures_count: 1 });
    expect(apply?.error).toMatch(/invalid value for parameter "TimeZone": "Nowhere"/);
    expect(await values(client, "SHOW work_mem")).toEqual(["9MB"]);
    expect(bench.emulator.admin.endpoint(id).settings).toEqual({ pg_settings: { work_mem: "9MB" } });
    await bench.change("POST", `/endpoints/${id}/restart`);
    expect(await values(await connect(bench.emulator, id), "SHOW work_mem")).toEqual(["9MB"]);
  });

  it.each([
    ...DANGEROUS.split(/\s+/),
    "work_mem=plenty",
    "work_mem=63",
    "work_mem=9ms",
    "work_mem=9MB'\ninclude '/tmp/conf",
    "TimeZone=UTC\nfsync = off",
    "max_locks_per_transaction=97",
    "max_prepared_transactions=0x50",
    "max_wal_senders=9",
    "max_worker_processes=033",
    "synchronous_commit=sometimes",
    "enable_seqscan=perhaps",
  ])("%j is refused, of an endpoint and of a project's default", async (setting) => {
    const [name = "", value = "1"] = setting.split(/=(.*)/s);
    const { admin, projectId, endpointId } = bench.emulator;
    const settings = { pg_settings: { [name]: value } };
    const refused = new RegExp(` 400 .*pg_settings\\.${name}: `);
    await expect(bench.call("PATCH", `/endpoints/${endpointId}`, { endpoint: { settings } })).rejects.toThrow(refused);
    const project = { default_endpoint_settings: settings };
    await expect(bench.call("PATCH", "", { project })).rejects.toThrow(refused);
    const replica = { branch_id: "br-quiet-harbor-main", type: "read_only", settings } as const;
    expect(() => admin.seedEndpoint(projectId, replica)).toThrow(/pg_settings/);
  });

  it("are taken in each way that Postgres writes them", async () => {
    const { id } = bench.endpoint();
    const pg_settings = {
      WORK_MEM: " 0.5 GB ",
      random_page_cost: "1.1",
      synchronous_commit: "Off",
      enable_seqscan: "no",
      max_locks_per_transaction: "96",
      shared_buffers: "1GB",
      search_path: '"$user", public, extensions',
    };
    const [apply] = await patch(id, { settings: { pg_settings } });
    expect(apply).toMatchObject({ action: "apply_config", status: "finished" });
  });

  it("do not change what the size sets, and those that ask for a restart count from the next start", async () => {
    const { id } = bench.endpoint();
    const client = await connect(bench.emulator, id);
    await patch(id, { settings: { pg_settings: { max_connections: "500", max_worker_processes: "11" } } });
    await stays(client);
    expect(await values(client, "SHOW max_worker_processes")).toEqual(["8"]);
    await bench.change("POST", `/endpoints/${id}/restart`);
    const next = await connect(bench.emulator, id);
    expect(await values(next, "SHOW max_worker_processes")).toEqual(["11"]);
    expect(await values(next, "SHOW max_connections")).toEqual(["112"]);
  });

  it("that are wrong from the start leave an endpoint that does not start, and a client is told why", async () => {
    const { id } = bench.endpoint({ settings: { pg_settings: { TimeZone: "Nowhere" } } });
    await expect(connect(bench.emulator, id)).rejects.toMatchObject({
      code: "57P03",
      message: /invalid value.*TimeZone/,
    });
    expect(bench.emulator.admin.endpoint(id)).toMatchObject({ current_state: "idle", waiting_connections: 0 });
  });
});

describe("behind everybody's back", () => {
  it("an endpoint that is seeded as active has a server, and one that is taken away has none", async () => {
    const { admin, projectId } = bench.emulator;
    const { id: branch_id } = admin.seedBranch(projectId);
    const { id } = admin.seedEndpoint(projectId, { branch_id, current_state: "active" });
    const client = await connect(bench.emulator, id);
    await stays(client);
    admin.dropEndpoint(id);
    expect(await client.dropped).toBe("57P01");
    await expect(connect(bench.emulator, id)).rejects.toThrow();
  });

  it("a fault fails a start without a server, and a client that waits is told its reason", async () => {
    const { id } = bench.endpoint();
    const { url } = bench.emulator.admin.connectionStrings(id);
    const effect = { kind: "fail", error: "no host is free" } as const;
    bench.emulator.admin.addFault({ on: "operation", action: "start_compute", endpointId: id, count: 1, effect });
    const refused = connect(bench.emulator, id, { connectionString: url });
    await expect(refused).rejects.toMatchObject({ code: "57P03", message: /no host is free/ });
    await stays(await connect(bench.emulator, id));
  });
});

// The tables are held, without servers, in tests/unit/platform/profiles.test.ts.
it("max_connections of a range follows what the settings say of it", async () => {
  const { id } = bench.endpoint();
  const { connectionsBy } = bench.emulator.admin.settings();
  onTestFinished(() => void bench.emulator.admin.configure({ connectionsBy }));
  bench.emulator.admin.configure({ connectionsBy: "range" });
  await patch(id, { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2 });
  expect(await values(await connect(bench.emulator, id), "SHOW max_connections")).toEqual(["839"]);
});
