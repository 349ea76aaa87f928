import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { fc, runsOr, seed } from "../../../tests/support/random";
import { openEmulator } from "./support/open-emulator";

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
});

describe("a body of another type than it is", () => {
  const byCurl = "application/x-www-form-urlencoded";
  const replica = { endpoint: { branch_id: "br-quiet-harbor-main", type: "read_only" } };
  const paths = [
    ["/api/v2/projects/quiet-harbor-12345678/endpoints", replica, 201],
    ["/_emulator/clock", { advanceMs: 5 }, 200],
  ] as const;
  it.each(paths)("is told the header: %s", async (path, body, status) => {
    const { port, apiKey } = await openEmulator();
    const send = async (type: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": type },
        body: ` ${JSON.stringify(body)}`,
      });
    for (const type of [byCurl, "text/plain", "text/csv", "nonsense"]) {
      const answer = await send(type);
      expect([answer.status, await answer.text()], type).toEqual([415, expect.stringContaining("application/json")]);
    }
    expect((await send("application/json")).status).toBe(status);
  });
});

it("the admin address answers with its calls, with and without a slash", async () => {
  const { adminUrl } = await openEmulator();
  const answers = await Promise.all([adminUrl, `${adminUrl}/`].map(async (url) => (await fetch(url)).json()));
  expect(answers[0]).toEqual({ calls: expect.arrayContaining(["GET /_emulator/state", "POST /_emulator/clock"]) });
  expect(answers[1]).toEqual(answers[0]);
  expect(await (await fetch(`${adminUrl}/none`)).json()).toMatchObject({
    message: expect.stringContaining("GET /_emulator lists"),
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
  const visit = fc.record({
    lines: fc.array(line, { maxLength: 8 }),
    cuts: fc.array(fc.nat(120), { maxLength: 2 }),
    leaves: fc.constantFrom("ends", "resets", "stays"),
  });
  it(`of 2,000 clients, in any pieces, stops nobody else (PGCOMPUTE_SEED=${seed})`, async () => {
    const emulator = await openEmulator();
    const all = fc.sample(visit, { numRuns: runsOr(2_000), seed });
    const sent = async ({ lines, cuts, leaves }: (typeof all)[number]) => {
      const socket = connect(emulator.port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      let answer = "";
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        answer += data.toString("latin1");
      });
      let rest = `${lines.join("\r\n")}\r\n\r\n`;
      for (const cut of [...cuts, rest.length]) {
        await new Promise<void>((resolve) => socket.write(rest.slice(0, cut), "latin1", () => resolve()));
        await turn(emulator.port);
        rest = rest.slice(cut);
      }
      if (leaves === "ends") socket.end();
      if (leaves === "resets") socket.resetAndDestroy();
      if (leaves !== "stays" && !socket.closed) await once(socket, "close");
      expect(answer).not.toMatch(/^HTTP\/1\.1 5/);
    };
    for (let at = 0; at < all.length; at += 32) await Promise.all(all.slice(at, at + 32).map(sent));
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });
});

describe("a request in two pieces", () => {
  it("is answered as if it were whole, wherever it is cut, and others are served in between", async () => {
    const emulator = await openEmulator();
    const body = JSON.stringify({ endpoint: { branch_id: "br-none", type: "read_only" } });
    const request = [
      `POST /api/v2/projects/${emulator.projectId}/endpoints HTTP/1.1`,
      "Host: 127.0.0.1",
      `Authorization: Bearer ${emulator.apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n");
    for (let offset = 0; offset <= request.length; offset++) {
      const socket = connect(emulator.port, "127.0.0.1");
      let answer = "";
      socket.on("data", (data) => {
        answer += data.toString("latin1");
      });
      socket.write(request.slice(0, offset));
      await turn(emulator.port);
      socket.write(request.slice(offset));
      if (!socket.closed) await once(socket, "close");
      expect(answer, `cut at ${offset}`).toMatch(/^HTTP\/1\.1 404 /);
    }
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

/** Somebody else's call, whose answer shows that the emulator has had its turn. */
function turn(port: number): Promise<string> {
  return sendBytes(port, "GET /api/v2/none HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
}
