import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { pluginHost } from "../support/hosts";
import { said } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, sections 3.3, 4.5 and 4.6: what a preview says of connections, held against connections.

const bench = useBench({ postgres: true, operationMs: 40 });

/** What a preview says of a change, and what became of an open connection. */
type Outcome = "dropped" | "kept";

interface Held {
  client: pg.Client;
  outcome(): Promise<Outcome>;
}

/** A client that stays. Whether it was dropped is asked of the connection itself. */
async function hold(branchId: string): Promise<Held> {
  const [endpoint] = endpointsOn(bench, branchId);
  const client = new pg.Client({
    connectionString: bench.emulator.admin.connectionStrings(endpoint?.id ?? "").url,
  });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return {
    client,
    outcome: () =>
      client.query("SELECT 1").then(
        () => "kept" as const,
        () => "dropped" as const,
      ),
  };
}

const before = {
  size: { sizeCu: 0.5 },
  minimum: { autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2 },
  maximum: { autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2 },
  autosuspend: { suspendTimeoutSeconds: 600 },
  disabled: { disabled: false },
  trigger: { restartTrigger: "one" },
  moved: { suspendTimeoutSeconds: 900 },
  replaced: { type: "read_only" },
  settings: { pgSettings: { work_mem: "8MB" } },
  pooler: { poolerEnabled: false },
  mode: { poolerMode: "transaction" },
  access: { passwordlessAccess: true },
};

const DROPPED = /connections are dropped/;
const DISABLED = /is suspended, and no connection can wake it/;
const KEPT = /connections stay/;
// The platform does not say: the preview promises nothing, and the emulator keeps them.
const NOT_STATED = /restart not stated/;

const after: Record<keyof typeof before, { args: Record<string, unknown>; says: RegExp; outcome: Outcome }> = {
  size: { args: { sizeCu: 1 }, says: DROPPED, outcome: "dropped" },
  minimum: { args: { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 }, says: DROPPED, outcome: "dropped" },
  maximum: { args: { autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 4 }, says: DROPPED, outcome: "dropped" },
  autosuspend: { args: { suspendTimeoutSeconds: -1 }, says: KEPT, outcome: "kept" },
  disabled: { args: { disabled: true }, says: DISABLED, outcome: "dropped" },
  trigger: { args: { restartTrigger: "two" }, says: DROPPED, outcome: "dropped" },
  moved: { args: { suspendTimeoutSeconds: 900 }, says: DROPPED, outcome: "dropped" },
  replaced: { args: { type: "read_write" }, says: DROPPED, outcome: "dropped" },
  settings: { args: { pgSettings: { work_mem: "16MB" } }, says: NOT_STATED, outcome: "kept" },
  pooler: { args: { poolerEnabled: true }, says: NOT_STATED, outcome: "kept" },
  mode: { args: { poolerMode: "session" }, says: NOT_STATED, outcome: "kept" },
  access: { args: { passwordlessAccess: false }, says: NOT_STATED, outcome: "kept" },
};

describe("open connections during up", () => {
  it("are dropped where the preview says so, and stay where it says that, for every property, a move and a replacement", async () => {
    const names = Object.keys(before) as (keyof typeof before)[];
    const branches = Object.fromEntries(names.map((name) => [name, bench.branch()]));
    const declare = (args: Record<string, Record<string, unknown>>) =>
      Object.fromEntries(
        Object.entries(args).map(([name, rest]) => [
          name,
          { args: { projectId: bench.projectId, branchId: branches[name], ...rest } },
        ]),
      );
    const program = await bench.program(pluginHost);
    await program.is(declare(before)).up();
    const places = () =>
      names.map((name) => {
        const { id, host } = endpointsOn(bench, branches[name] ?? "")[0] ?? {};
        return name === "replaced" ? [] : [id, host];
      });
    const placed = places();
    const held = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await hold(branches[name] ?? "")] as const)),
    );

    branches.moved = bench.branch();
    const changed = program.is(
      declare(Object.fromEntries(Object.entries(after).map(([name, { args }]) => [name, args]))),
    );
    const preview = await changed.preview();
    for (const name of names) {
      expect(said(preview, name), name).toMatch(after[name].says);
      expect(await held[name]?.outcome(), `${name}, after a preview`).toBe("kept");
      if (after[name].says !== KEPT) expect(said(preview, name), name).not.toMatch(KEPT);
    }
    await changed.up();
    const outcomes = await Promise.all(names.map(async (name) => [name, await held[name]?.outcome()] as const));
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(names.map((name) => [name, after[name].outcome])));
    // All but the replaced one keep id and host, and nothing is left to do.
    expect(places()).toEqual(placed);
    expect((await changed.up()).changes).toMatchObject({ same: names.length, update: 0, replace: 0 });
    const [size] = await (await hold(branches.size ?? "")).client
      .query("SHOW max_connections")
      .then(({ rows }) => rows);
    expect(size).toEqual({ max_connections: "450" });
    await changed.destroy();
    expect(await Promise.all(names.map((name) => held[name]?.outcome()))).toEqual(names.map(() => "dropped"));
  });
});
