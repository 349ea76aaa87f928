import { describe, expect, it } from "vitest";
import { freeBranch, type Opened, openEmulator, restingEndpoint } from "./support/open-emulator";

const CHANGES: [string, (emulator: Opened, id: string) => Promise<{ status: number }>][] = [
  ["update", (emulator, id) => emulator.call("PATCH", `{p}/endpoints/${id}`, { json: { endpoint: { name: "n" } } })],
  ["delete", (emulator, id) => emulator.call("DELETE", `{p}/endpoints/${id}`)],
  ["suspend", (emulator, id) => emulator.call("POST", `{p}/endpoints/${id}/suspend`)],
  ["start", (emulator, id) => emulator.call("POST", `{p}/endpoints/${id}/start`)],
  ["restart", (emulator, id) => emulator.call("POST", `{p}/endpoints/${id}/restart`)],
];

async function busyEndpoint(emulator: Opened): Promise<string> {
  const id = restingEndpoint(emulator);
  await emulator.call("POST", `{p}/endpoints/${id}/start`);
  return id;
}

// Specification, section 7.
describe("the lock of an endpoint", () => {
  it.each(CHANGES)("refuses its %s with 423 while an operation of it runs, and no longer", async (_name, change) => {
    const emulator = await openEmulator();
    const id = await busyEndpoint(emulator);
    expect((await change(emulator, id)).status).toBe(423);
    expect((await change(emulator, restingEndpoint(emulator))).status).toBe(200);
    emulator.admin.advance(999);
    expect((await change(emulator, id)).status).toBe(423);
    emulator.admin.advance(1);
    expect((await change(emulator, id)).status).toBe(200);
  });

  it("names the operation that is in the way", async () => {
    const emulator = await openEmulator();
    const id = await busyEndpoint(emulator);
    const { body } = await emulator.call("DELETE", `{p}/endpoints/${id}`);
    expect(body.message).toContain(emulator.admin.project(emulator.projectId).operations[0]?.id);
  });

  it("can answer 422 instead", async () => {
    const emulator = await openEmulator({ lockStatus: 422 });
    const id = await busyEndpoint(emulator);
    expect((await emulator.call("DELETE", `{p}/endpoints/${id}`)).status).toBe(422);
  });

  it("refuses endpoints, children and moves onto a branch that is being created", async () => {
    const emulator = await openEmulator();
    const { branch } = (await emulator.call("POST", "{p}/branches")).body;
    const create = () =>
      emulator.call("POST", "{p}/endpoints", { json: { endpoint: { branch_id: branch.id, type: "read_only" } } });
    const child = () => emulator.call("POST", "{p}/branches", { json: { branch: { parent_id: branch.id } } });
    const id = restingEndpoint(emulator);
    const move = () => emulator.call("PATCH", `{p}/endpoints/${id}`, { json: { endpoint: { branch_id: branch.id } } });
    for (const change of [create, child, move]) expect((await change()).status).toBe(423);
    emulator.admin.advance(1000);
    expect((await move()).status).toBe(200);
    expect((await create()).status).toBe(201);
    expect((await child()).status).toBe(201);
  });

  it("leaves other replicas of the branch alone", async () => {
    const emulator = await openEmulator();
    const branchId = freeBranch(emulator);
    for (let replica = 0; replica < 5; replica++) {
      const json = { endpoint: { branch_id: branchId, type: "read_only" } };
      expect((await emulator.call("POST", "{p}/endpoints", { json })).status).toBe(201);
    }
  });

  it("lasts as long as a suspend of its own accord", async () => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, "active");
    emulator.admin.advance(300_000);
    expect((await emulator.call("DELETE", `{p}/endpoints/${id}`)).status).toBe(423);
  });
});

describe("the lock of a project", () => {
  it.each(CHANGES)("refuses the %s of any endpoint while any operation runs", async (_name, change) => {
    const emulator = await openEmulator({ lock: "project" });
    await busyEndpoint(emulator);
    const other = restingEndpoint(emulator);
    expect((await change(emulator, other)).status).toBe(423);
    emulator.admin.advance(1000);
    expect((await change(emulator, other)).status).toBe(200);
  });

  it("refuses creates, too, and leaves other projects and every GET alone", async () => {
    const emulator = await openEmulator({ lock: "project" });
    await busyEndpoint(emulator);
    const other = emulator.admin.seedProject();
    expect((await emulator.call("POST", "{p}/branches")).status).toBe(423);
    expect((await emulator.call("POST", `/projects/${other.project.id}/branches`)).status).toBe(201);
    expect((await emulator.call("GET", "{p}/endpoints")).status).toBe(200);
  });
});

describe("no lock", () => {
  it("queues the operations of an endpoint", async () => {
    const emulator = await openEmulator({ lock: "none" });
    const id = await busyEndpoint(emulator);
    const patched = await emulator.call("PATCH", `{p}/endpoints/${id}`, { json: { endpoint: { disabled: true } } });
    expect(patched.status).toBe(200);
    emulator.admin.advance(1000);
    const statuses = () =>
      emulator.admin.project(emulator.projectId).operations.map(({ action, status }) => `${action} ${status}`);
    expect(statuses().slice(0, 2)).toEqual(["apply_config scheduling", "start_compute finished"]);
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(id).current_state).toBe("stopped");
  });
});
