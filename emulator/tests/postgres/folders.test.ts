import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createEmulator } from "pgcompute-emulator";
import { describe, expect, it, vi } from "vitest";
import { takeFolder } from "../../postgres/data-folder";
import { commandOf } from "../../postgres/processes";
import { run } from "../support/command";
import { benchOf, connect, giveAway, newFolder, runFolderOf, serverOf, start, values } from "./support/open-postgres";
import { serversIn, watchdogsOf } from "./support/servers-in";

vi.mock(import("node:fs/promises"), async (original) => {
  const all = await original();
  return { ...all, rm: vi.fn(all.rm) };
});

/** What a killed emulator leaves of its lock. */
function leaveLock(data: string, pid: number, command: string): void {
  mkdirSync(join(data, "emulator.lock"));
  writeFileSync(join(data, "emulator.lock", `${pid}-killed`), command);
}

describe("the folder of an emulator's servers", () => {
  it("goes with it, and so do the servers", async () => {
    const emulator = await start();
    const server = await serverOf(await connect(emulator, emulator.endpointId));
    const folder = runFolderOf(server);
    expect(commandOf(server)).toContain(`-D ${folder}/`);
    await emulator.close();
    expect(commandOf(server)).toBe("");
    expect(existsSync(folder)).toBe(false);
  });

  it("keeps nothing of a start that failed, and is not held by a lock that a power loss has emptied", async () => {
    const data = newFolder();
    leaveLock(data, 1, "");
    giveAway(data);
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    await expect(createEmulator({ postgres: true, data, port })).rejects.toThrow("EADDRINUSE");
    busy.close();
    expect(existsSync(join(data, "platform.json"))).toBe(false);
  });

  it("keeps everything where one is given: rows, projects, ids and the operations of before", async () => {
    const data = newFolder();
    const first = await start({ data, apiKey: "KEY" });
    const bench = benchOf(() => first);
    const client = await connect(first, first.endpointId);
    await client.query("CREATE TABLE notes AS SELECT 'kept' AS note");
    const created = await bench.branch(first.branchId, "read_write");
    const state = first.admin.project(first.projectId);
    await first.close();
    expect(serversIn(data)).toEqual([]);

    const second = await start({ data, apiKey: "KEY" });
    const again = second.admin.project(second.projectId);
    expect(again.operations).toEqual(state.operations);
    expect(again.branches).toEqual(state.branches);
    expect(again.endpoints.map(({ id, current_state }) => [id, current_state])).toEqual(
      state.endpoints.map(({ id }) => [id, "idle"]),
    );
    const [id = ""] = created.endpointIds;
    expect(await values(await connect(second, id), "SELECT note FROM notes")).toEqual(["kept"]);
    expect(second.admin.seedBranch(second.projectId).id).not.toBe(created.id);
  });

  it("is watched no longer than it is the emulator's: whose servers run there next is not known to this one", async () => {
    const data = newFolder();
    const emulator = await start({ data });
    await connect(emulator, emulator.endpointId);
    const [server = 0] = serversIn(data);
    const [watchdog = 0, ...others] = watchdogsOf(server);
    expect(commandOf(watchdog)).toContain("/bin/sh");
    expect(others).toEqual([]);
    await emulator.close();
    expect(commandOf(watchdog)).toBe("");
  });

  it("belongs to who was faster to take it over from a killed one", async () => {
    const data = newFolder();
    leaveLock(data, 2 ** 30, "gone");
    const removeNow = vi.mocked(rm).getMockImplementation();
    let faster = 0;
    // At the moment in which this one removes what the killed one left.
    vi.mocked(rm).mockImplementationOnce(async (...args) => {
      const { child, shows } = run(["--data", data, "--port", "0"]);
      await shows(/console/);
      faster = child.pid ?? 0;
      await removeNow?.(...args);
    });
    const slower = await takeFolder(data).catch((error: Error) => error.message);
    expect(slower).toBe(`data: the emulator that runs as process ${faster} has ${data}`);
  });

  it("remembers of a branch that its copy did not end, instead of giving it no rows", async () => {
    const data = newFolder();
    const first = await start({ data, operationMsByAction: { create_branch: 60_000 } });
    await connect(first, first.endpointId);
    const endpoints = [{ type: "read_write" }];
    const { endpoints: made } = await benchOf(() => first).call("POST", "/branches", { branch: {}, endpoints });
    await first.close();
    // Twice, since the first one of these writes the state anew.
    for (let again = 0; again < 2; again++) {
      const next = await start({ data });
      await expect(connect(next, made[0]?.id ?? "")).rejects.toThrow(
        /has no data, since its parent's could not be copied/,
      );
      await connect(next, next.endpointId);
      await next.close();
    }
  });
});
