import { describe, expect, it } from "vitest";
import { type Opened, openEmulator } from "./support/open-emulator";

// Public facts: the calls about branches, and what clients of the platform send.
const create = async (emulator: Opened, name: string, more: object = {}) =>
  (await emulator.call("POST", "{p}/branches", { json: { branch: { name, ...more } } })).body.branch;

const names = async (emulator: Opened, query = "") =>
  (await emulator.call("GET", `{p}/branches${query}`)).body.branches.map(({ name }) => name);

describe("the list of branches", () => {
  const open = async () => {
    const emulator = await openEmulator({ lock: "none" });
    for (const name of ["beta", "alpha", "Gamma"]) {
      emulator.admin.advance(1000);
      await create(emulator, name);
    }
    return emulator;
  };

  it.each([
    ["", ["Gamma", "alpha", "beta", "main"]],
    ["?sort_order=asc", ["main", "beta", "alpha", "Gamma"]],
    ["?sort_by=name&sort_order=asc", ["Gamma", "alpha", "beta", "main"]],
    ["?sort_by=created_at", ["Gamma", "alpha", "beta", "main"]],
    ["?search=A&sort_by=name&sort_order=asc", ["Gamma", "alpha", "beta", "main"]],
    ["?search=ALP", ["alpha"]],
    ["?search=quiet-harbor-main", ["main"]],
    ["?search=none", []],
    ["?search=&sort_by=&limit=", ["Gamma", "alpha", "beta", "main"]],
  ])("answers ?%s", async (query, expected) => {
    const emulator = await open();
    emulator.admin.advance(5000); // branches that are ready were changed last, in the order of their creation
    expect(await names(emulator, query)).toEqual(expected);
  });

  it("goes by pages, whatever comes and goes in between", async () => {
    const emulator = await open();
    const first = (await emulator.call("GET", "{p}/branches?limit=2&sort_by=name&sort_order=asc")).body;
    expect(first.branches.map(({ name }) => name)).toEqual(["Gamma", "alpha"]);
    await create(emulator, "aardvark");
    emulator.admin.dropBranch(emulator.projectId, first.branches[1]?.id ?? "");
    const query = `?limit=3&sort_by=name&sort_order=asc&cursor=${first.pagination?.next}`;
    const second = (await emulator.call("GET", `{p}/branches${query}`)).body;
    expect(second.branches.map(({ name }) => name)).toEqual(["beta", "main"]);
    expect(second).not.toHaveProperty("pagination");
  });

  it.each(["limit=0", "sort_by=size", "sort_order=up", "cursor=x"])("refuses ?%s with 400", async (query) => {
    const emulator = await openEmulator();
    expect((await emulator.call("GET", `{p}/branches?${query}`)).status).toBe(400);
  });

  it("counts them, too", async () => {
    const emulator = await open();
    expect((await emulator.call("GET", "{p}/branches/count")).body.count).toBe(4);
    expect((await emulator.call("GET", "{p}/branches/count?search=alp")).body.count).toBe(1);
  });
});

describe("a branch", () => {
  it("keeps what clients note beside it", async () => {
    const emulator = await openEmulator();
    const json = { branch: { name: "b" }, annotation_value: { "git-ref": "main" } };
    const { id } = (await emulator.call("POST", "{p}/branches", { json })).body.branch;
    expect((await emulator.call("GET", "{p}/branches")).body.annotations).toMatchObject({
      [id]: { value: { "git-ref": "main" } },
    });
    expect((await emulator.call("GET", `{p}/branches/${id}`)).body.annotation.value).toEqual({ "git-ref": "main" });
    expect((await emulator.call("GET", `{p}/branches/${emulator.branchId}`)).body.annotation.value).toEqual({});
  });

  it("has a name that no other has: on create, on rename and by the admin's hand", async () => {
    const emulator = await openEmulator();
    const { id } = await create(emulator, "b");
    const again = await emulator.call("POST", "{p}/branches", { json: { branch: { name: "b" } } });
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining(id)]);
    const rename = (name: string) => emulator.call("PATCH", `{p}/branches/${id}`, { json: { branch: { name } } });
    expect((await rename("main")).status).toBe(409);
    expect((await rename("b")).status).toBe(200);
    expect((await rename("c")).body.branch).toMatchObject({ id, name: "c" });
    expect(() => emulator.admin.seedBranch(emulator.projectId, { name: "c" })).toThrow(/already exists/);
    await create(emulator, "b");
  });

  it("is deleted with its endpoints: running ones are suspended first, then its data goes", async () => {
    const emulator = await openEmulator();
    const { id } = emulator.admin.seedBranch(emulator.projectId, { name: "b", endpoint: {} });
    const at = { branch_id: id, type: "read_only", current_state: "active" } as const;
    const replica = emulator.admin.seedEndpoint(emulator.projectId, at);
    const { status, body } = await emulator.call("DELETE", `{p}/branches/${id}`);
    expect(status).toBe(200);
    expect(body.branch).toMatchObject({ id, name: "b" });
    expect(body.operations.map(({ action, endpoint_id }) => [action, endpoint_id])).toEqual([
      ["suspend_compute", replica.id],
      ["delete_timeline", undefined],
    ]);
    expect(await names(emulator)).toEqual(["main"]);
    expect((await emulator.call("GET", "{p}/endpoints")).body.endpoints.map((one) => one.id)).toEqual([
      emulator.endpointId,
    ]);
    emulator.admin.advance(2000);
    const { operations } = (await emulator.call("GET", "{p}/operations?limit=2")).body;
    expect(operations.map((one) => one.status)).toEqual(["finished", "finished"]);
  });

  it("is not deleted where it is the primary one, has children or is busy", async () => {
    const emulator = await openEmulator();
    const parent = emulator.admin.seedBranch(emulator.projectId, { endpoint: {} });
    const child = emulator.admin.seedBranch(emulator.projectId, { parentId: parent.id });
    const statusOf = async (id: string) => (await emulator.call("DELETE", `{p}/branches/${id}`)).status;
    expect(await statusOf(emulator.branchId)).toBe(422);
    expect(await statusOf(parent.id)).toBe(422);
    expect(await statusOf(child.id)).toBe(200);
    const [endpoint] = (await emulator.call("GET", `{p}/branches/${parent.id}/endpoints`)).body.endpoints;
    await emulator.call("POST", `{p}/endpoints/${endpoint?.id}/start`);
    expect(await statusOf(parent.id)).toBe(423);
    emulator.admin.advance(1000);
    expect(await statusOf(parent.id)).toBe(200);
  });

  it.each([404, 204] as const)("that is gone answers a deletion with %d", async (goneStatus) => {
    const emulator = await openEmulator({ goneStatus });
    expect((await emulator.call("DELETE", "{p}/branches/br-none")).status).toBe(goneStatus);
  });

  it("takes the fields that clients send, and refuses others where it shall", async () => {
    const fields = { name: "b", parent_timestamp: "2024-05-01T10:00:00Z", init_source: "schema-only", archived: false };
    const json = { branch: fields, annotation_value: {}, endpoints: [{ type: "read_only" }] };
    const strict = await openEmulator();
    expect((await strict.call("POST", "{p}/branches", { json })).status).toBe(201);
    const odd = { branch: { name: "c", colour: "red" }, extra: 1 };
    const refused = await strict.call("POST", "{p}/branches", { json: odd });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain("branch.colour: unknown field");
    const lenient = await openEmulator({ unknownFields: "accept" });
    expect((await lenient.call("POST", "{p}/branches", { json: odd })).body.branch.name).toBe("c");
  });
});
