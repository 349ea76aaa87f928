import { describe, expect, it } from "vitest";
import { type Opened, openEmulator, START } from "./support/open-emulator";

async function statuses(emulator: Opened, calls: number): Promise<number[]> {
  const seen: number[] = [];
  for (let call = 0; call < calls; call++) seen.push((await emulator.call("GET", "{p}")).status);
  return seen;
}

const allowed = (seen: number[]) => seen.filter((status) => status === 200).length;

describe("the rate limit", () => {
  it.each([
    {
      limit: { perMinute: 6 },
      burst: 6,
      later: [
        [9_999, 0],
        [1, 1],
        [20_000, 2],
        [600_000, 6],
      ],
    },
    {
      limit: { perSecond: 4 },
      burst: 4,
      later: [
        [249, 0],
        [1, 1],
        [500, 2],
        [60_000, 4],
      ],
    },
    {
      limit: { perMinute: 10, perSecond: 4 },
      burst: 4,
      later: [
        [1000, 4],
        [1000, 2],
        [6000, 1],
      ],
    },
  ])("of $limit lets a burst through and refills", async ({ limit, burst, later }) => {
    const emulator = await openEmulator({ rateLimit: limit });
    expect(allowed(await statuses(emulator, burst + 3))).toBe(burst);
    for (const [ms = 0, more = 0] of later) {
      emulator.admin.advance(ms);
      expect(allowed(await statuses(emulator, more + 3))).toBe(more);
    }
  });

  it.each([
    ["none", null],
    [undefined, null],
    ["seconds", "10"],
    ["date", new Date(START + 10_000).toUTCString()],
  ] as const)("says when to come back: %s", async (retryAfter, header) => {
    const emulator = await openEmulator({ rateLimit: { perMinute: 6, ...(retryAfter && { retryAfter }) } });
    await statuses(emulator, 6);
    const answer = await emulator.call("GET", "{p}");
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe(header);
    expect(answer.body.message).toBe("rate limit exceeded");
  });

  it("can be one for each route", async () => {
    const emulator = await openEmulator({ rateLimit: { perSecond: 1, scope: "route" } });
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
    expect((await emulator.call("GET", "{p}/branches")).status).toBe(200);
    expect((await emulator.call("GET", "{p}")).status).toBe(429);
  });

  it("does none of a refused call's work and counts no admin call", async () => {
    const emulator = await openEmulator({ rateLimit: { perSecond: 1 } });
    for (let call = 0; call < 5; call++) await emulator.admin_("GET", "/counts");
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
    expect((await emulator.call("POST", "{p}/branches")).status).toBe(429);
    expect(emulator.admin.project(emulator.projectId).branches).toHaveLength(1);
  });

  it("comes and goes while the emulator runs", async () => {
    const emulator = await openEmulator();
    emulator.admin.configure({ rateLimit: { perSecond: 1 } });
    expect(await statuses(emulator, 2)).toEqual([200, 429]);
    await emulator.admin_("PATCH", "/settings", { rateLimit: null });
    expect(await statuses(emulator, 2)).toEqual([200, 200]);
  });
});
