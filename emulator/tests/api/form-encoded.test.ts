import { describe, expect, it } from "vitest";
import { freeBranch, openEmulator } from "./support/open-emulator";

// Specification, section 5, item 4.
describe("form-encoded bodies", () => {
  it("create an endpoint with every kind of field", async () => {
    const emulator = await openEmulator();
    const form = new URLSearchParams({
      "endpoint[branch_id]": freeBranch(emulator),
      "endpoint[type]": "read_write",
      "endpoint[autoscaling_limit_min_cu]": "0.5",
      "endpoint[autoscaling_limit_max_cu]": "2",
      "endpoint[suspend_timeout_seconds]": "-1",
      "endpoint[pooler_enabled]": "true",
      "endpoint[passwordless_access]": "false",
      "endpoint[settings][pg_settings][work_mem]": "8MB",
      "endpoint[settings][pg_settings][max_locks_per_transaction]": "64",
      "endpoint[name]": "a form & more",
      "endpoint[region_id]": "",
    });
    const answer = await emulator.call("POST", "{p}/endpoints", {
      form: form.toString(),
      headers: { authorization: `Bearer ${emulator.apiKey}` },
    });
    expect(answer.status).toBe(201);
    expect(answer.body.endpoint).toMatchObject({
      autoscaling_limit_min_cu: 0.5,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: -1,
      pooler_enabled: true,
      passwordless_access: false,
      settings: { pg_settings: { work_mem: "8MB", max_locks_per_transaction: "64" } },
      name: "a form & more",
    });
  });

  it("update an endpoint, and empty its map of settings", async () => {
    const emulator = await openEmulator();
    const path = `{p}/endpoints/${emulator.endpointId}`;
    const answer = await emulator.call("PATCH", path, {
      form: "endpoint[disabled]=true&endpoint[settings][pg_settings]=",
    });
    expect(answer.status).toBe(200);
    expect(answer.body.endpoint).toMatchObject({ disabled: true, settings: { pg_settings: {} } });
  });

  it("create a branch with endpoints", async () => {
    const emulator = await openEmulator();
    const form = "branch[name]=dev&endpoints[0][type]=read_write&endpoints[1][type]=read_only";
    const answer = await emulator.call("POST", "{p}/branches", { form });
    expect(answer.status).toBe(201);
    expect(answer.body.branch.name).toBe("dev");
    expect(answer.body.endpoints.map(({ type }) => type)).toEqual(["read_write", "read_only"]);
  });

  it.each([
    ["endpoint[autoscaling_limit_min_cu]=two", "endpoint.autoscaling_limit_min_cu"],
    ["endpoint[autoscaling_limit_min_cu]=", "endpoint.autoscaling_limit_min_cu"],
    ["endpoint[disabled]=yes", "endpoint.disabled"],
    ["endpoint[suspend_timeout_seconds]=1.5", "endpoint.suspend_timeout_seconds"],
    ["endpoint[typo]=1", "endpoint.typo"],
    ["endpoint=1", "endpoint"],
    ["endpoint[__proto__][x]=1", "endpoint"],
  ])("are refused for %s, naming the field", async (form, field) => {
    const emulator = await openEmulator();
    const answer = await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, { form });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(field);
  });
});
