import { describe, expect, it } from "vitest";
import { createFleetProvider } from "../../../../provider/pulumi/dynamic/fleet-provider";
import { TIMEOUTS_INPUT, timeoutOf, URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createDynamicProvider } from "../../../../provider/pulumi/dynamic/provider";
import { useDynamicHost } from "./support";

describe("customTimeouts by the dynamic host", () => {
  it.each([
    ["an endpoint", createDynamicProvider],
    ["a fleet", createFleetProvider],
  ] as const)(
    "of %s reach the state by an update that sends nothing, where only that of deletes changes",
    async (what, open) => {
      const { projectId, admin, begin } = await useDynamicHost();
      const provider = begin(open);
      const endpoint = { projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" };
      const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:EndpointFleet::main";
      const inputs = (timeouts: Record<string, string>): Record<string, unknown> => ({
        ...(what === "a fleet" ? { endpoints: { main: endpoint } } : endpoint),
        [URN_INPUT]: urn,
        [TIMEOUTS_INPUT]: timeouts,
      });
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
    },
  );
});
