import { expect, it } from "vitest";
import { freeBranch, openEmulator, restingEndpoint } from "./support/open-emulator";

// What the published description says of snapshots and of a restore in place (specification, section 4, published).
it("restores a snapshot as a branch of its own, which then takes the place of the one it is of", async () => {
  const emulator = await openEmulator();
  const old = freeBranch(emulator);
  const { id } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: old });
  const { name } = (await emulator.call("GET", `{p}/branches/${old}`)).body.branch;
  const made = await emulator.call("POST", `{p}/branches/${old}/snapshot?name=before`);
  expect(made).toMatchObject({ status: 200, body: { snapshot: { name: "before", source_branch_id: old } } });
  emulator.admin.advance(1000);
  const listed = (await emulator.call("GET", "{p}/snapshots")).body.snapshots;
  expect(listed).toEqual([made.body.snapshot]);
  const branches = async () => (await emulator.call("GET", "{p}/branches")).body.branches;
  expect((await branches()).map((one) => one.id)).not.toContain(made.body.snapshot.id);
  expect((await emulator.call("GET", `{p}/branches/${made.body.snapshot.id}`)).status).toBe(404);

  const restored = await emulator.call("POST", `{p}/snapshots/${made.body.snapshot.id}/restore`, { json: {} });
  const { branch } = restored.body;
  expect(branch).toMatchObject({ restored_from: made.body.snapshot.id, restored_as: old, restore_status: "restored" });
  emulator.admin.advance(1000);
  expect(emulator.admin.endpoint(id).branch_id).toBe(old);

  const path = `{p}/branches/${branch.id}/finalize_restore`;
  expect((await emulator.call("POST", path, { json: {} })).body.operations).toHaveLength(1);
  expect(emulator.admin.endpoint(id).branch_id).toBe(branch.id);
  emulator.admin.advance(1000);
  const all = await branches();
  expect(all.find((one) => one.id === branch.id)).toMatchObject({
    name,
    restored_as: old,
    restore_status: "finalized",
  });
  expect(all.find((one) => one.id === old)?.name).toBe(`${name}_old_${branch.id}`);
  expect((await emulator.call("POST", path, { json: {} })).status).toBe(422);
});

it("restarts the computes that it moves, and makes the primary branch of what takes its place", async () => {
  const emulator = await openEmulator();
  const id = restingEndpoint(emulator, "active");
  emulator.admin.connect({ endpointId: id, connections: 2 });
  const { branch_id: old } = emulator.admin.endpoint(id);
  const { snapshot } = (await emulator.call("POST", `{p}/branches/${old}/snapshot`)).body;
  emulator.admin.advance(1000);
  const json = { finalize_restore: true, name: "ignored-by-then" };
  const { branch, operations } = (await emulator.call("POST", `{p}/snapshots/${snapshot.id}/restore`, { json })).body;
  expect(operations.map(({ action }) => action)).toEqual(["create_branch", "suspend_compute", "start_compute"]);
  emulator.admin.advance(5000);
  expect(emulator.admin.endpoint(id)).toMatchObject({ branch_id: branch.id, current_state: "active", connections: 0 });
});
