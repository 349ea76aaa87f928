import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { Agent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AnswerError, CancelledError } from "../../../../provider/platform/errors";
import type { ApiRequest } from "../../../../provider/platform/http/request";
import type { Transport, TransportOptions } from "../../../../provider/platform/http/transport";
import { answer, failure, serve, serveTcp, transportAt, transportTo } from "../support/raw-server";

const get: ApiRequest = { method: "GET", path: "/projects/p", purpose: "read project p" };
const post: ApiRequest = { method: "POST", path: "/projects/p/endpoints", purpose: "create", body: { endpoint: {} } };
const idle = new AbortController().signal;

/** A transport with TLS to a server that speaks for itself. */
async function tlsTo(onSocket: (socket: Socket) => void, options: Partial<TransportOptions> = {}): Promise<Transport> {
  const { port } = await serveTcp(onSocket);
  return transportAt(`https://127.0.0.1:${port}/v2`, options);
}

describe("requests", () => {
  it("carry the key and the headers that the specification asks for", async () => {
    const server = await serve((_, response) => answer(response, 200, {}));
    const transport = transportTo(server);
    await transport.send({ ...get, query: "limit=1" }, idle);
    await transport.send(post, idle);
    await transport.send({ method: "POST", path: "/projects/p/endpoints/e/start", purpose: "start" }, idle);
    const [read, create, start] = server.seen;
    expect(read).toMatchObject({ method: "GET", url: "/api/v2/projects/p?limit=1", body: "" });
    expect(read?.headers).toMatchObject({
      authorization: "Bearer the-key",
      accept: "application/json",
      "user-agent": "test/1",
    });
    expect(read?.headers["content-type"]).toBeUndefined();
    expect(create).toMatchObject({ method: "POST", body: '{"endpoint":{}}' });
    expect(create?.headers["content-type"]).toBe("application/json");
    expect(start).toMatchObject({ method: "POST", body: "" });
    expect(start?.headers["content-type"]).toBeUndefined();
    expect(start?.headers["content-length"]).toBe("0");
  });

  it("reuse connections", async () => {
    const server = await serve((_, response) => answer(response, 200, {}));
    const transport = transportTo(server);
    for (let i = 0; i < 20; i++) await transport.send(get, idle);
    // The pool may take a second one while it tidies up after an answer.
    expect(server.sockets.size).toBeLessThanOrEqual(2);
  });
});

it.each(["", "napi one", "a\nb", "key\n", "a\u0000", "schlüssel", "a\u007f"])("keys refuses %j", async (apiKey) => {
  const error = await failure(Promise.resolve().then(() => transportAt("http://127.0.0.1:1/v2", { apiKey })));
  expect(error).toMatchObject({ kind: "configuration", message: expect.stringContaining("API key") });
  if (apiKey !== "") expect(String(error)).not.toContain(apiKey);
});

describe("answers", () => {
  it.each([301, 302, 303, 307, 308])("a redirect (%i) is refused and the other host sees nothing", async (status) => {
    const other = await serve((_, response) => answer(response, 200, {}));
    const server = await serve((_, response) => answer(response, status, {}, { location: other.baseUrl }));
    expect(await failure(transportTo(server).send(get, idle))).toMatchObject({ kind: "redirect_refused" });
    expect(other.seen).toHaveLength(0);
  });

  it("tells what it waits for, one thing after the other", async () => {
    const server = await serve((_, response) => answer(response, 200, { ok: true }));
    const phases: string[] = [];
    await transportTo(server).send(get, idle, { onPhase: (what) => phases.push(what.replace(/ http.*/, "")) });
    expect(phases).toEqual(["a connection to", "an answer from", "the rest of an answer from"]);
  });

  it("an early hint is no answer", async () => {
    const server = await serve((_, response) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" }, () => answer(response, 200, { ok: true }));
    });
    expect(await transportTo(server).send(get, idle)).toMatchObject({ status: 200, text: '{"ok":true}' });
  });

  it.each([
    [256, "answer_lost"],
    [257, "answer_too_large"],
  ])("reads what is announced with %i MiB, or not: %s", async (mib, kind) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-length": String(mib * 1024 * 1024) });
      response.write("{", () => response.destroy());
    });
    expect(await failure(transportTo(server).send(get, idle))).toMatchObject({ kind });
  });

  it("an answer as large as allowed passes, however many pieces it comes in", async () => {
    const server = await serve((_, response) => {
      response.write("x".repeat(600));
      response.end("x".repeat(400));
    });
    expect((await transportTo(server, { maxAnswerBytes: 1_000 }).send(get, idle)).text).toHaveLength(1_000);
    const tight = transportTo(server, { maxAnswerBytes: 999 });
    expect(await failure(tight.send(get, idle))).toMatchObject({ kind: "answer_too_large" });
  });

  it("an error counts by its status, however its body ends", async () => {
    const server = await serve((_, response, index) => {
      response.writeHead(409, index === 0 ? { "content-length": "100" } : {});
      response.write(index === 1 ? "x".repeat(1024 * 1024) : '{"mess', () => {
        if (index === 2) response.socket?.destroy();
      });
    });
    const transport = transportTo(server, { timeouts: { bodyMs: 30 } });
    for (let i = 0; i < 3; i++) expect((await transport.send(post, idle)).status).toBe(409);
  });
});

describe("interruption", () => {
  it("is at once before anything is sent", async () => {
    const error = await failure(transportAt("http://127.0.0.1:1/v2").send(post, AbortSignal.abort()));
    expect(error).toBeInstanceOf(CancelledError);
  });

  it.each(["head", "body"])("is at once while the %s is awaited", async (part) => {
    const controller = new AbortController();
    const server = await serve((_, response) => {
      if (part === "body") response.writeHead(200).write("{");
      setImmediate(() => controller.abort());
    });
    expect(await failure(transportTo(server).send(get, controller.signal))).toBeInstanceOf(CancelledError);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("comes with the end of the pool as a lost answer", async () => {
    const server = await serve(() => void transport.close());
    const transport = transportTo(server);
    expect(await failure(transport.send(get, idle))).toBeInstanceOf(AnswerError);
  });
});

describe("faults before the request is sent", () => {
  it("nothing listens: unreachable", async () => {
    const server = await serve(() => {});
    await server.close();
    const error = await failure(transportTo(server).send(post, idle));
    expect(error).toMatchObject({
      kind: "unreachable",
      summary: expect.stringMatching(/^could not create: no connection/),
    });
    expect(String(error)).toContain("nothing listens there (ECONNREFUSED); does the emulator run?");
  });

  it.each<[string, () => Promise<Transport>]>([
    ["an unknown host", async () => transportAt("https://platform.invalid/v2")],
    ["not TLS", () => tlsTo((socket) => socket.once("data", () => socket.end("plain text\r\n")))],
    ["a TLS handshake that stalls", () => tlsTo(() => {}, { timeouts: { connectMs: 30 } })],
  ])("%s: unreachable", async (_, open) => {
    for (const name of ["HTTPS_PROXY", "https_proxy"]) vi.stubEnv(name, "");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await failure((await open()).send(post, idle))).toMatchObject({ kind: "unreachable" });
  });

  it("an error without a code: unreachable, with its message and no secret in it", async () => {
    const message = "it.connect is no function\u001b[2J, of http://user:pass-word@proxy.test for Bearer the-key";
    vi.spyOn(Agent.prototype, "dispatch").mockImplementationOnce(() => {
      throw new TypeError(message);
    });
    const error = await failure(transportAt("http://127.0.0.1/v2").send(get, idle));
    expect(error).toMatchObject({ kind: "unreachable" });
    expect(String(error)).toContain(
      "no connection to http://127.0.0.1: it.connect is no function, of http://proxy.test for Bearer [API key]",
    );
  });
});

describe("faults after the request was sent", () => {
  const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";

  it.each<[string, string | undefined, "end" | "reset" | "stall"]>([
    ["a reset before the answer", undefined, "reset"],
    ["an end before the answer", undefined, "end"],
    ["a stalled head", undefined, "stall"],
    ["half a head that stalls", "HTTP/1.1 200 OK\r\ncontent-", "stall"],
    ["a stalled body", `${HEAD}{"a":`, "stall"],
    ["a truncated body", `${HEAD}{"a":`, "end"],
    ["a body that is reset", `${HEAD}{"a":`, "reset"],
    ["a chunked body that ends early", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{}", "end"],
    ["what is no HTTP", "SSH-2.0-OpenSSH_9.0\r\n", "end"],
    [
      "an upgrade nobody asked for",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      "end",
    ],
  ])("%s: answer_lost", async (_, text, ending) => {
    const server = await serveTcp((socket) => {
      socket.once("data", () => {
        if (text !== undefined) socket.write(text);
        if (ending === "end") socket.end();
        if (ending === "reset") socket.resetAndDestroy();
      });
    });
    const transport = transportTo(server, { timeouts: { headersMs: 50, bodyMs: 50 } });
    const error = await failure(transport.send(post, idle));
    expect(error).toMatchObject({ kind: "answer_lost" });
    expect(error).toBeInstanceOf(AnswerError);
  });

  it("a reset of a kept connection under a POST: answer_lost, and nothing is sent twice", async () => {
    let requests = 0;
    const server = await serveTcp((socket) => {
      socket.on("data", () => {
        requests += 1;
        if (requests === 2) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
      });
    });
    const transport = transportTo(server);
    await transport.send(get, idle);
    expect(await failure(transport.send(post, idle))).toMatchObject({ kind: "answer_lost" });
    expect(requests).toBe(2);
  });

  /** What drips for ever: the head, the body, an early hint, or what ends a body. */
  const drips = {
    head: "HTTP/1.1 200 OK\r\nx-long: ",
    body: "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n",
    hints: "HTTP/1.1 103 Early Hints\r\n\r\n",
    chunk: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1000\r\n",
    trailer: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-long: ",
  };
  const dripping = (what: keyof typeof drips) =>
    serveTcp((socket) => {
      socket.once("data", () => {
        socket.write(drips[what]);
        const piece = what === "hints" ? drips.hints : " ";
        const drip = setInterval(() => socket.write(piece), 5);
        socket.on("close", () => clearInterval(drip));
      });
    });

  it.each(["head", "hints", "body", "chunk", "trailer"] as const)(
    "a %s that drips for ever: answer_lost after its own time, however much comes",
    async (what) => {
      const isHead = what === "head" || what === "hints";
      const timeouts = { headersMs: isHead ? 60 : 60_000, bodyMs: isHead ? 60_000 : 60 };
      const transport = transportTo(await dripping(what), { timeouts });
      expect(await failure(transport.send(post, idle))).toMatchObject({ kind: "answer_lost" });
    },
  );

  it.each(["head", "body"] as const)(
    "a %s that drips when the call's time is over: answer_lost at once",
    async (what) => {
      const over = new AbortController();
      const sent = failure(transportTo(await dripping(what)).send(post, idle, { deadline: over.signal }));
      setTimeout(() => over.abort(), 60);
      expect(await sent).toMatchObject({
        kind: "answer_lost",
        summary: "could not create: the time that the call had was over",
      });
    },
  );

  it("an error's body that drips when the call's time is over: the error", async () => {
    const over = new AbortController();
    const server = await serve((_, response) => {
      response.writeHead(429, { "retry-after": "3600" }).write("{");
      setTimeout(() => over.abort(), 60);
    });
    expect(await transportTo(server).send(get, idle, { deadline: over.signal })).toMatchObject({ status: 429 });
  });

  it("a connection that is not made when the call's time is over: unreachable", async () => {
    for (const name of ["HTTPS_PROXY", "https_proxy"]) vi.stubEnv(name, "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const over = new AbortController();
    const transport = await tlsTo(() => over.abort());
    expect(await failure(transport.send(post, idle, { deadline: over.signal }))).toMatchObject({ kind: "unreachable" });
  });
});
