import { expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../../../emulator";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { openSession } from "../../../../provider/pulumi/dynamic/session";
import { UNKNOWN_TEXT } from "../../../../provider/pulumi/dynamic/unknown";

it.each([{ branchId: UNKNOWN_TEXT }, { branchId: "br-a", sizeCu: "large" }, { branchId: "br-a", sizecu: 1 }])(
  "the dynamic host makes no call of inputs that cannot be used: %j",
  async (wrong) => {
    const emulator = await createEmulator({ operationMs: 0 });
    onTestFinished(() => emulator.close());
    const { projectId, url, apiKey, admin } = emulator;
    const provider = createDynamicProvider(openSession(undefined, {}));
    const rawConfig = { "pgcompute:baseUrl": url, "pgcompute:apiKey": apiKey };
    provider.configure({ config: { get: () => undefined, rawConfig } });
    const inputs = { projectId, type: "read_write", ...wrong };
    const text = expect.stringContaining("the engine sent inputs");
    await expect(provider.create(inputs)).rejects.toMatchObject({ message: text });
    await expect(provider.update(`${projectId}/ep-a`, inputs, inputs)).rejects.toMatchObject({ message: text });
    expect(admin.counts().total).toBe(0);
  },
);
