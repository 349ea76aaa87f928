import { execFile } from "node:child_process";
import { connect } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../../index";
import { openEmulator } from "./support/open-emulator";

describe("createEmulator", () => {
  // The bound is against hanging: node ends once nothing is left that it waits for.
  it.each([
    ["unref() is asked for first", "emulator.unref();", ""],
    ["unref() comes when clients have connections", "", "emulator.unref();"],
    ["its port is to open again by then", "", "emulator.admin.refuseFor(1e8); emulator.unref();"],
  ])("holds no process that forgets to close it: %s", async (_, first, last) => {
    const script = `
      const { createEmulator } = await import("./emulator/index.ts").then((all) => all.default ?? all);
      const emulator = await createEmulator();
      ${first}
      const call = (signal) =>
        fetch(emulator.url + "/projects", { signal, headers: { authorization: "Bearer " + emulator.apiKey } });
      await (await call()).text();
      emulator.admin.addFault({ effect: { kind: "delay", ms: 1e8 } });
      const giveUp = new AbortController();
      const given = call(giveUp.signal).catch(() => undefined);
      while (emulator.admin.counts().total < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      giveUp.abort();
      await given;
      ${last}
      console.log("done");`;
    const args = ["--import", "tsx", "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 100_000 });
    expect(stdout).toBe("done\n");
  });

  it("closes at once with calls that are held back and connections that say nothing", async () => {
    const emulator = await createEmulator({ clock: "manual" });
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    for (const kind of ["stall-headers", "stall-body"] as const)
      emulator.admin.addFault({ count: 1, effect: { kind } });
    emulator.admin.addFault({ effect: { kind: "delay", ms: 1e9 } });
    const calls = Array.from({ length: 3 }, () =>
      fetch(`${emulator.url}/projects/${emulator.projectId}`, { headers })
        .then((response) => response.text())
        .catch((error: unknown) => error),
    );
    const silent = connect(emulator.port, "127.0.0.1");
    const ended = new Promise((resolve) => silent.once("close", resolve));
    await new Promise((resolve) => silent.once("connect", resolve));
    await expect.poll(() => emulator.admin.counts().total).toBe(3);
    const before = performance.now();
    await emulator.close();
    // Nothing of it waits: a connection that is kept alive would take two minutes, and a held call for ever.
    expect(performance.now() - before).toBeLessThan(30_000);
    for (const call of calls) expect(await call).toBeInstanceOf(TypeError);
    await ended;
  });

  it("can be closed twice, and while connections are refused", async () => {
    const emulator = await createEmulator();
    await emulator.admin.refuseConnections();
    await emulator.close();
    await emulator.close();
  });

  it("leaves no timer behind", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const emulator = await createEmulator({ clock: "real", operationMs: 60_000 });
    await fetch(`${emulator.url}/projects/${emulator.projectId}/endpoints/${emulator.endpointId}/start`, {
      method: "POST",
      headers: { authorization: `Bearer ${emulator.apiKey}`, connection: "close" },
    });
    emulator.admin.addFault({ effect: { kind: "delay", ms: 1e6 } });
    emulator.admin.refuseFor(1e6);
    await emulator.close();
    // Those of the test runner end soon; expect.poll would add its own.
    while (timers() > 0) await new Promise(setImmediate);
  });
});

describe("the clock", () => {
  it("is the machine's unless told otherwise, and can be shifted", async () => {
    const before = Date.now();
    const emulator = await openEmulator({ clock: "real", startAt: before });
    const start = emulator.admin.now();
    expect(start).toBeGreaterThanOrEqual(before);
    expect(start).toBeLessThanOrEqual(Date.now());
    emulator.admin.connect({ endpointId: emulator.endpointId });
    emulator.admin.advance(3_600_000);
    expect(emulator.admin.now() - start).toBeGreaterThanOrEqual(3_600_000);
    expect(emulator.admin.endpoint(emulator.endpointId).current_state).toBe("idle");
  });

  it("goes on from where it is when the mode changes", async () => {
    const emulator = await openEmulator();
    emulator.admin.advance(1000);
    const frozen = emulator.admin.now();
    const before = Date.now();
    emulator.admin.setClock("real");
    expect(emulator.admin.now() - frozen).toBeLessThanOrEqual(Date.now() - before);
    emulator.admin.setClock("manual");
    expect(emulator.admin.now()).toBe(emulator.admin.now());
  });
});
