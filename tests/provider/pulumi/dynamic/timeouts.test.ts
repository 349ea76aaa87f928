import { describe, expect, it } from "vitest";
import { TIMEOUTS_INPUT, timeoutOf, URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createDynamicProvider, createFleetProvider } from "../../../../provider/pulumi/dynamic/provider";
import { useDynamicHost } from "./support";

const kinds = [
  ["an endpoint", createDynamicProvider],
  ["a fleet", createFleetProvider],
] as const;

type Timeouts = Partial<Record<"create" | "delete", string>>;

/** A provider of either kind, and the inputs of a resource with the given timeouts. */
async function open(what: string, kind: (typeof kinds)[number][1]) {
  const { projectId, admin, begin } = await useDynamicHost();
  const endpoint = { projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" };
  const inputs = (timeouts: Timeouts): Record<string, unknown> => ({
    ...(what === "a fleet" ? { endpoints: { main: endpoint } } : endpoint),
    [URN_INPUT]: "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:EndpointFleet::main",
    [TIMEOUTS_INPUT]: timeouts,
  });
  const changes = () => admin.log().filter(({ method }) => method !== "GET");
  return { provider: begin(kind), inputs, admin, changes };
}

describe("customTimeouts by the dynamic host", () => {
  it.each(kinds)(
    "of %s reach the state by an update that sends nothing, where only that of deletes changes",
    async (what, kind) => {
      const { provider, inputs, admin, changes } = await open(what, kind);
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
      expect(changes()).toEqual([]);
    },
  );
});

describe.each(kinds)("%s by the dynamic host, held back by the rate limit", (what, kind) => {
  const limited = (route: string, seconds: number) =>
    ({
      route,
      count: 1,
      effect: { kind: "status", status: 429, retryAfter: { form: "seconds", seconds } },
    }) as const;

  it("is created within customTimeouts, or not at all", async () => {
    const { provider, inputs, admin, changes } = await open(what, kind);
    admin.addFault(limited("endpoints.create", 300));
    await expect(provider.create(inputs({ create: "2s" }))).rejects.toThrow(/429/);
    expect(changes()).toHaveLength(1);
  });

  it("is deleted within customTimeouts, or not at all", async () => {
    const { provider, inputs, admin, changes } = await open(what, kind);
    const { id, outs } = await provider.create(inputs({ delete: "2s" }));
    admin.addFault(limited("endpoints.delete", 300));
    await expect(provider.delete(id, outs)).rejects.toThrow(/429/);
    expect(changes()).toHaveLength(2);
  });

  it.each<Timeouts>([{ create: "1m" }, {}])("is created in the time that it has: %j", async (timeouts) => {
    const { provider, inputs, admin, changes } = await open(what, kind);
    admin.addFault(limited("endpoints.create", 1));
    await provider.create(inputs(timeouts));
    expect(changes()).toHaveLength(2);
  });
});
