import { describe, expect, it } from "vitest";
import type { Account } from "../../../provider/platform/account";
import type { Api } from "../../../provider/platform/api";
import { useMade, useMain } from "../../engine-model/stack";

const withApi = (account: Account, calls: Partial<Api>): Account => ({ ...account, api: { ...account.api, ...calls } });

describe("success means that the platform shows what was sent", () => {
  it("counts as sent what no answer has, and says once that nobody can tell what came of it", async () => {
    const { stack, admin, main, single, branch } = await useMade();
    admin.configure({ removedFields: "ignored" });
    const news = { poolerEnabled: true, poolerMode: "session" };
    const more = { ...news, suspendTimeoutSeconds: 60 };
    const process = stack.process();
    const warning = /the platform takes poolerEnabled and poolerMode and does not show them, so that nobody can tell/;
    const warned = () => process.rows.filter(({ message }) => message.includes("nobody can tell"));
    await stack.up(main(news), { process });
    expect(warned()).toEqual([expect.objectContaining({ level: "warn", message: expect.stringMatching(warning) })]);
    await stack.up(main(more), { process });
    const program = { ...main(more), other: single(branch(), { poolerEnabled: true }) };
    expect((await stack.up(program, { process })).messages).toEqual([]);
    expect(warned()).toHaveLength(1);
    expect((await stack.preview(program)).isChanged).toBe(false);
  });

  it("looks at each of two that are created side by side, of which no answer tells the value yet", async () => {
    const { bench, stack, single, branchId } = await useMain({ ignoredFields: ["pooler_enabled"] });
    const account = bench.account();
    const createEndpoint: Api["createEndpoint"] = async (...args) => {
      const { endpoint, operations } = await account.api.createEndpoint(...args);
      const { poolerEnabled: _, ...untold } = endpoint;
      return { endpoint: untold, operations };
    };
    const one = single(branchId, { type: "read_only", poolerEnabled: true });
    const options = { account: withApi(account, { createEndpoint }), pace: "late" } as const;
    const { failed, rows } = await stack.up({ one, two: one }, options);
    expect(failed.map(({ name }) => name).sort()).toEqual(["one", "two"]);
    for (const { error } of failed)
      expect(error).toMatchObject({ message: expect.stringContaining("Take poolerEnabled out of the program") });
    expect(rows.filter(({ level }) => level === "warn")).toEqual([]);
  });

  it("takes the names of settings as Postgres does, without regard to case", async () => {
    const { bench, stack, main, stored } = await useMain();
    const account = bench.account();
    // The platform keeps names in small letters.
    const createEndpoint: Api["createEndpoint"] = (projectId, { pgSettings, ...body }, options) => {
      const small = Object.entries(pgSettings ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
      return account.api.createEndpoint(projectId, { ...body, pgSettings: Object.fromEntries(small) }, options);
    };
    const pgSettings = { TimeZone: "UTC", work_mem: "8MB" };
    const isChanged = async (wanted: object) => (await stack.preview(main({ pgSettings: wanted }))).isChanged;
    const { rows } = await stack.up(main({ pgSettings }), { account: withApi(account, { createEndpoint }) });
    expect(rows.filter(({ level }) => level === "warn")).toEqual([]);
    expect(stored()?.state).toMatchObject({ pgSettings });
    expect(await isChanged(pgSettings)).toBe(false);
    await stack.refresh();
    expect(stored()).toMatchObject({ inputs: { pgSettings }, state: { pgSettings } });
    expect(await isChanged({ timezone: "UTC", WORK_MEM: "8MB" })).toBe(false);
    expect(await isChanged({ timezone: "CET", work_mem: "8MB" })).toBe(true);
  });

  it("refuses a setting that is given twice, under names that differ in case alone", async () => {
    const { stack, main } = await useMain();
    const { messages } = await stack.preview(main({ pgSettings: { TimeZone: "UTC", timezone: "CET" } }));
    expect(messages).toEqual([expect.stringMatching(/^pgSettings\.timezone: .*TimeZone/)]);
  });

  it("warns once of a setting in another spelling, which counts as sent until it changes", async () => {
    const { bench, stack, admin, main, stored, id } = await useMade();
    const account = bench.account();
    const updateEndpoint: Api["updateEndpoint"] = async (...args) => {
      const answer = await account.api.updateEndpoint(...args);
      admin.changeEndpoint(id, { settings: { pg_settings: { work_mem: "8192kB" } } });
      return { ...answer, endpoint: { ...answer.endpoint, pgSettings: { work_mem: "8192kB" } } };
    };
    const wanted = main({ pgSettings: { work_mem: "8MB" } });
    const { said } = await stack.up(wanted, { account: withApi(account, { updateEndpoint }) });
    expect(said.join()).toContain("pgSettings.work_mem in another spelling");
    expect(stored()?.state).toMatchObject({ pgSettings: { work_mem: "8MB" } });
    expect((await stack.preview(wanted)).isChanged).toBe(false);
  });
});
