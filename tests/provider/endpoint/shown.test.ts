import { describe, expect, it } from "vitest";
import { create, diff, read, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { urnOf } from "../../support/bench";
import { useEndpoint, useOne } from "./support";

describe("success means that the platform shows what was sent", () => {
  it("counts as sent what no answer has, and says once that nobody can tell what came of it", async () => {
    const { run, bench, change, context, inputs, emulator } = await useEndpoint();
    emulator.admin.configure({ removedFields: "ignored" });
    const news = { poolerEnabled: true, poolerMode: "session" } as const;
    const stored = await run(change(news));
    const warning = /the platform takes poolerEnabled and poolerMode and does not show them, so that nobody can tell/;
    expect(context.said.warnings).toEqual([expect.stringMatching(warning)]);
    emulator.admin.clearLog();
    await run(change({ ...news, suspendTimeoutSeconds: 60 }, { from: stored }));
    const other = { ...inputs, branchId: bench.branch(), poolerEnabled: true };
    await run(create({ ...context, urn: urnOf("other") }, other));
    expect(context.said.warnings).toHaveLength(1);
    const wanted = { ...inputs, ...news };
    expect((await run(diff(context, { ...stored, inputs: wanted, oldInputs: wanted }))).changes).toBe(false);
  });

  it("looks at each of two that are created side by side, of which no answer tells the value yet", async () => {
    const { run, make, context } = await useOne({ ignoredFields: ["pooler_enabled"] });
    const { api } = context.account;
    const createEndpoint: typeof api.createEndpoint = async (...args) => {
      const { endpoint, operations } = await api.createEndpoint(...args);
      const { poolerEnabled: _, ...untold } = endpoint;
      return { endpoint: untold, operations };
    };
    const account = { ...context.account, api: { ...api, createEndpoint } };
    const changes = { type: "read_only", poolerEnabled: true } as const;
    const both = ["one", "two"].map((name) => make(changes, { account, urn: urnOf(name) }));
    const ends = await run(Promise.allSettled(both));
    expect(ends).toEqual(
      ends.map(() => expect.objectContaining({ reason: expect.objectContaining({ kind: "not_applied" }) })),
    );
    expect(context.said.warnings).toEqual([]);
  });

  it("takes the names of settings as Postgres does, without regard to case", async () => {
    const { run, context, make, inputs } = await useOne();
    const { api } = context.account;
    // The platform keeps names in small letters.
    const createEndpoint: typeof api.createEndpoint = (projectId, { pgSettings, ...body }, options) => {
      const small = Object.entries(pgSettings ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
      return api.createEndpoint(projectId, { ...body, pgSettings: Object.fromEntries(small) }, options);
    };
    const account = { ...context.account, api: { ...api, createEndpoint } };
    const pgSettings = { TimeZone: "UTC", work_mem: "8MB" };
    const stored = await run(make({ pgSettings }, { account }));
    expect(context.said.warnings).toEqual([]);
    expect(stored.state).toMatchObject({ pgSettings });
    const wanted = { ...inputs, pgSettings };
    expect((await run(diff(context, { ...stored, inputs: wanted, oldInputs: wanted }))).changes).toBe(false);
    const refreshed = await run(read(context, { ...stored, oldInputs: wanted }));
    expect(refreshed?.inputs).toMatchObject({ pgSettings });
    expect(refreshed?.state).toMatchObject({ pgSettings });
    const respelled = { ...inputs, pgSettings: { timezone: "UTC", WORK_MEM: "8MB" } };
    expect((await run(diff(context, { ...stored, inputs: respelled, oldInputs: wanted }))).changes).toBe(false);
    const other = { ...inputs, pgSettings: { timezone: "CET", work_mem: "8MB" } };
    expect((await run(diff(context, { ...stored, inputs: other, oldInputs: wanted }))).changes).toBe(true);
  });

  it("refuses a setting that is given twice, under names that differ in case alone", async () => {
    const { checked, inputs } = await useOne();
    const { failures } = await checked({ news: { ...inputs, pgSettings: { TimeZone: "UTC", timezone: "CET" } } });
    expect(failures).toMatchObject([{ property: "pgSettings.timezone", reason: expect.stringContaining("TimeZone") }]);
  });

  it("warns once of a setting in another spelling, which counts as sent until it changes", async () => {
    const { run, context, inputs, stored, endpointId, emulator } = await useEndpoint();
    const { api } = context.account;
    const updateEndpoint: typeof api.updateEndpoint = async (...args) => {
      const answer = await api.updateEndpoint(...args);
      emulator.admin.changeEndpoint(endpointId, { settings: { pg_settings: { work_mem: "8192kB" } } });
      return { ...answer, endpoint: { ...answer.endpoint, pgSettings: { work_mem: "8192kB" } } };
    };
    const wanted = { ...inputs, pgSettings: { work_mem: "8MB" } };
    const account = { ...context.account, api: { ...api, updateEndpoint } };
    const made = await run(update({ ...context, account }, { ...stored, inputs: wanted }));
    expect(context.said.warnings.join()).toContain("pgSettings.work_mem in another spelling");
    expect(made.state).toMatchObject({ pgSettings: { work_mem: "8MB" } });
    const planned = await run(diff(context, { ...made, inputs: wanted, oldInputs: wanted }));
    expect(planned.changes).toBe(false);
  });
});
