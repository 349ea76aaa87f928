import { describe, expect, it } from "vitest";
import { pgSettings } from "../../model/pg-settings.gen";
import { connect, until, useBench, values } from "./support/open-postgres";

// Specification, sections 1, 2.4 and 4.7.

const bench = useBench();

async function replicaOn(branchId: string): Promise<string> {
  return (await bench.change("POST", "/endpoints", { endpoint: { branch_id: branchId, type: "read_only" } })).endpoint
    .id;
}

describe("a branch", () => {
  it("has its parent's rows from its birth, even while those are written, and neither sees the other's later ones", async () => {
    const parent = bench.endpoint();
    const above = await connect(bench.emulator, parent.id);
    await above.query("CREATE TABLE rows (n int PRIMARY KEY, twin int)");
    let count = 0;
    let writing = true;
    const writer = (async () => {
      // A row and its twin are of one transaction: a copy has both or none.
      while (writing) {
        const n = count + 1;
        await above.query("INSERT INTO rows VALUES ($1, $2), ($2, $1)", [n, -n]);
        count = n;
      }
    })();
    await until(() => count > 20);
    const before = count;
    const { endpointIds } = await bench.branch(parent.branchId, "read_write");
    writing = false;
    await writer;
    const below = await connect(bench.emulator, endpointIds[0] ?? "");
    const [copied] = await values(below, "SELECT max(n) FROM rows");
    expect(copied).toBeGreaterThanOrEqual(before);
    expect(await values(below, "SELECT count(*)::int FROM rows")).toEqual([2 * Number(copied)]);

    await above.query("INSERT INTO rows VALUES (1000000, 0)");
    await below.query("INSERT INTO rows VALUES (2000000, 0)");
    expect(await values(below, "SELECT n FROM rows WHERE n >= 1000000")).toEqual([2_000_000]);
    expect(await values(above, "SELECT n FROM rows WHERE n >= 1000000")).toEqual([1_000_000]);
  });

  it.each(["delete_tenant", "delete_timeline"])(
    "keeps its rows and clients through a %s of the platform's own",
    async (action) => {
      const { admin, projectId } = bench.emulator;
      const { id, branchId } = bench.endpoint();
      const client = await connect(bench.emulator, id);
      await client.query("CREATE TABLE notes AS SELECT 'kept' AS note");
      const operation = admin.startOperation({ projectId, action, branchId });
      await until(
        () => admin.project(projectId).operations.find((one) => one.id === operation.id)?.status === "finished",
      );
      expect(await values(client, "SELECT note FROM notes")).toEqual(["kept"]);
    },
  );

  it("of a parent at rest has its rows, too, and so has its own child", async () => {
    const parent = bench.endpoint();
    const client = await connect(bench.emulator, parent.id);
    await client.query("CREATE TABLE notes AS SELECT 'old' AS note");
    await bench.change("POST", `/endpoints/${parent.id}/suspend`);
    const child = await bench.branch(parent.branchId, "read_write");
    const grandchild = await bench.branch(child.id, "read_write");
    const notes = async ({ endpointIds: [id = ""] }: typeof child) =>
      values(await connect(bench.emulator, id), "SELECT note FROM notes");
    expect(await notes(grandchild)).toEqual(["old"]);
    await bench.change("DELETE", `/branches/${grandchild.id}`);
    expect(await notes(child)).toEqual(["old"]);
  });
});

describe("a read replica", () => {
  it("follows its primary, refuses writes, and reads on while the primary rests", async () => {
    const primary = bench.endpoint();
    const writer = await connect(bench.emulator, primary.id);
    await writer.query("CREATE TABLE notes AS SELECT 'one' AS note");
    const replica = await replicaOn(primary.branchId);
    const reader = await connect(bench.emulator, replica);
    expect(await values(reader, "SELECT note FROM notes")).toEqual(["one"]);
    await writer.query("INSERT INTO notes VALUES ('two')");
    await until(async () => (await values(reader, "SELECT note FROM notes")).length === 2);
    await expect(reader.query("INSERT INTO notes VALUES ('three')")).rejects.toMatchObject({ code: "25006" });

    await bench.change("POST", `/endpoints/${primary.id}/suspend`);
    expect(await values(reader, "SELECT count(*)::int FROM notes")).toEqual([2]);
    const again = await connect(bench.emulator, primary.id);
    await again.query("INSERT INTO notes VALUES ('three')");
    await until(async () => (await values(reader, "SELECT note FROM notes")).length === 3);
  });

  it("follows a primary that grows and raises its settings, keeps its sessions, and refuses by its own size", async () => {
    const primary = bench.endpoint();
    const writer = await connect(bench.emulator, primary.id);
    await writer.query("CREATE TABLE notes (note text)");
    const replica = await replicaOn(primary.branchId);
    const reader = await connect(bench.emulator, replica);
    const raised = [
      "max_locks_per_transaction",
      "max_prepared_transactions",
      "max_wal_senders",
      "max_worker_processes",
    ];
    const pg_settings = Object.fromEntries(raised.map((name) => [name, String(pgSettings[name]?.max)]));
    const grown = { autoscaling_limit_min_cu: 7, autoscaling_limit_max_cu: 7 };
    for (const endpoint of [{ settings: { pg_settings } }, grown]) {
      await bench.change("PATCH", `/endpoints/${primary.id}`, { endpoint });
    }
    const again = await connect(bench.emulator, primary.id);
    expect(await values(again, "SHOW max_connections")).toEqual(["3154"]);
    for (const name of raised) expect(await values(again, `SHOW ${name}`)).toEqual([pg_settings[name]]);
    await again.query("INSERT INTO notes VALUES ('late')");
    await until(async () => (await values(reader, "SELECT note FROM notes")).length === 1);
    expect(bench.emulator.admin.endpoint(replica)).toMatchObject({ max_connections: 112, dropped_connections: 0 });
    await Promise.all(Array.from({ length: 111 }, () => connect(bench.emulator, replica)));
    const { url } = bench.emulator.admin.connectionStrings(replica);
    for (const connectionString of [url, `${url}-pooler`]) {
      await expect(connect(bench.emulator, replica, { connectionString })).rejects.toMatchObject({ code: "53300" });
    }
  });

  it("starts where its primary rests and was larger once, and on a branch of a larger parent that has no other", async () => {
    const size = { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 };
    const primary = bench.endpoint(size);
    const writer = await connect(bench.emulator, primary.id);
    await writer.query("CREATE TABLE notes AS SELECT 'one' AS note");
    const { endpointIds } = await bench.branch(primary.branchId, "read_only");
    await bench.change("POST", `/endpoints/${primary.id}/suspend`);
    const smaller = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 };
    await bench.change("PATCH", `/endpoints/${primary.id}`, { endpoint: smaller });
    for (const id of [await replicaOn(primary.branchId), ...endpointIds]) {
      expect(await values(await connect(bench.emulator, id), "SELECT note FROM notes")).toEqual(["one"]);
    }
  });
});

it("restored from a snapshot in its place has the data of the snapshot, and the old branch keeps its own", async () => {
  const { id, branchId } = bench.endpoint();
  const client = await connect(bench.emulator, id);
  await client.query("CREATE TABLE notes AS SELECT 'before' AS note");
  const { snapshot } = await bench.change("POST", `/branches/${branchId}/snapshot`, {});
  await client.query("INSERT INTO notes VALUES ('after')");
  const restore = { finalize_restore: true };
  const { branch } = await bench.change("POST", `/snapshots/${snapshot.id}/restore`, restore);
  expect(await client.dropped).toBe("57P01");
  expect(bench.emulator.admin.endpoint(id).branch_id).toBe(branch.id);
  expect(await values(await connect(bench.emulator, id), "SELECT note FROM notes")).toEqual(["before"]);
  await bench.change("PATCH", `/endpoints/${id}`, { endpoint: { branch_id: branchId } });
  expect(await values(await connect(bench.emulator, id), "SELECT note FROM notes")).toEqual(["before", "after"]);
});
