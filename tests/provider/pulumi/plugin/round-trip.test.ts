import { beforeAll, describe, expect, it } from "vitest";
import { output, secret, unknown } from "../../../support/messages";
import { type Checked, type Created, useService } from "./support/open-service";

const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const MEGABYTE = 1024 * 1024;
const service = useService({ bodyLimitBytes: 16 * MEGABYTE });

beforeAll(() => service.configure());

describe("secrets and unknowns", () => {
  it("pass through Check at any depth, beside the defaults that it fills in", async () => {
    const { projectId, branchId } = service.place();
    const pgSettings = { work_mem: secret("64MB"), search_path: unknown, log_statement: output({ secret: true }) };
    const news = { projectId: secret(projectId), branchId, sizeCu: unknown, pgSettings };
    const { inputs, failures } = await service.call("check", { urn, news });
    expect(failures).toEqual([]);
    expect(inputs).toEqual({
      ...news,
      type: "read_write",
      pgSettings: { ...pgSettings, log_statement: secret(unknown) },
    });
  });

  it("pass through the preview of a create, with what follows from them", async () => {
    const properties = { ...service.place(), sizeCu: secret(2), pgSettings: { work_mem: secret("64MB") } };
    const created = await service.call("create", { urn, properties, preview: true });
    expect(created.id).toBe("");
    expect(created.properties).toMatchObject({
      ...properties,
      maxConnections: secret(901),
      autoscalingLimitMinCu: secret(2),
      host: unknown,
      endpointId: unknown,
    });
    const unsure = await service.call("create", {
      urn,
      properties: { ...service.place(), autoscalingLimitMinCu: unknown, autoscalingLimitMaxCu: 2 },
      preview: true,
    });
    expect(unsure.properties).toMatchObject({ maxConnections: unknown, autoscalingLimitMaxCu: 2 });
  });

  it("pass through the life of an endpoint", async () => {
    const inputs = { ...service.place(), sizeCu: secret(1), pgSettings: { work_mem: secret("64MB") } };
    const { id, properties } = await service.call<Created>("create", { urn, properties: inputs });
    expect(properties).toMatchObject({ sizeCu: secret(1), pgSettings: inputs.pgSettings, maxConnections: secret(450) });

    const news = { ...inputs, sizeCu: 4, pgSettings: { work_mem: unknown } };
    const planned = await service.call("update", { urn, id, olds: properties, news, oldInputs: inputs, preview: true });
    // A place that was secret stays one, whatever the program says now.
    const stays = { pgSettings: { work_mem: secret(unknown) }, maxConnections: secret(1802), sizeCu: secret(4) };
    expect(planned.properties).toMatchObject(stays);

    const read = await service.call("read", { urn, id, properties, inputs });
    expect(read).toMatchObject({ id, inputs: { sizeCu: secret(1) }, properties: { maxConnections: secret(450) } });

    const known = { ...news, pgSettings: { work_mem: secret("1GB") } };
    const updated = await service.call("update", { urn, id, olds: properties, news: known, oldInputs: inputs });
    expect(updated.properties).toMatchObject({ pgSettings: known.pgSettings, maxConnections: secret(1802) });
    // Another run, which has not checked it.
    await service.configure();
    await service.call("delete", { urn, id, properties: updated.properties });
    expect(await service.call("read", { urn, id, properties: updated.properties })).toMatchObject({ id: "" });
  });

  it("make the whole result of a function secret, or unknown", async () => {
    const { projectId } = service.emulator;
    const tok = "pgcompute:index:getEndpoints";
    const found = await service.call("invoke", { tok, args: { projectId: secret(projectId) } });
    expect(found.return).toEqual({ endpoints: secret(expect.arrayContaining([expect.anything()])) });
    const later = await service.call("invoke", { tok, args: { projectId: unknown } });
    expect(later).toMatchObject({ failures: [], return: { endpoints: unknown } });
  });

  it("stand sealed in the bookkeeping too, where the platform spells a setting in another way", async () => {
    const inputs = { ...service.place(), pgSettings: { work_mem: "8MB", "app.token": secret("hush-hush") } };
    const { id, properties } = await service.call<Created>("create", { urn, properties: inputs });
    const spelled = { work_mem: "8192kB", "app.token": "hush-hush" };
    const book = properties.__pgcompute as Record<string, unknown>;
    const stored = { ...properties, __pgcompute: { ...book, spelled } };
    const read = await service.call<Created>("read", { urn, id, properties: stored, inputs });
    expect(read.properties.__pgcompute).toMatchObject({ spelled: { ...spelled, "app.token": secret("hush-hush") } });
    await service.call("delete", { urn, id, properties });
  });

  it("stand in no message", async () => {
    const news = { ...service.place(), type: secret("write_only"), restartTrigger: secret(["hush-hush"]) };
    const { failures } = await service.call("check", { urn, news });
    expect(failures).toEqual([
      // The engine prints the value of a property that is blamed, secret or not.
      { property: "", reason: expect.stringMatching(/^type: the value is not accepted/) },
      { property: "", reason: expect.stringMatching(/^restartTrigger: the value is not accepted/) },
    ]);
  });

  it("stand in no message of a program that keeps them secret no longer", async () => {
    const place = service.place();
    const olds = { ...place, branchId: secret(place.branchId) };
    const { failures } = await service.call("check", { urn, olds, news: { ...place, branchId: "br-gone" } });
    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^branchId: branch br-gone does not exist/) },
    ]);
  });
});

it("a secret size is in nothing that a comparison says, whatever the program says of it now", async () => {
  const inputs = { ...service.place(), sizeCu: secret(1) };
  const { sizeCu: _, ...unsaid } = inputs;
  const { id, properties } = await service.created(urn, inputs);
  service.lines.length = 0;
  // What was a secret stays one, even where the program now says nothing or something in the clear.
  const changed = [{ ...inputs, sizeCu: secret(2) }, { ...inputs, sizeCu: 2 }, unsaid];
  for (const news of [...changed, { ...inputs, sizeCu: secret(2), type: "read_only" }]) {
    await service.call("check", { urn, olds: inputs, news });
    await service.call("diff", { urn, id, olds: properties, oldInputs: inputs, news });
  }
  await service.heard();
  const said = service.lines.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message);
  const hidden = "values that the program keeps secret are not shown";
  expect(said.join("\n")).toMatch(
    new RegExp(`restarts the endpoint.*${hidden}.*replaces the endpoint.*${hidden}`, "s"),
  );
  expect(said.join("\n")).not.toMatch(/\b[0-9.]+ (CU|GB)\b|max_connections \d|->/);
});

it("the preview of an update shows what is put back because the program stops setting it", async () => {
  const inputs = { ...service.place(), suspendTimeoutSeconds: 600, poolerEnabled: true, sizeCu: 2 };
  const { id, properties } = await service.call<Created>("create", { urn, properties: inputs });
  const { suspendTimeoutSeconds: _, poolerEnabled: __, sizeCu: ___, ...news } = inputs;
  const request = { urn, id, olds: properties, news, oldInputs: inputs };
  const planned = await service.call<Created>("update", { ...request, preview: true });
  const made = await service.call<Created>("update", request);
  const shown = { suspendTimeoutSeconds: 0, poolerEnabled: false, sizeCu: 2, maxConnections: 901 };
  expect(planned.properties).toMatchObject(shown);
  expect(made.properties).toMatchObject(shown);
  await service.call("delete", { urn, id, properties: made.properties });
});

it("huge values make no huge message", { timeout: 60_000 }, async () => {
  const huge = "x".repeat(5 * MEGABYTE);
  const news = { ...service.place(), type: huge, branchId: huge };
  const { failures } = await service.call<Checked>("check", { urn, news });
  for (const { reason } of failures) expect(reason.length).toBeLessThan(5_000);
  const { details } = await service.failureOf("read", { urn, id: huge });
  expect(details.length).toBeLessThan(5_000);
  const call = await service.failureOf("invoke", { tok: huge });
  expect(call.details.length).toBeLessThan(5_000);
});
