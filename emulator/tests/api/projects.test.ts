import { describe, expect, it } from "vitest";
import { openEmulator } from "./support/open-emulator";

// Public facts: the calls about projects.
describe("projects", () => {
  it("are born with a branch and an endpoint that starts once the branch is there", async () => {
    const emulator = await openEmulator();
    const project = {
      name: "shop",
      region_id: "aws-us-east-2",
      pg_version: 16,
      branch: { name: "trunk", role_name: "sally", database_name: "shop" },
      default_endpoint_settings: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2, pg_settings: { a: "b" } },
      history_retention_seconds: 0,
      settings: { quota: { active_time_seconds: 10 } },
      store_passwords: false,
      org_id: "org-one",
    };
    const { status, body } = await emulator.call("POST", "/projects", { json: { project } });
    expect(status).toBe(201);
    const { branch: _branch, ...shown } = project;
    expect(body.project).toMatchObject(shown);
    expect(body.branch).toMatchObject({ name: "trunk", primary: true, current_state: "init" });
    expect(body.operations.map(({ action }) => action)).toEqual(["create_timeline", "start_compute"]);
    const at = { branch_id: body.branch.id, current_state: "init", pending_state: "active" };
    const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2, settings: { pg_settings: { a: "b" } } };
    expect(body.endpoints).toMatchObject([{ ...at, ...size }]);
    emulator.admin.advance(2000);
    const { endpoints } = (await emulator.call("GET", `/projects/${body.project.id}/endpoints`)).body;
    expect(endpoints[0]).toMatchObject({ current_state: "active" });
  });

  it("are listed by pages, searched, and chosen by organisation", async () => {
    const emulator = await openEmulator();
    for (const name of ["a", "b", "c"]) emulator.admin.seedProject({ id: `p-${name}`, name: `shop ${name}` });
    const ids = async (query: string) =>
      (await emulator.call("GET", `/projects${query}`)).body.projects.map(({ id }) => id);
    expect(await ids("?limit=2")).toEqual(["p-a", "p-b"]);
    expect(await ids("?limit=2&cursor=p-b")).toEqual(["p-c", emulator.projectId]);
    expect(await ids(`?cursor=${emulator.projectId}`)).toEqual([]);
    expect(await ids("?search=SHOP%20b")).toEqual(["p-b"]);
    expect(await ids("?org_id=org-none")).toEqual([]);
  });

  it("change their name without an operation, their history with one", async () => {
    const emulator = await openEmulator();
    const patch = async (project: object) => (await emulator.call("PATCH", "{p}", { json: { project } })).body;
    expect(await patch({ name: "other" })).toMatchObject({ project: { name: "other" }, operations: [] });
    const body = await patch({ history_retention_seconds: 3600 });
    expect(body.operations.map(({ action }) => action)).toEqual(["apply_storage_config"]);
    expect((await emulator.call("GET", "{p}")).body.project).toMatchObject({
      name: "other",
      history_retention_seconds: 3600,
    });
  });

  it("are deleted with all that is in them, and gone when that has ended", async () => {
    const emulator = await openEmulator();
    const { status, body } = await emulator.call("DELETE", "{p}");
    expect([status, body.project.id]).toEqual([200, emulator.projectId]);
    expect((await emulator.call("GET", "{p}/branches")).body.branches).toEqual([]);
    expect((await emulator.call("DELETE", "{p}")).status).toBe(423);
    emulator.admin.advance(1000);
    expect((await emulator.call("GET", "{p}")).status).toBe(404);
    expect((await emulator.call("GET", "/projects")).body.projects).toEqual([]);
    emulator.reset();
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });

  it.each([
    [{}, /^project: required/],
    [{ project: { name: "" } }, /project.name/],
    [{ project: { pg_version: 9 } }, /pg_version/],
    [{ project: { region_id: "moon" } }, /region_id/],
    [{ project: { autoscaling_limit_max_cu: 9 } }, /no compute size/],
    [{ project: { colour: "red" } }, /unknown field/],
    [{ project: { branch: { role_name: "pg_monitor" } } }, /branch.role_name: cannot be the name of a role/],
    [{ project: { branch: { role_name: "pgcompute_admin" } } }, /branch.role_name: cannot/],
    [{ project: { branch: { database_name: "shop;\n\nDROP" } } }, /branch.database_name: cannot/],
    [{ project: { branch: { database_name: "x".repeat(64) } } }, /branch.database_name: cannot/],
    [{ project: { default_endpoint_settings: { autoscaling_limit_max_cu: 9 } } }, /no compute size/],
    [{ project: { settings: { quota: { logical_size_bytes: -1 } } } }, /settings.quota.logical_size_bytes/],
    [{ project: { settings: { preload_libraries: { enabled_libraries: [{}] } } } }, /enabled_libraries/],
  ])("are not created from %j", async (json, message) => {
    const emulator = await openEmulator();
    const answer = await emulator.call("POST", "/projects", { json });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(message);
    expect(emulator.admin.state().projects).toHaveLength(1);
  });
});
