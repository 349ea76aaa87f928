import { afterEach, describe, expect, it } from "vitest";
import { AnswerError, isKind } from "../../../../provider/platform/errors";
import {
  type ApiRequest,
  DEFAULT_TIMEOUTS,
  type Exchange,
  exchange,
} from "../../../../provider/platform/http/transport";
import { serve, serveTcp } from "../support/raw-server";
import { closeAll, failure, open, transportAt, transportTo, withEnv } from "../support/transport";

const get: ApiRequest = { method: "GET", path: "/projects/p", purpose: "read project p" };
const post: ApiRequest = { method: "POST", path: "/projects/p/endpoints", purpose: "create", body: { endpoint: {} } };
const idle = new AbortController().signal;

afterEach(closeAll);

describe("faults before the request is sent", () => {
  it("nothing listens: unreachable", async () => {
    const server = await serve(() => {});
    await server.close();
    const error = await failure(transportTo(server).send(post, idle));
    expect(error).toMatchObject({ kind: "unreachable", method: "POST", path: "/projects/p/endpoints" });
    expect(String(error)).toContain("ECONNREFUSED");
  });

  it("an unknown host: unreachable", async () => {
    await withEnv({ HTTPS_PROXY: "", https_proxy: "" }, async () => {
      const error = await failure(transportAt("https://platform.invalid/v2").send(post, idle));
      expect(isKind(error, "unreachable")).toBe(true);
    });
  });

  it("not TLS: unreachable", async () => {
    const server = await open(serveTcp((socket) => socket.once("data", () => socket.end("plain text\r\n"))));
    const error = await failure(transportAt(`https://127.0.0.1:${server.port}/v2`).send(post, idle));
    expect(isKind(error, "unreachable")).toBe(true);
  });

  it("an error without a code: unreachable, with its message and no secret in it", async () => {
    const message = "it.connect is no function\u001b[2J, of http://user:pass-word@proxy.test for Bearer the-key";
    const dispatcher = {
      dispatch: () => {
        throw new TypeError(message);
      },
    };
    const error = await failure(
      exchange(
        {
          dispatcher: dispatcher as unknown as Exchange["dispatcher"],
          origin: "https://platform.test",
          basePath: "/v2",
          headers: { authorization: "Bearer the-key" },
          timeouts: DEFAULT_TIMEOUTS,
          setTimer: setTimeout,
          maxAnswerBytes: 1,
        },
        get,
        idle,
      ),
    );
    expect(error).toMatchObject({ kind: "unreachable" });
    expect(String(error)).toContain(
      "no connection to https://platform.test: it.connect is no function, of http://proxy.test for Bearer [API key]",
    );
  });

  it("a TLS handshake that stalls: unreachable after the connect timeout", async () => {
    const server = await open(serveTcp(() => {}));
    const timeouts = { connectMs: 30 };
    const error = await failure(transportAt(`https://127.0.0.1:${server.port}/v2`, { timeouts }).send(post, idle));
    expect(isKind(error, "unreachable")).toBe(true);
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
    const server = await open(
      serveTcp((socket) => {
        socket.once("data", () => {
          if (text !== undefined) socket.write(text);
          if (ending === "end") socket.end();
          if (ending === "reset") socket.resetAndDestroy();
        });
      }),
    );
    const transport = transportTo(server, { timeouts: { headersMs: 50, bodyMs: 50 } });
    const error = await failure(transport.send(post, idle));
    expect(error).toMatchObject({ kind: "answer_lost" });
    expect(error).toBeInstanceOf(AnswerError);
  });

  it("a reset of a kept connection under a POST: answer_lost, and nothing is sent twice", async () => {
    let requests = 0;
    const server = await open(
      serveTcp((socket) => {
        socket.on("data", () => {
          requests += 1;
          if (requests === 2) socket.resetAndDestroy();
          else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        });
      }),
    );
    const transport = transportTo(server);
    await transport.send(get, idle);
    expect(await failure(transport.send(post, idle))).toMatchObject({ kind: "answer_lost" });
    expect(requests).toBe(2);
  });

  it("a body that drips for ever: answer_lost after the total", async () => {
    let drip: NodeJS.Timeout | undefined;
    const server = await open(
      serve((_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        drip = setInterval(() => response.write(" "), 5);
        response.on("close", () => clearInterval(drip));
      }),
    );
    const transport = transportTo(server, { timeouts: { bodyMs: 60_000, totalMs: 60 } });
    expect(await failure(transport.send(get, idle))).toMatchObject({ kind: "answer_lost" });
  });
});
