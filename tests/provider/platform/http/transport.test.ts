import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { AnswerError, CancelledError } from "../../../../provider/platform/errors";
import type { ApiRequest } from "../../../../provider/platform/http/transport";
import { answer, serve } from "../support/raw-server";
import { closeAll, failure, open, transportAt, transportTo } from "../support/transport";

const get: ApiRequest = { method: "GET", path: "/projects/p", purpose: "read project p" };
const post: ApiRequest = { method: "POST", path: "/projects/p/endpoints", purpose: "create", body: { endpoint: {} } };
const idle = new AbortController().signal;

afterEach(closeAll);

describe("requests", () => {
  it("carry the key and the headers that the specification asks for", async () => {
    const server = await open(serve((_, response) => answer(response, 200, {})));
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
    const server = await open(serve((_, response) => answer(response, 200, {})));
    const transport = transportTo(server);
    for (let i = 0; i < 20; i++) await transport.send(get, idle);
    // The pool may take a second one while it tidies up after an answer.
    expect(server.sockets.size).toBeLessThanOrEqual(2);
  });
});

describe("keys", () => {
  it.each(["", "napi one", "a\nb", "key\n", "a\u0000", "schlüssel", "a\u007f"])("refuses %j", async (apiKey) => {
    const error = await failure(Promise.resolve().then(() => transportAt("http://127.0.0.1:1/v2", { apiKey })));
    expect(error).toMatchObject({ kind: "configuration", property: "apiKey" });
    if (apiKey !== "") expect(String(error)).not.toContain(apiKey);
  });
});

describe("answers", () => {
  it.each([301, 302, 303, 307, 308])("a redirect (%i) is refused and the other host sees nothing", async (status) => {
    const other = await open(serve((_, response) => answer(response, 200, {})));
    const server = await open(serve((_, response) => answer(response, status, {}, { location: other.baseUrl })));
    expect(await failure(transportTo(server).send(get, idle))).toMatchObject({ kind: "redirect_refused" });
    expect(other.seen).toHaveLength(0);
  });

  it("an early hint is no answer", async () => {
    const server = await open(
      serve((_, response) => {
        response.writeEarlyHints({ link: "</x>; rel=preload" }, () => answer(response, 200, { ok: true }));
      }),
    );
    expect(await transportTo(server).send(get, idle)).toMatchObject({ status: 200, text: '{"ok":true}' });
  });

  it.each([
    ["announced", { "content-length": String(100 * 1024 * 1024) }],
    ["streamed", {}],
  ])("100 MB, %s, are cut off", async (_, headers) => {
    let sent = 0;
    const server = await open(
      serve((_, response) => {
        response.writeHead(200, headers);
        const chunk = Buffer.alloc(256 * 1024, 32);
        const push = () => {
          while (sent < 100 * 1024 * 1024 && !response.destroyed) {
            sent += chunk.length;
            if (!response.write(chunk)) return void response.once("drain", push);
          }
        };
        push();
      }),
    );
    const transport = transportTo(server, { maxAnswerBytes: 1024 * 1024 });
    expect(await failure(transport.send(get, idle))).toMatchObject({ kind: "answer_too_large" });
    expect(sent).toBeLessThan(50 * 1024 * 1024);
  });

  it.each([
    [256, "answer_lost"],
    [257, "answer_too_large"],
  ])("reads what is announced with %i MiB, or not: %s", async (mib, kind) => {
    const server = await open(
      serve((_, response) => {
        response.writeHead(200, { "content-length": String(mib * 1024 * 1024) });
        response.write("{", () => response.destroy());
      }),
    );
    expect(await failure(transportTo(server).send(get, idle))).toMatchObject({ kind });
  });

  it("an answer as large as allowed passes", async () => {
    const server = await open(serve((_, response) => response.end("x".repeat(1_000))));
    const transport = transportTo(server, { maxAnswerBytes: 1_000 });
    expect((await transport.send(get, idle)).text).toHaveLength(1_000);
    const tight = transportTo(server, { maxAnswerBytes: 999 });
    expect(await failure(tight.send(get, idle))).toMatchObject({ kind: "answer_too_large" });
  });

  it("an error counts by its status, however its body ends", async () => {
    const server = await open(
      serve((_, response, index) => {
        response.writeHead(409, index === 0 ? { "content-length": "100" } : {});
        response.write(index === 1 ? "x".repeat(1024 * 1024) : '{"mess', () => {
          if (index === 2) response.socket?.destroy();
        });
      }),
    );
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
    const server = await open(
      serve((_, response) => {
        if (part === "body") response.writeHead(200).write("{");
        setImmediate(() => controller.abort());
      }),
    );
    expect(await failure(transportTo(server).send(get, controller.signal))).toBeInstanceOf(CancelledError);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("comes with the end of the pool as a lost answer", async () => {
    const server = await open(serve(() => void transport.close()));
    const transport = transportTo(server);
    expect(await failure(transport.send(get, idle))).toBeInstanceOf(AnswerError);
  });
});
