import { afterEach, describe, expect, it } from "vitest";
import { AnswerError, isKind } from "../../../../provider/platform/errors";
import type { ApiRequest } from "../../../../provider/platform/http/request";
import { serve, serveTcp, serveTls } from "../support/raw-server";
import { closeAll, failure, open, transportAt, transportTo, withEnv } from "../support/transport";

const get: ApiRequest = { method: "GET", path: "/projects/p", purpose: "read project p" };
const post: ApiRequest = { method: "POST", path: "/projects/p/endpoints", purpose: "create", body: { endpoint: {} } };
const idle = new AbortController().signal;

/** A key for tests alone: it proves nothing to anybody. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcZtt9jAYbPNiYXng
3hhqZ8viIonvjqamgsXBW86QEMKhRANCAAQ63Kn3j+BK42GXRPe2A9syogYVeDPi
NidXO9MMuvsFJfNRAjuVgolaYY2bSMGmEbuozUsgFHenYv//u8W2Sqqk
-----END PRIVATE KEY-----`;

/** The certificate that goes with it, for localhost, signed by nobody but itself, valid until 2125. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUK4iYm71eb52paGOsbYlfYGvVOxMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MDM0NloYDzIxMjYxMDI4
MDQwMzQ2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ63Kn3j+BK42GXRPe2A9syogYVeDPiNidXO9MMuvsFJfNRAjuVgola
YY2bSMGmEbuozUsgFHenYv//u8W2Sqqko28wbTAdBgNVHQ4EFgQUDq/wnAXL5MHg
yd2iMzipRgcG4zUwHwYDVR0jBBgwFoAUDq/wnAXL5MHgyd2iMzipRgcG4zUwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAPDyXEmx/aFSZhyCQslnwYoHLcVwX7lpcylmWRlqAdLnAiEA
wykEj7kusAJq4ploHcWRReZWMf3DS5u5xVqQVvlLh4E=
-----END CERTIFICATE-----`;

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

  it.each(["0", "1"])(
    "a certificate nobody vouches for, NODE_TLS_REJECT_UNAUTHORIZED=%s: unreachable",
    async (setting) => {
      const requests: string[] = [];
      const server = await open(serveTls({ key, cert: certificate }, (request) => requests.push(request.url)));
      await withEnv({ NODE_TLS_REJECT_UNAUTHORIZED: setting }, async () => {
        const error = await failure(transportAt(`https://localhost:${server.port}/v2`).send(post, idle));
        expect(error).toMatchObject({ kind: "unreachable" });
        expect(String(error)).toContain("TLS certificate");
      });
      expect(requests).toEqual([]);
    },
  );

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
