import { describe, expect, it } from "vitest";
import { openEmulator } from "./support/open-emulator";

// Generous bounds of processor time: what must not pass is work that grows with the square, which takes minutes here.
const MOST_SECONDS = 20;

function secondsSince(before: NodeJS.CpuUsage): number {
  return process.cpuUsage(before).user / 1e6;
}

describe("a large project", () => {
  it("pages through 100,000 operations by the thousand", async () => {
    const emulator = await openEmulator({ operationMs: 0 });
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 100_000 });
    const before = process.cpuUsage();
    let cursor = "";
    let seen = 0;
    for (;;) {
      const query = cursor && `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await emulator.call("GET", `{p}/operations?limit=1000${query}`);
      seen += body.operations.length;
      if (body.operations.length < 1000 || !body.pagination) break;
      cursor = body.pagination.cursor;
    }
    expect(seen).toBe(100_001);
    expect(secondsSince(before)).toBeLessThan(MOST_SECONDS);
  });

  it("holds 5,000 endpoints that all start, idle and are listed", async () => {
    const emulator = await openEmulator();
    const before = process.cpuUsage();
    const ids = emulator.admin.seedFleet(emulator.projectId, { count: 5000 });
    for (const endpointId of ids) emulator.admin.connect({ endpointId });
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(ids[4999] ?? "").current_state).toBe("active");
    emulator.admin.advance(301_000);
    const { endpoints } = (await emulator.call("GET", "{p}/endpoints")).body;
    expect(endpoints).toHaveLength(5001);
    expect(new Set(endpoints.map(({ current_state }) => current_state))).toEqual(new Set(["idle"]));
    emulator.admin.addFault({ effect: { kind: "stale-list", ageMs: 302_500 } });
    expect((await emulator.call("GET", "{p}/endpoints")).body.endpoints).toHaveLength(0);
    expect(secondsSince(before)).toBeLessThan(MOST_SECONDS);
  });
});
