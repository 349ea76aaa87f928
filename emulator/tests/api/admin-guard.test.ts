import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../../index";
import { resolveOptions } from "../../settings/options";
import { openEmulator } from "./support/open-emulator";

describe("the guard of the admin calls", () => {
  // fetch does not let a caller choose the Host header.
  function statusWith(port: number, headers: Record<string, string>, path = "/_emulator/counts"): Promise<number> {
    return new Promise((resolve, reject) => {
      const call = request({ port, host: "127.0.0.1", path, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      call.on("error", reject).end();
    });
  }

  it.each([
    ["127.0.0.1", 200],
    ["localhost:4010", 200],
    ["[::1]:1", 200],
    ["127.0.0.53", 200],
    ["evil.test", 403],
    ["127.0.0.1.evil.test", 403],
    ["evil.test:80@127.0.0.1", 403],
    ["10.0.0.1", 403],
    ["%", 403],
  ])("answers Host %s with %i", async (host, status) => {
    const emulator = await openEmulator();
    expect(await statusWith(emulator.port, { host })).toBe(status);
  });

  it.each([
    ["http://127.0.0.1:PORT", 200],
    ["http://localhost:3000", 403],
    ["http://127.0.0.1:1", 403],
    ["http://127.0.0.1", 403],
    ["http://localhost:PORT", 403],
    ["https://127.0.0.1:PORT", 403],
    ["https://evil.test", 403],
    ["null", 403],
  ])("answers Origin %s with %i", async (origin, status) => {
    const { port } = await openEmulator();
    expect(await statusWith(port, { origin: origin.replace("PORT", String(port)) })).toBe(status);
  });

  it("answers the console's page under the other name of this machine, which has its own origin", async () => {
    const { port } = await openEmulator();
    const host = `localhost:${port}`;
    expect(await statusWith(port, { host, origin: `http://${host}` })).toBe(200);
  });

  it("takes JSON only, so that no form of a page gets in", async () => {
    const emulator = await openEmulator();
    for (const type of ["application/x-www-form-urlencoded", "text/plain"]) {
      const response = await fetch(`${emulator.adminUrl}/reset`, {
        method: "POST",
        headers: { "content-type": type },
        body: "a=1",
      });
      expect(response.status).toBe(415);
    }
  });

  it("asks for the key when the emulator listens on more than loopback", async () => {
    const emulator = await createEmulator({ host: "0.0.0.0", apiKey: "KEY" });
    try {
      expect(await statusWith(emulator.port, {})).toBe(401);
      expect(await statusWith(emulator.port, { authorization: "Bearer KEY", host: "any.test" })).toBe(200);
    } finally {
      await emulator.close();
    }
  });
});

describe("the key", () => {
  it("is a random one where others may call, or where there are servers", () => {
    const keys = [{ host: "0.0.0.0" }, { postgres: true }, {}].map((options) => resolveOptions(options).apiKey);
    const random = expect.stringMatching(/^emulated-[0-9a-f]{24}$/);
    expect(keys).toEqual([random, random, "emulated-key"]);
  });

  it("is refused where no header could carry it", async () => {
    await expect(openEmulator({ apiKey: "two words" })).rejects.toThrow(RangeError);
  });

  it("stays out of the log", async () => {
    const emulator = await openEmulator({ apiKey: "very-secret" });
    await emulator.call("GET", "{p}");
    expect(JSON.stringify(emulator.admin.log())).not.toContain("very-secret");
  });
});
