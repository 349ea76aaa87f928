import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../../../emulator";
import { TIMEOUTS_INPUT, timeoutOf } from "../../../../provider/pulumi/dynamic/hidden";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { openSession } from "../../../../provider/pulumi/dynamic/session";

describe("customTimeouts by the dynamic host", () => {
  it("reach the state by an update that sends nothing, where only that of deletes changes", async () => {
    const emulator = await createEmulator({ operationMs: 0 });
    onTestFinished(() => emulator.close());
    const { projectId, url, apiKey, admin } = emulator;
    const provider = createDynamicProvider(openSession(undefined, {}));
    const rawConfig = { "pgcompute:baseUrl": url, "pgcompute:apiKey": apiKey };
    provider.configure({ config: { get: () => undefined, rawConfig } });
    const inputs = (timeouts: Record<string, string>) => ({
      projectId,
      branchId,
      type: "read_write",
      [TIMEOUTS_INPUT]: timeouts,
    });
    const branchId = admin.seedBranch(projectId).id;
    const { id, outs } = await provider.create(inputs({ create: "5m", delete: "5m" }));
    admin.clearLog();

    const others = await provider.diff(id, outs, inputs({ create: "9m", delete: "300s" }));
    expect(others).toMatchObject({ changes: false });
    const longer = inputs({ create: "5m", delete: "1h" });
    expect(await provider.diff(id, outs, longer)).toMatchObject({ changes: true, replaces: [] });
    const updated = await provider.update(id, outs, longer);
    expect(timeoutOf(updated.outs, "delete")).toBe(3_600_000);
    expect(await provider.diff(id, updated.outs, longer)).toMatchObject({ changes: false });
    const { [TIMEOUTS_INPUT]: _, ...none } = longer;
    expect(await provider.diff(id, updated.outs, none)).toMatchObject({ changes: true });
    expect((await provider.update(id, updated.outs, none)).outs).not.toHaveProperty(TIMEOUTS_INPUT);
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
