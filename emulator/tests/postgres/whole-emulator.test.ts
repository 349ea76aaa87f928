import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Emulator } from "pgcompute-emulator";
import { describe, expect, it } from "vitest";
import { benchOf, connect, newFolder, start, until, values } from "./support/open-postgres";

// As root the first one runs in a process of its own, the second one in the caller's.
it.each([
  ["createEmulator", "index.ts"],
  ["startEmulator", "start.ts"],
])("holds no process that forgets to close it, after unref(): %s", async (begin, file) => {
  const script = `
    const { ${begin} } = await import("./emulator/${file}").then((all) => all.default ?? all);
    const { default: pg } = await import("pg");
    const emulator = (await ${begin}({ postgres: true, operationMs: 20 })).unref();
    const client = new pg.Client(emulator.admin.connectionStrings(emulator.endpointId).url);
    await client.connect();
    client.unref();
    console.log("done");`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 100_000 });
  expect(stdout).toBe("done\n");
});

describe("a limit of servers", () => {
  it("fails the next start with the reason, until one has ended", async () => {
    const emulator = await start({ maxRunning: 1 });
    const bench = benchOf(() => emulator);
    const [one, two] = [bench.endpoint(), bench.endpoint()];
    await connect(emulator, one.id);
    const [operation] = await bench.ended(await bench.call("POST", `/endpoints/${two.id}/start`));
    expect(operation).toMatchObject({ status: "failed", error: /--max-running 1/ });
    await expect(connect(emulator, two.id)).rejects.toMatchObject({ code: "57P03", message: /--max-running 1/ });
    await bench.ended(await bench.call("POST", `/endpoints/${one.id}/suspend`));
    await connect(emulator, two.id);
  });
});

describe("a reset", () => {
  it("takes every row with it", async () => {
    const emulator = await start();
    const client = await connect(emulator, emulator.endpointId);
    await client.query("CREATE TABLE notes ()");
    emulator.reset();
    expect(await client.dropped).toBe("57P01");
    const next = await connect(emulator, emulator.endpointId);
    expect(await values(next, "SELECT to_regclass('notes')")).toEqual([null]);
  });

  it("sends away who waits for an endpoint of before, which nothing starts any more", async () => {
    const emulator = await start({ operationMsByAction: { start_compute: 60_000 } });
    const waiting = expect(connect(emulator, emulator.endpointId)).rejects.toMatchObject({
      code: "08006",
      message: `endpoint ${emulator.endpointId} is gone`,
    });
    await until(() => emulator.admin.sessions(emulator.endpointId).length === 1);
    emulator.reset();
    await waiting;
  });
});

describe("an id that is used again", () => {
  const id = "br-again";

  /** Gives a branch of that id a table of its own. */
  async function makeNotes(emulator: Emulator): Promise<void> {
    const above = await connect(emulator, emulator.endpointId);
    await above.query("CREATE TABLE parents AS SELECT 'parent' AS name");
    await (await connect(emulator, seedAgain(emulator))).query("CREATE TABLE notes ()");
  }

  function seedAgain({ admin, projectId }: Emulator): string {
    admin.seedBranch(projectId, { id });
    return admin.seedEndpoint(projectId, { branch_id: id }).id;
  }

  async function expectNew(emulator: Emulator): Promise<void> {
    const client = await connect(emulator, seedAgain(emulator));
    expect(await values(client, "SELECT to_regclass('notes')")).toEqual([null]);
    expect(await values(client, "SELECT name FROM parents")).toEqual(["parent"]);
  }

  it("has its parent's rows, and none of the branch that was dropped a moment ago", async () => {
    const emulator = await start();
    await makeNotes(emulator);
    emulator.admin.dropBranch(emulator.projectId, id);
    await expectNew(emulator);
  });

  it("has its parent's rows, and none of the branch whose deletion the emulator before did not live to see", async () => {
    const data = newFolder();
    const first = await start({ data, operationMsByAction: { delete_timeline: 60_000 } });
    await makeNotes(first);
    await benchOf(() => first).call("DELETE", `/branches/${id}`);
    await first.close();
    await expectNew(await start({ data }));
  });
});
