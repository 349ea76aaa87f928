/** Faults of answers and of the connection, and which calls a rule strikes. What a call sees: sessions/call-faults.session. */
import { once } from "node:events";
import { createServer, Server } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CallEffect } from "../../index";
import { EmulatorClock } from "../../lib/clock";
import { freeBranch, type Opened, openEmulator, restingEndpoint } from "./support/open-emulator";

/** Asks for an endpoint on a branch of its own, which a rule strikes once. */
function strikeCreate(emulator: Opened, effect: CallEffect) {
  emulator.admin.addFault({ route: "endpoints.create", count: 1, effect });
  const json = { endpoint: { branch_id: freeBranch(emulator), type: "read_write" } };
  return emulator.call("POST", "{p}/endpoints", { json });
}

/** How many endpoints there are beside the one of the seed. */
function createdOf(emulator: Opened): number {
  return emulator.admin.project(emulator.projectId).endpoints.length - 1;
}

describe("faults that answer something else", () => {
  it.each<[CallEffect, number, RegExp, number]>([
    [{ kind: "status", status: 500 }, 500, /injected: 500/, 0],
    [{ kind: "status", status: 503, when: "before" }, 503, /injected: 503/, 0],
    [{ kind: "status", status: 502, when: "after" }, 502, /injected: 502/, 1],
    [{ kind: "status", status: 504, when: "after", html: true }, 504, /^<!doctype html>/, 1],
    [{ kind: "status", status: 401 }, 401, /"code":""/, 0],
    [{ kind: "status", status: 403, code: "FORBIDDEN" }, 403, /"code":"FORBIDDEN"/, 0],
    [{ kind: "status", status: 423 }, 423, /injected: 423/, 0],
    [{ kind: "status", status: 500, message: "\u001b[2Jboo" }, 500, /u001b\[2Jboo/, 0],
    [{ kind: "html" }, 200, /^<!doctype html>/, 1],
    [{ kind: "html", when: "before", status: 200 }, 200, /^<!doctype html>/, 0],
    [{ kind: "json" }, 201, /^{"unexpected":true}$/, 1],
    [{ kind: "json", body: { endpoint: { id: 5 } } }, 201, /^{"endpoint":{"id":5}}$/, 1],
    [{ kind: "json", body: null }, 201, /^null$/, 1],
    [{ kind: "unknown-enum" }, 201, /"current_state":"init_v9".*"status":"scheduling_v9"/, 1],
    [{ kind: "unknown-enum", fields: ["type"] }, 201, /"type":"read_write_v9".*"status":"scheduling"/, 1],
    [{ kind: "huge-body", bytes: 300_000 }, 201, /^{"padding":"a+"}$/, 1],
    [{ kind: "redirect", location: "https://elsewhere.test/" }, 307, /^$/, 0],
  ])("%j", async (effect, status, text, created) => {
    const emulator = await openEmulator();
    const answer = await strikeCreate(emulator, effect);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
    if (effect.kind === "huge-body") expect(answer.text).toHaveLength(300_000);
    if (effect.kind === "redirect") expect(answer.headers.get("location")).toBe("https://elsewhere.test/");
    expect(createdOf(emulator)).toBe(created);
    expect(emulator.admin.log({ route: "endpoints.create" })).toEqual([
      expect.objectContaining({ status, faults: [effect.kind] }),
    ]);
  });

  it("strike one after the other where several rules match", async () => {
    const emulator = await openEmulator();
    for (const kind of ["html", "unknown-enum", "huge-body", "truncate-body"] as const) {
      emulator.admin.addFault({ effect: kind === "huge-body" ? { kind, bytes: 100 } : { kind } });
    }
    await expect(emulator.call("GET", "{p}")).rejects.toThrow(TypeError);
    expect(emulator.admin.log()[0]).toMatchObject({ faults: ["html", "unknown-enum", "huge-body", "truncate-body"] });
    expect(emulator.admin.log()[0]).not.toHaveProperty("crash");
  });
});

describe("fault rules", () => {
  async function struck(emulator: Opened, calls: number): Promise<string> {
    let seen = "";
    for (let call = 0; call < calls; call++) seen += (await emulator.call("GET", "{p}")).status === 503 ? "x" : ".";
    return seen;
  }
  const effect = { kind: "status", status: 503 } as const;

  it("strike by chance, and the same again with the same seed", async () => {
    const runs: string[] = [];
    for (let run = 0; run < 2; run++) {
      const emulator = await openEmulator({ seed: 11 });
      emulator.admin.addFault({ probability: 0.3, effect });
      runs.push(await struck(emulator, 60));
      emulator.reset();
      emulator.admin.addFault({ probability: 0.3, effect });
      runs.push(await struck(emulator, 60));
    }
    expect(new Set(runs).size).toBe(1);
    expect(runs[0]).toMatch(/x/);
    expect(runs[0]).toMatch(/\./);
  });

  it("never change which ids are given out", async () => {
    const [plain, faulty] = [await openEmulator(), await openEmulator()];
    faulty.admin.addFault({ probability: 0.5, effect: { kind: "delay", ms: 0 } });
    for (const emulator of [plain, faulty]) await struck(emulator, 5);
    expect(restingEndpoint(faulty)).toBe(restingEndpoint(plain));
  });
});

describe("faults of the connection", () => {
  it.each<[CallEffect, number]>([
    [{ kind: "reset" }, 0],
    [{ kind: "reset", when: "after" }, 1],
    [{ kind: "truncate-body" }, 1],
  ])("%j", async (effect, created) => {
    const emulator = await openEmulator();
    await expect(strikeCreate(emulator, effect)).rejects.toThrow(TypeError);
    expect(createdOf(emulator)).toBe(created);
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });

  it.each<[CallEffect, number]>([
    [{ kind: "stall-headers" }, 0],
    [{ kind: "stall-headers", when: "after" }, 1],
    [{ kind: "stall-body" }, 1],
    [{ kind: "delay", ms: 60_000 }, 0],
    [{ kind: "delay", ms: 60_000, when: "after" }, 1],
  ])("%j lasts until the emulator resets", async (effect, created) => {
    const emulator = await openEmulator();
    const call = strikeCreate(emulator, effect).catch((error: unknown) => error);
    await expect.poll(() => emulator.admin.faults()[0]?.struck).toBe(1);
    await expect.poll(() => createdOf(emulator)).toBe(created);
    emulator.reset();
    expect(await call).toBeInstanceOf(TypeError);
  });

  it("stalls end with the client, and nothing is done afterwards", async () => {
    const emulator = await openEmulator();
    emulator.admin.addFault({ route: "branches.create", effect: { kind: "stall-headers" } });
    const controller = new AbortController();
    const call = emulator.call("POST", "{p}/branches", { signal: controller.signal }).catch(() => "gone");
    await expect.poll(() => emulator.admin.faults()[0]?.struck).toBe(1);
    controller.abort();
    expect(await call).toBe("gone");
    expect(emulator.admin.project(emulator.projectId).branches).toHaveLength(1);
  });

  it("delays last as long as the clock says", async () => {
    const emulator = await openEmulator();
    emulator.admin.addFault({ effect: { kind: "delay", ms: 60_000 } });
    let answered = false;
    const call = emulator.call("GET", "{p}").then((answer) => {
      answered = true;
      return answer.status;
    });
    await expect.poll(() => emulator.admin.faults()[0]?.struck).toBe(1);
    emulator.admin.advance(59_999);
    await emulator.admin_("GET", "/counts");
    expect(answered).toBe(false);
    emulator.admin.advance(1);
    expect(await call).toBe(200);
  });

  it("delays go by the clock as it is, however that changes meanwhile", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = new EmulatorClock("real");
    const sleep = (ms: number) => {
      const woken = vi.fn();
      void clock.sleep(ms, new AbortController().signal).then(woken);
      return async (after: () => unknown, times: number) => {
        await after();
        await vi.advanceTimersByTimeAsync(0);
        expect(woken).toHaveBeenCalledTimes(times);
      };
    };
    const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
    const stopped = sleep(1000);
    await stopped(() => clock.set("manual"), 0);
    await stopped(() => pass(5000), 0);
    await stopped(() => clock.set("real"), 0);
    await stopped(() => pass(999), 0);
    await stopped(() => pass(1), 1);
    await sleep(86_400_000)(() => clock.advance(86_400_000), 1);
    const steered = sleep(86_400_000);
    await steered(() => clock.set("manual"), 0);
    await steered(() => clock.advance(86_400_000), 1);
  });

  it("connections are refused for longer where somebody else has the port meanwhile", async () => {
    const emulator = await openEmulator();
    await emulator.admin.refuseConnections();
    const other = createServer();
    await once(other.listen(emulator.port, "127.0.0.1"), "listening");
    const listen = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listen.mockRestore());
    emulator.admin.refuseFor(1);
    await expect.poll(() => listen.mock.calls.length).toBeGreaterThan(1);
    other.close();
    await expect.poll(() => statusNow(emulator)).toBe(200);
  });

  it("connections are refused and taken again at the same port, or refused for a while on an admin call", async () => {
    const emulator = await openEmulator();
    await emulator.call("GET", "{p}");
    await emulator.admin.refuseConnections();
    const refused = await emulator.call("GET", "{p}").catch((error: Error) => String(error.cause));
    expect(refused).toContain("ECONNREFUSED");
    await emulator.admin.acceptConnections();
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
    expect((await emulator.admin_("POST", "/refuse", { forMs: 50 })).status).toBe(200);
    await expect.poll(() => statusNow(emulator)).toBe(200);
  });
});

/** How a call is answered now; 0 where nobody answers. */
function statusNow(emulator: Opened): Promise<number> {
  return emulator.call("GET", "{p}").then(
    ({ status }) => status,
    () => 0,
  );
}
