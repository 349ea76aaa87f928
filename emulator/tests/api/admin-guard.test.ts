import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { resolveOptions } from "../../settings/options";
import { openEmulator } from "./support/open-emulator";

const CONNECT = "/_console/endpoints/ep-quiet-harbor-main/connect";

// fetch does not let a caller choose the Host header.
function statusOf(port: number, method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ port, host: "127.0.0.1", method, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on("error", reject).end();
  });
}

describe("the guard of the admin calls, and of the console's", () => {
  it.each([
    ["127.0.0.1", undefined, 200],
    ["localhost:4010", undefined, 200],
    ["[::1]:1", undefined, 200],
    ["127.0.0.53", undefined, 200],
    ["evil.test", undefined, 403],
    ["127.0.0.1.evil.test", undefined, 403],
    ["evil.test:80@127.0.0.1", undefined, 403],
    ["10.0.0.1", undefined, 403],
    ["%", undefined, 403],
    ["127.0.0.1:80", "http://127.0.0.1:80", 200],
    ["127.0.0.1:80", "http://localhost:3000", 403],
    ["127.0.0.1:80", "http://127.0.0.1:1", 403],
    ["127.0.0.1:80", "http://127.0.0.1", 403],
    ["127.0.0.1:80", "http://localhost:80", 403],
    ["127.0.0.1:80", "https://127.0.0.1:80", 403],
    ["127.0.0.1:80", "https://evil.test", 403],
    ["127.0.0.1:80", "null", 403],
    // The console's page under the other name of this machine has its own origin.
    ["localhost:80", "http://localhost:80", 200],
    ["localhost:80", "http://127.0.0.1:80", 403],
  ])("answers Host %s with Origin %s by %i", async (host, origin, status) => {
    const { port, admin, endpointId, apiKey } = await openEmulator();
    const headers = { host, ...(origin !== undefined && { origin }) };
    for (const path of ["/_emulator/counts", "/_console/view"]) {
      expect(await statusOf(port, "GET", path, headers), path).toBe(status);
    }
    expect(await statusOf(port, "POST", CONNECT, headers)).toBe(status);
    expect(admin.endpoint(endpointId).pending_state).toBe(status === 200 ? "active" : undefined);
    // A page of another origin cannot send the key; one of a name that leads here could.
    const keyed = { ...headers, authorization: `Bearer ${apiKey}` };
    const expected = origin === undefined ? status : 200;
    for (const [path, found] of [
      ["/api/v2/projects", 200],
      ["/", 200],
      ["/_console/main.js", 200],
      ["/none", 404],
    ] as const) {
      expect(await statusOf(port, "GET", path, keyed), path).toBe(expected === 200 ? found : expected);
    }
  });

  it("answers a call without Host like one with another's", async () => {
    const { port } = await openEmulator();
    const socket = connect(port, "127.0.0.1", () => void socket.write("GET /api/v2/projects HTTP/1.0\r\n\r\n"));
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 403 /);
    socket.destroy();
  });

  it.each([
    ["application/x-www-form-urlencoded", 415, 400],
    ["text/plain", 415, 415],
    ["multipart/form-data; boundary=x", 415, 415],
  ])("takes no %s, so that no form of a page gets in", async (type, ofAdmin, ofConsole) => {
    const { consoleUrl, adminUrl, admin, endpointId } = await openEmulator();
    const statusTo = async (url: string | URL) =>
      (await fetch(url, { method: "POST", headers: { "content-type": type }, body: "a=1" })).status;
    expect(await statusTo(`${adminUrl}/reset`)).toBe(ofAdmin);
    expect(await statusTo(new URL(CONNECT, consoleUrl))).toBe(ofConsole);
    expect(admin.endpoint(endpointId).pending_state).toBeUndefined();
  });

  it("asks for the key when the emulator listens on more than loopback", async () => {
    const { port } = await openEmulator({ host: "0.0.0.0", apiKey: "KEY" });
    const headers = { authorization: "Bearer KEY", host: "any.test" };
    for (const [method, path] of [
      ["GET", "/_emulator/counts"],
      ["GET", "/_console/view"],
      ["POST", CONNECT],
    ] as const) {
      expect(await statusOf(port, method, path)).toBe(401);
      expect(await statusOf(port, method, path, headers)).toBe(200);
    }
    expect(await statusOf(port, "GET", "/api/v2/projects", headers)).toBe(200);
  });
});

describe("the key", () => {
  it("is a random one where others may call, or where there are servers", () => {
    const keys = [{ host: "0.0.0.0" }, { postgres: true }, {}].map((options) => resolveOptions(options).apiKey);
    const random = expect.stringMatching(/^emulated-[0-9a-f]{24}$/);
    expect(keys).toEqual([random, random, "emulated-key"]);
  });

  it("stays out of the log", async () => {
    const emulator = await openEmulator({ apiKey: "very-secret" });
    await emulator.call("GET", "{p}");
    expect(JSON.stringify(emulator.admin.log())).not.toContain("very-secret");
  });
});
