import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { pluginHost } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";

// Specification, sections 3.3, 4.5 and 4.6: what a preview says of connections, held against connections.

const bench = useBench({ postgres: true, operationMs: 40 });

/** What a preview says of a change, and what became of an open connection. */
type Outcome = "dropped" | "kept";

/** A client that stays. Whether it was dropped is asked of the connection itself. */
async function hold(branchId: string | undefined) {
  const { url } = bench.emulator.admin.connectionStrings(bench.on(branchId)[0]?.id ?? "");
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  const outcome = (): Promise<Outcome> =>
    client.query("SELECT 1").then(
      () => "kept",
      () => "dropped",
    );
  return { client, outcome };
}

const DROPPED = { says: /connections are dropped/, outcome: "dropped" } as const;
const DISABLED = { says: /is suspended, and no connection can wake it/, outcome: "dropped" } as const;
const KEPT = { says: /connections stay/, outcome: "kept" } as const;
// The platform does not say: the preview promises nothing, and the emulator keeps them.
const NOT_STATED = { says: /restart not stated/, outcome: "kept" } as const;

const range = (autoscalingLimitMinCu: number, autoscalingLimitMaxCu: number) => {
  return { autoscalingLimitMinCu, autoscalingLimitMaxCu };
};

const changes: Record<string, { from: object; to: object; says: RegExp; outcome: Outcome }> = {
  size: { from: { sizeCu: 0.5 }, to: { sizeCu: 1 }, ...DROPPED },
  minimum: { from: range(0.5, 2), to: range(1, 2), ...DROPPED },
  maximum: { from: range(0.5, 2), to: range(0.5, 4), ...DROPPED },
  autosuspend: { from: { suspendTimeoutSeconds: 600 }, to: { suspendTimeoutSeconds: -1 }, ...KEPT },
  disabled: { from: { disabled: false }, to: { disabled: true }, ...DISABLED },
  trigger: { from: { restartTrigger: "one" }, to: { restartTrigger: "two" }, ...DROPPED },
  // To another branch.
  moved: { from: {}, to: {}, ...DROPPED },
  replaced: { from: { type: "read_only" }, to: { type: "read_write" }, ...DROPPED },
  settings: { from: { pgSettings: { work_mem: "8MB" } }, to: { pgSettings: { work_mem: "16MB" } }, ...NOT_STATED },
  pooler: { from: { poolerEnabled: false }, to: { poolerEnabled: true }, ...NOT_STATED },
  mode: { from: { poolerMode: "transaction" }, to: { poolerMode: "session" }, ...NOT_STATED },
  access: { from: { passwordlessAccess: true }, to: { passwordlessAccess: false }, ...NOT_STATED },
};

it("open connections during up are dropped where the preview says so, and stay where it says that, for every property, a move and a replacement", async () => {
  const names = Object.keys(changes);
  const branches = Object.fromEntries(names.map((name) => [name, bench.branch()]));
  const program = bench.program(pluginHost);
  const { projectId } = bench;
  const declared = (when: "from" | "to") =>
    program.is(
      Object.fromEntries(
        names.map((name) => [name, { args: { projectId, branchId: branches[name], ...changes[name]?.[when] } }]),
      ),
    );
  await declared("from").up();
  const places = () =>
    names.map((name) => {
      const { id, host } = bench.on(branches[name])[0] ?? {};
      return name === "replaced" ? [] : [id, host];
    });
  const placed = places();
  const held = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await hold(branches[name])] as const)),
  );

  branches.moved = bench.branch();
  const changed = declared("to");
  const preview = await changed.preview();
  for (const [name, { says }] of Object.entries(changes)) {
    expect(said(preview, name), name).toMatch(says);
    expect(await held[name]?.outcome(), `${name}, after a preview`).toBe("kept");
    if (says !== KEPT.says) expect(said(preview, name), name).not.toMatch(KEPT.says);
  }
  await changed.up();
  const outcomes = await Promise.all(names.map(async (name) => [name, await held[name]?.outcome()] as const));
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(names.map((name) => [name, changes[name]?.outcome])));
  // All but the replaced one keep id and host, and nothing is left to do.
  expect(places()).toEqual(placed);
  expect((await changed.up()).changes).toMatchObject({ same: names.length, update: 0, replace: 0 });
  const [size] = await (await hold(branches.size)).client.query("SHOW max_connections").then(({ rows }) => rows);
  expect(size).toEqual({ max_connections: "450" });
  await changed.destroy();
  expect(await Promise.all(names.map((name) => held[name]?.outcome()))).toEqual(names.map(() => "dropped"));
});
