import { describe, expect, it } from "vitest";
import { pgSettings } from "../../model/pg-settings.gen";
import { connect, until, useBench, values } from "./support/open-postgres";

// Specification, sections 1, 2.4 and 4.7.

const bench = useBench();

async function branchOf(parentId: string): Promise<{ id: string; branchId: string }> {
  const answer = await bench.call("POST", "/branches", {
    branch: { parent_id: parentId },
    endpoints: [{ type: "read_write" }],
  });
  for (const { status } of await bench.ended(answer)) expect(status).toBe("finished");
  return { id: answer.endpoints[0]?.id ?? "", branchId: answer.branch.id };
}

async function replicaOn(branchId: string): Promise<string> {
  const answer = await bench.call("POST", "/endpoints", { endpoint: { branch_id: branchId, type: "read_only" } });
  for (const { status, error } of await bench.ended(answer)) expect([status, error]).toEqual(["finished", undefined]);
  return answer.endpoint.id;
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
    const child = await branchOf(parent.branchId);
    writing = false;
    await writer;
    const below = await connect(bench.emulator, child.id);
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
    await bench.ended(await bench.call("POST", `/endpoints/${parent.id}/suspend`));
    const child = await branchOf(parent.branchId);
    const grandchild = await branchOf(child.branchId);
    expect(await values(await connect(bench.emulator, grandchild.id), "SELECT note FROM notes")).toEqual(["old"]);
    await bench.ended(await bench.call("DELETE", `/branches/${grandchild.branchId}`));
    await expect(
      connect(bench.emulator, child.id).then((one) => values(one, "SELECT note FROM notes")),
    ).resolves.toEqual(["old"]);
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

    await bench.ended(await bench.call("POST", `/endpoints/${primary.id}/suspend`));
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
    const patch = (endpoint: object) => bench.call("PATCH", `/endpoints/${primary.id}`, { endpoint });
    const raised = [
      "max_locks_per_transaction",
      "max_prepared_transactions",
      "max_wal_senders",
      "max_worker_processes",
    ];
    const pg_settings = Object.fromEntries(raised.map((name) => [name, String(pgSettings[name]?.max)]));
    for (const change of [
      { settings: { pg_settings } },
      { autoscaling_limit_min_cu: 7, autoscaling_limit_max_cu: 7 },
    ]) {
      for (const { status } of await bench.ended(await patch(change))) expect(status).toBe("finished");
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
    const child = await bench.call("POST", "/branches", {
      branch: { parent_id: primary.branchId },
      endpoints: [{ type: "read_only" }],
    });
    for (const { status, error } of await bench.ended(child)) expect([status, error]).toEqual(["finished", undefined]);
    await bench.ended(await bench.call("POST", `/endpoints/${primary.id}/suspend`));
    const smaller = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 };
    await bench.ended(await bench.call("PATCH", `/endpoints/${primary.id}`, { endpoint: smaller }));
    for (const id of [await replicaOn(primary.branchId), child.endpoints[0]?.id ?? ""]) {
      expect(await values(await connect(bench.emulator, id), "SELECT note FROM notes")).toEqual(["one"]);
    }
  });
});

it("restored from a snapshot in its place has the data of the snapshot, and the old branch keeps its own", async () => {
  const { id, branchId } = bench.endpoint();
  const client = await connect(bench.emulator, id);
  await client.query("CREATE TABLE notes AS SELECT 'before' AS note");
  const post = async (path: string, body: object = {}) => {
    const answer = await bench.call("POST", path, body);
    for (const { status } of await bench.ended(answer)) expect(status).toBe("finished");
    return answer;
  };
  const { snapshot } = await post(`/branches/${branchId}/snapshot`);
  await client.query("INSERT INTO notes VALUES ('after')");
  const { branch } = await post(`/snapshots/${snapshot.id}/restore`, { finalize_restore: true });
  expect(await client.dropped).toBe("57P01");
  expect(bench.emulator.admin.endpoint(id).branch_id).toBe(branch.id);
  expect(await values(await connect(bench.emulator, id), "SELECT note FROM notes")).toEqual(["before"]);
  await bench.ended(await bench.call("PATCH", `/endpoints/${id}`, { endpoint: { branch_id: branchId } }));
  expect(await values(await connect(bench.emulator, id), "SELECT note FROM notes")).toEqual(["before", "after"]);
});
