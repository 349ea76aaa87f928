import { expect, it } from "vitest";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { UNKNOWN_TEXT } from "../../../../provider/pulumi/dynamic/session";
import { named, useDynamicHost } from "./support";

it.each([{ branchId: UNKNOWN_TEXT }, { branchId: "br-a", sizeCu: "large" }, { branchId: "br-a", sizecu: 1 }])(
  "the dynamic host makes no call of inputs that cannot be used: %j",
  async (wrong) => {
    const { projectId, admin, begin } = await useDynamicHost();
    const provider = begin(createDynamicProvider);
    const inputs = { ...named, projectId, type: "read_write", ...wrong };
    const text = expect.stringContaining("the engine sent inputs");
    await expect(provider.create(inputs)).rejects.toMatchObject({ message: text });
    await expect(provider.update(`${projectId}/ep-a`, inputs, inputs)).rejects.toMatchObject({ message: text });
    expect(admin.counts().total).toBe(0);
  },
);
