import { once } from "node:events";
import { createServer, Server } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CallEffect, EmulatorAdmin, EmulatorOptions } from "../../index";
import { EmulatorClock } from "../../lib/clock";
import { type Opened, openEmulator } from "./support/open-emulator";
import { createdOf, strikeCreate } from "./support/strike-create";

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

  it.each<[string, EmulatorOptions, number, (admin: EmulatorAdmin) => void]>([
    ["a clock that stood goes on", { clock: "manual" }, 200, (admin) => admin.setClock("real")],
    ["a clock that goes is advanced", { clock: "real" }, 86_400_000, (admin) => admin.advance(86_400_000)],
    [
      "a clock that goes stands, and is advanced",
      { clock: "real" },
      86_400_000,
      (admin) => {
        admin.setClock("manual");
        admin.advance(86_400_000);
      },
    ],
  ])("delays end by the clock as it is: %s", async (_, options, ms, change) => {
    const emulator = await openEmulator(options);
    emulator.admin.addFault({ effect: { kind: "delay", ms } });
    const call = emulator.call("GET", "{p}");
    await expect.poll(() => emulator.admin.faults()[0]?.struck).toBe(1);
    change(emulator.admin);
    expect((await call).status).toBe(200);
  });

  it("a delay of a clock that went does not end while it stands", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = new EmulatorClock("real");
    const woken = vi.fn();
    void clock.sleep(1000, new AbortController().signal).then(woken);
    clock.set("manual");
    await vi.advanceTimersByTimeAsync(5000);
    expect(woken).not.toHaveBeenCalled();
    clock.set("real");
    await vi.advanceTimersByTimeAsync(999);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(woken).toHaveBeenCalled();
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

  it("connections are refused and taken again at the same port", async () => {
    const emulator = await openEmulator();
    await emulator.call("GET", "{p}");
    await emulator.admin.refuseConnections();
    const refused = await emulator.call("GET", "{p}").catch((error: Error) => String(error.cause));
    expect(refused).toContain("ECONNREFUSED");
    await emulator.admin.acceptConnections();
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });

  it("connections are refused for a while on an admin call", async () => {
    const emulator = await openEmulator();
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
