import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { secret } from "../../../support/messages";
import { type Created, partialOf, useService } from "./support/open-service";

const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const service = useService();

beforeAll(() => service.configure());
afterEach(() => service.emulator.admin.clearFaults());

describe("a change that got as far as an endpoint", () => {
  it("fails with its id, its state with secrets marked, and the operation that failed", async () => {
    const inputs = { ...service.place(), pgSettings: { work_mem: secret("64MB") } };
    service.emulator.admin.addFault({
      on: "operation",
      action: "start_compute",
      branchId: inputs.branchId,
      effect: { kind: "fail", error: "no room for work_mem 64MB" },
    });
    const error = await service.failureOf("create", { urn, properties: inputs });
    expect(error.details).toMatch(
      /^endpoint \S+: operation \S+ \(start_compute\) ended as "failed" after 1 failure: no room for/,
    );
    expect(error.details).not.toMatch(/64MB|\n\s+at /);
    const endpoint = service.emulator.admin.project(inputs.projectId).endpoints.at(-1);
    expect(partialOf(error)).toMatchObject({
      id: `${inputs.projectId}/${endpoint?.id}`,
      reasons: [error.details],
      properties: {
        host: endpoint?.host,
        pgSettings: { work_mem: secret("64MB") },
        __pgcompute: { operations: [{ action: "start_compute", status: "failed" }] },
      },
    });
  });

  it("says without its figures that a secret size was not applied", async () => {
    const { admin } = service.emulator;
    const inputs = { ...service.place(), sizeCu: secret(1) };
    const { id, properties } = await service.call<Created>("create", { urn, properties: inputs });
    admin.configure({ ignoredFields: ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"] });
    const news = { ...inputs, sizeCu: secret(4) };
    const error = await service.failureOf("update", { urn, id, olds: properties, news, oldInputs: inputs });
    admin.configure({ ignoredFields: [] });
    expect(error.details).toContain("sizeCu, whose value the program keeps secret");
    expect(partialOf(error)).toMatchObject({ reasons: [error.details] });
  });

  it("ends at once when the run is cancelled, and goes on in the next run", async () => {
    const inputs = service.place();
    const { admin } = service.emulator;
    admin.addFault({ on: "operation", branchId: inputs.branchId, effect: { kind: "hang" } });
    service.lines.length = 0;
    const creating = service.failureOf("create", { urn, properties: inputs });
    await expect.poll(() => service.lines.filter(({ ephemeral }) => ephemeral).length).toBeGreaterThan(0);
    expect(service.lines[0]).toMatchObject({
      urn,
      message: expect.stringMatching(/^start_compute( \w+)?, \d+ s$/),
    });
    await service.call("cancel");
    const partial = partialOf(await creating);
    expect(partial).toMatchObject({ properties: { __pgcompute: { operations: [{ action: "start_compute" }] } } });

    await service.configure();
    const request = { urn, id: partial?.id, olds: partial?.properties, news: inputs, oldInputs: inputs };
    expect(await service.call("diff", request)).toMatchObject({ changes: 2, replaces: [] });
    service.lines.length = 0;
    const resuming = service.failureOf("update", request);
    await expect.poll(() => service.lines.filter(({ ephemeral }) => ephemeral).length).toBeGreaterThan(0);
    await service.call("cancel");
    expect(partialOf(await resuming)).toMatchObject({ id: partial?.id });
    expect(
      admin.project(inputs.projectId).endpoints.filter(({ branch_id }) => branch_id === inputs.branchId),
    ).toHaveLength(1);
    await service.configure();
  });

  it("neither loses its endpoint nor begins anything where it is repeated after a cancel", async () => {
    const inputs = { ...service.place(), type: "read_only" };
    const { admin } = service.emulator;
    admin.addFault({ on: "operation", branchId: inputs.branchId, effect: { kind: "fail" } });
    const first = partialOf(await service.failureOf("create", { urn, properties: inputs }));
    admin.clearFaults();
    await service.call("cancel");
    // The hook `onError` has paused meanwhile, and says: again.
    const second = await service.failureOf("create", { urn, properties: inputs });
    expect(second.details).toContain("interrupted");
    expect(partialOf(second)).toMatchObject({ id: first?.id, properties: first?.properties });
    const other = await service.failureOf("create", { urn: `${urn}-2`, properties: inputs });
    expect(partialOf(other)).toBeUndefined();
    const made = admin.project(inputs.projectId).endpoints.filter(({ branch_id }) => branch_id === inputs.branchId);
    expect(made).toHaveLength(1);

    await service.configure();
    const request = { urn, id: first?.id, olds: first?.properties, news: inputs, oldInputs: inputs };
    expect(await service.call("update", request)).toHaveProperty("properties");
  });
});

it("honours the time that the user gives a change", async () => {
  const inputs = service.place();
  service.emulator.admin.addFault({ on: "operation", branchId: inputs.branchId, effect: { kind: "hang" } });
  const error = await service.failureOf("create", { urn, properties: inputs, timeout: 2 });
  expect(error.details).toMatch(/was still "\w+" after 2 s\b.*customTimeouts/);
  expect(partialOf(error)).toMatchObject({ id: expect.stringContaining("/ep-") });
});

it("Cancel ends a function that waits for the platform", async () => {
  const { admin, projectId } = service.emulator;
  await service.configure();
  admin.addFault({ route: "endpoints.list", effect: { kind: "stall-headers" } });
  const before = admin.counts().byRoute["endpoints.list"] ?? 0;
  const failure = service.failureOf("invoke", { tok: "pgcompute:index:getEndpoints", args: { projectId } });
  while (admin.counts().byRoute["endpoints.list"] === before) await new Promise((resolve) => setImmediate(resolve));
  await service.call("cancel");
  expect((await failure).details).toMatch(/interrupted/);
});
