import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { fc, seed } from "../../../tests/support/random";
import { openEmulator } from "./support/open-emulator";

describe("HEAD", () => {
  it.each(["{p}", "{p}/endpoints", "{p}/operations?limit=1", "{p}/branches/none", "/projects/x/y"])(
    "of %s answers as GET, without a body",
    async (path) => {
      const emulator = await openEmulator();
      const get = await emulator.call("GET", path);
      const head = await emulator.call("HEAD", path);
      expect(head.status).toBe(get.status);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(head.text).toBe("");
    },
  );
});

describe("a request that cannot be read", () => {
  const json = { "content-type": "application/json" };
  it.each([
    ["broken JSON", { raw: "{", headers: json }, 400],
    ["a poisoned prototype", { raw: '{"__proto__":{"x":1}}', headers: json }, 400],
    ["another type", { raw: "<x/>", headers: { "content-type": "text/xml" } }, 415],
    ["plain text", { raw: "x", headers: { "content-type": "text/plain" } }, 415],
    ["a body of 2 MiB", { raw: `"${"x".repeat(2 << 20)}"`, headers: json }, 413],
    ["a form of 2000 fields", { form: "a=1&".repeat(2000) }, 400],
    ["a form 9 deep", { form: "a[b][c][d][e][f][g][h][i]=1" }, 400],
  ])("is answered: %s", async (_name, init, status) => {
    const emulator = await openEmulator();
    const headers = { authorization: `Bearer ${emulator.apiKey}`, ...("headers" in init ? init.headers : {}) };
    const answer = await emulator.call("POST", "{p}/endpoints", { ...init, headers });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code: "", message: expect.any(String), request_id: expect.any(String) });
    expect(answer.text.length).toBeLessThan(1000);
  });

  it("is none without a body, whatever its type says", async () => {
    const emulator = await openEmulator();
    const headers = { authorization: `Bearer ${emulator.apiKey}`, ...json };
    const answer = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`, { headers });
    expect(answer.status).toBe(200);
  });
});

describe("the id of a request", () => {
  it("stands in the bodies of errors by the specification", async () => {
    const emulator = await openEmulator();
    const { headers, body } = await emulator.call("GET", "/projects/none");
    expect(headers.get("x-neon-ret-request-id")).toBe(null);
    expect(body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(["/projects", "/projects/none"])("stands in a header of today's public platform: %s", async (path) => {
    const emulator = await openEmulator({ platform: "neon" });
    const [first, second] = [await emulator.call("GET", path), await emulator.call("GET", path)];
    expect(first.headers.get("x-neon-ret-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.headers.get("x-neon-ret-request-id")).not.toBe(second.headers.get("x-neon-ret-request-id"));
    expect(first.body).not.toHaveProperty("request_id");
  });
});

describe("last_active of today's public platform", () => {
  it("is 2000-01-01 until somebody uses the endpoint", async () => {
    const emulator = await openEmulator({ platform: "neon", clock: "manual" });
    const path = `{p}/endpoints/${emulator.endpointId}`;
    expect((await emulator.call("GET", path)).body.endpoint.last_active).toBe("2000-01-01T00:00:00Z");
    await emulator.call("POST", `${path}/start`);
    emulator.admin.advance(2_000);
    expect((await emulator.call("GET", path)).body.endpoint.last_active).not.toMatch(/^2000/);
  });
});

describe("what is no HTTP", () => {
  it.each([
    ["a line of nonsense", "nonsense", 400],
    ["another version", "GET / HTTP/9.9", 400],
    ["a negative length", "POST /api/v2/projects HTTP/1.1\r\nHost: x\r\nContent-Length: -1", 400],
    ["headers of 100 kB", `GET / HTTP/1.1\r\nHost: x\r\nx-long: ${"x".repeat(100_000)}`, 431],
  ])("is answered with the body of every error: %s", async (_name, head, status) => {
    const emulator = await openEmulator();
    const answer = await sendBytes(emulator.port, `${head}\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/content-type: application\/json/);
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
    expect(body).toEqual({ code: "", message: expect.any(String), request_id: expect.any(String) });
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });

  const line = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.constantFrom("GET / HTTP/1.1", "POST /api/v2 HTTP/1.1", "Host: [", ":", "", "ffffffffffffff"),
    fc.constantFrom("Transfer-Encoding: chunked", "Transfer-Encoding: x", "Content-Length: 99"),
  );
  it(`is survived, whatever it is (PGCOMPUTE_SEED=${seed})`, async () => {
    const emulator = await openEmulator();
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        const answer = await sendBytes(emulator.port, `${lines.join("\r\n")}\r\n\r\n`);
        expect(answer).not.toMatch(/^HTTP\/1\.1 5/);
      }),
      { numRuns: 200 },
    );
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });
});

/** What comes back for some bytes, once the other side has closed. */
function sendBytes(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    socket.on("data", (data) => {
      answer += data.toString("latin1");
    });
    // A reset is an answer, too.
    socket.once("error", () => undefined);
    socket.once("close", () => resolve(answer));
  });
}
