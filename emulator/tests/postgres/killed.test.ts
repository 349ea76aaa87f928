import { describe, expect, it } from "vitest";
import { commandOf } from "../../postgres/processes";
import { run } from "../support/command";
import { connect, newClient, newFolder, start, until, values } from "./support/open-postgres";
import { serversIn, watchdogsOf } from "./support/servers-in";

describe("a killed emulator", () => {
  it("leaves no server, and the next one on its folder goes on with what was written and what was answered", async () => {
    const data = newFolder();
    const { child, shows, ended } = run(["--postgres", "--data", data, "--port", "0", "--api-key", "KEY"]);
    const shown = await shows(/postgres .*\n/);
    const url = /^postgres +(\S+)$/m.exec(shown)?.[1] ?? "";
    const client = newClient({ connectionString: url });
    await client.connect();
    await client.query("CREATE TABLE notes AS SELECT 'kept' AS note");
    const [, projects = ""] = /(http:\S+\/api\/v2)/.exec(shown) ?? [];
    const answer = await fetch(`${projects}/projects/quiet-harbor-12345678/branches`, {
      method: "POST",
      headers: { authorization: "Bearer KEY" },
    });
    const { branch } = (await answer.json()) as { branch: { id: string } };
    child.kill("SIGKILL");
    await ended;
    await until(() => serversIn(data).length === 0);
    const next = await start({ data });
    expect(await values(await connect(next, next.endpointId), "SELECT note FROM notes")).toEqual(["kept"]);
    expect(next.admin.project(next.projectId).branches).toMatchObject([{}, { id: branch.id, current_state: "ready" }]);
    expect(next.admin.seedBranch(next.projectId).id).not.toBe(branch.id);
  });

  it("whose servers live on has them ended by the next one on its folder, which leaves others alone", async () => {
    const data = newFolder();
    const other = await start();
    const bystander = await connect(other, other.endpointId);
    const { child, shows, ended } = run(["--postgres", "--data", data, "--port", "0"]);
    const url = /^postgres +(\S+)$/m.exec(await shows(/postgres .*\n/))?.[1] ?? "";
    await newClient({ connectionString: url }).connect();
    const [server = 0] = serversIn(data);
    // What ends them else is stopped before it can.
    const [watchdog = 0] = watchdogsOf(server);
    process.kill(watchdog, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
    expect(commandOf(server)).toContain(data);
    await start({ data });
    expect(commandOf(server)).toBe("");
    expect(await values(bystander, "SELECT 1")).toEqual([1]);
  });
});

describe("a server that is killed", () => {
  it("is noticed at once, by an operation that failed, and the next connection starts it anew", async () => {
    const data = newFolder();
    const emulator = await start({ data });
    const { admin, projectId, endpointId } = emulator;
    const client = await connect(emulator, endpointId);
    await client.query("CREATE TABLE notes AS SELECT 'kept' AS note");
    const [server = 0] = serversIn(data);
    process.kill(server, "SIGKILL");
    await client.dropped;
    const [operation] = await until(() => {
      const { operations } = admin.project(projectId);
      return operations[0]?.action === "check_availability" && operations;
    });
    const error = "the Postgres server ended by itself (SIGKILL)";
    expect(operation).toMatchObject({ status: "failed", endpoint_id: endpointId, error });
    expect(admin.endpoint(endpointId)).toMatchObject({ current_state: "idle" });
    expect(await values(await connect(emulator, endpointId), "SELECT note FROM notes")).toEqual(["kept"]);
  });
});
