import { describe, expect, it } from "vitest";
import type { LastPage } from "../../index";
import { operationActions } from "../../model/operation";
import { type Opened, openEmulator, START } from "./support/open-emulator";

// Specification, sections 2.1, 2.2, 3.1, 4.1 and 4.2.
describe("operations", () => {
  it("go from scheduling over running to finished by the clock", async () => {
    const emulator = await openEmulator();
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    const id = body.operations[0]?.id;
    const look = async () => (await emulator.call("GET", `{p}/operations/${id}`)).body.operation;
    expect((await look()).status).toBe("scheduling");
    emulator.admin.advance(249);
    expect((await look()).status).toBe("scheduling");
    emulator.admin.advance(1);
    expect((await look()).status).toBe("running");
    emulator.admin.advance(749);
    expect((await look()).status).toBe("running");
    emulator.admin.advance(1);
    expect(await look()).toMatchObject({
      status: "finished",
      total_duration_ms: 1000,
      updated_at: "2024-05-01T10:00:01Z",
    });
  });

  it("take the time that their action has", async () => {
    const emulator = await openEmulator({ operationMsByAction: { start_compute: 5000 } });
    await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    emulator.admin.advance(4999);
    expect(emulator.admin.endpoint(emulator.endpointId).current_state).toBe("idle");
    emulator.admin.advance(1);
    expect(emulator.admin.endpoint(emulator.endpointId).current_state).toBe("active");
  });

  it("of one change run one after the other", async () => {
    const emulator = await openEmulator();
    emulator.admin.changeEndpoint(emulator.endpointId, { current_state: "active" });
    await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/restart`);
    emulator.admin.advance(1500);
    const { operations } = emulator.admin.project(emulator.projectId);
    expect(operations.slice(0, 2).map(({ action, status }) => `${action} ${status}`)).toEqual([
      "start_compute running",
      "suspend_compute finished",
    ]);
  });

  it.each(operationActions)("can be %s", async (action) => {
    const emulator = await openEmulator();
    emulator.admin.startOperation({ projectId: emulator.projectId, action });
    emulator.admin.advance(1000);
    const { operations } = (await emulator.call("GET", "{p}/operations")).body;
    expect(operations[0]).toMatchObject({ action, status: "finished", branch_id: emulator.branchId });
  });

  it("that the platform starts by itself change nothing, not even a branch that is still being created", async () => {
    const emulator = await openEmulator({ operationMsByAction: { create_branch: 5000 } });
    const { body } = await emulator.call("POST", "{p}/branches", { json: {} });
    const branchId = body.branch.id;
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", branchId });
    emulator.admin.advance(1000);
    const look = async () => (await emulator.call("GET", `{p}/branches/${branchId}`)).body.branch.current_state;
    expect(await look()).toBe("init");
    emulator.admin.advance(4000);
    expect(await look()).toBe("ready");
  });

  it("end a project with delete_tenant", async () => {
    const emulator = await openEmulator();
    emulator.admin.deleteProject(emulator.projectId);
    const { operations } = (await emulator.call("GET", "{p}/operations?limit=1")).body;
    expect(operations[0]).toMatchObject({ action: "delete_tenant", status: "scheduling" });
    expect((await emulator.call("GET", "{p}/endpoints")).body.endpoints).toEqual([]);
    expect((await emulator.call("POST", "{p}/branches")).status).toBe(423);
    emulator.admin.advance(1000);
    expect((await emulator.call("GET", "{p}/operations")).status).toBe(404);
  });

  it("are listed most recent first with unique cursors of microseconds", async () => {
    const emulator = await openEmulator();
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 5 });
    const first = (await emulator.call("GET", "{p}/operations?limit=2")).body;
    expect(first.pagination?.cursor).toBe("2024-05-01T10:00:00.000004Z");
    const path = `{p}/operations?limit=2&cursor=${encodeURIComponent(first.pagination?.cursor ?? "")}`;
    const second = (await emulator.call("GET", path)).body;
    expect(second.pagination?.cursor).toBe("2024-05-01T10:00:00.000002Z");
    expect(second.operations.map(({ id }) => id)).not.toContain(first.operations[1]?.id);
  });

  it.each([
    ["limit=0", /query|limit/],
    ["limit=1001", /limit/],
    ["limit=-1", /limit/],
    ["limit=1.5", /limit/],
    ["limit=ten", /limit/],
    ["limit=1&limit=2", /limit/],
    ["cursor=yesterday", /cursor/],
    ["cursor=2024-13-01T10:00:00Z", /cursor/],
  ])("refuse ?%s with 400", async (query, message) => {
    const emulator = await openEmulator();
    const answer = await emulator.call("GET", `{p}/operations?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(message);
  });

  it.each(["limit=", "cursor=", "limit=&cursor="])("take ?%s for absent", async (query) => {
    const emulator = await openEmulator();
    const whole = await emulator.call("GET", "{p}/operations");
    expect(await emulator.call("GET", `{p}/operations?${query}`)).toMatchObject({ status: 200, text: whole.text });
  });

  it("answer 404 for an id that nobody gave", async () => {
    const emulator = await openEmulator();
    expect((await emulator.call("GET", "{p}/operations/00000000-0000-4000-8000-000000000000")).status).toBe(404);
    expect((await emulator.call("GET", "/projects/no-such-project/operations")).status).toBe(404);
  });
});

describe("the end of the operation list", () => {
  it.each<[LastPage, string[]]>([
    ["short-page", ["2 cursor", "1 cursor", "0"]],
    ["absent-pagination", ["2 cursor", "1"]],
    ["empty-page", ["2 cursor", "1 cursor", "0 cursor", "0 cursor"]],
    ["repeated-cursor", ["2 cursor", "1 cursor", "1 same", "1 same"]],
  ])("%s", async (lastPage, shapes) => {
    const emulator = await openEmulator({ lastPage });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 2 });
    expect(await walk(emulator, 2, shapes.length)).toEqual(shapes);
  });

  it("absent-pagination shows on a full page, too", async () => {
    const emulator = await openEmulator({ lastPage: "absent-pagination" });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 3 });
    expect(await walk(emulator, 2, 5)).toEqual(["2 cursor", "2"]);
  });

  it("stays the end when the clock goes back", async () => {
    const emulator = await openEmulator();
    emulator.admin.setClock("manual", START - 60_000);
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability" });
    expect(await walk(emulator, 1, 3)).toEqual(["1 cursor", "1 cursor", "0"]);
  });
});

/** The pages as text: how many operations, and whether there is a cursor and whether it is the one that was sent. */
async function walk(emulator: Opened, limit: number, pages: number): Promise<string[]> {
  const shapes: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await emulator.call("GET", `{p}/operations?limit=${limit}${query}`);
    const next = body.pagination?.cursor;
    const shape = next === undefined ? "" : next === cursor ? " same" : " cursor";
    shapes.push(`${body.operations.length}${shape}`);
    if (next === undefined) break;
    cursor = next;
  }
  return shapes;
}
