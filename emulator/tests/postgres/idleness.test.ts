import { describe, expect, it } from "vitest";
import { connect, until, useBench, values } from "./support/open-postgres";

// Specification, section 3.4.

const bench = useBench({ clock: "manual", operationMs: 0 });
const MINUTE_MS = 60_000;

const stateOf = (id: string) => bench.emulator.admin.endpoint(id).current_state;

/** Lets the time pass; what that starts has ended by then. */
async function pass(ms: number): Promise<void> {
  bench.emulator.admin.advance(ms);
  const { admin, projectId } = bench.emulator;
  await until(() => admin.project(projectId).operations.every(({ status }) => status === "finished"));
}

describe("autosuspend", () => {
  it("counts from the last connection's end", async () => {
    const { id } = bench.endpoint();
    const client = await connect(bench.emulator, id);
    await pass(4 * MINUTE_MS);
    await client.end();
    await until(() => bench.emulator.admin.endpoint(id).connections === 0);
    await pass(4 * MINUTE_MS);
    expect(stateOf(id)).toBe("active");
    await pass(1 * MINUTE_MS);
    expect(stateOf(id)).toBe("idle");
    await connect(bench.emulator, id);
    expect(stateOf(id)).toBe("active");
  });

  it("counts from an open connection's last activity, and drops it then", async () => {
    const { id } = bench.endpoint({ suspend_timeout_seconds: 120 });
    const client = await connect(bench.emulator, id);
    for (let turn = 0; turn < 3; turn++) {
      await pass(1.5 * MINUTE_MS);
      expect(await values(client, "SELECT 1")).toEqual([1]);
    }
    await pass(2 * MINUTE_MS);
    expect(stateOf(id)).toBe("idle");
    expect(await client.dropped).toBe("57P01");
  });

  it("waits for a transaction that is open, and for a query that runs", async () => {
    const { id } = bench.endpoint({ suspend_timeout_seconds: 60 });
    const client = await connect(bench.emulator, id);
    await client.query("BEGIN");
    await pass(10 * MINUTE_MS);
    expect(stateOf(id)).toBe("active");
    await client.query("COMMIT");
    await pass(1 * MINUTE_MS);
    expect(stateOf(id)).toBe("idle");
  });
});
