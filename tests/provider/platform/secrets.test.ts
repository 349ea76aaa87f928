import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Api } from "../../../provider/platform/api";
import { createApi } from "../../../provider/platform/client";
import { wireEndpoint } from "../../support/samples";
import { createVirtualClock } from "../../support/virtual-clock";
import { answer, type RawServer, serve, serveTcp } from "./support/raw-server";

const KEY = "napi_k3y/with+signs=and.more";
const TRUNCATED = `HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"message":"${KEY}`;

describe("the key is in no error", () => {
  const echo = (text: string) => ({ code: text, message: `you sent Bearer ${text}`, request_id: text });

  it.each<[string, () => Promise<RawServer>]>([
    ...[400, 401, 403, 404, 409, 422, 423, 500].map((status): [string, () => Promise<RawServer>] => [
      `echoed in a ${status}`,
      () => serve((_, response) => answer(response, status, echo(KEY), { "x-request-id": KEY })),
    ]),
    [
      "echoed with escaped slashes",
      () => serve((_, response) => response.writeHead(400).end(JSON.stringify(echo(KEY)).replaceAll("/", "\\/"))),
    ],
    ["echoed as a page", () => serve((_, response) => response.end(`<html>${KEY}</html>`))],
    ["echoed as text", () => serve((_, response) => response.end(KEY))],
    ["echoed in a header alone", () => serve((_, response) => answer(response, 400, {}, { "x-request-id": KEY }))],
    ["echoed as a field's name", () => serve((_, response) => answer(response, 201, { endpoint: { [KEY]: KEY } }))],
    ["echoed in a redirect", () => serve((_, response) => answer(response, 302, {}, { location: `http://x/${KEY}` }))],
    ["of a reset", () => serveTcp((socket) => socket.once("data", () => socket.resetAndDestroy()))],
    ["of what is no HTTP", () => serveTcp((socket) => socket.once("data", (data) => socket.end(data)))],
    ["of a truncated body", () => serveTcp((socket) => socket.once("data", () => socket.end(TRUNCATED)))],
    ["of a closed door", closedServer],
  ])("%s", async (_, start) => {
    const server = await start();
    const clock = createVirtualClock();
    const api = createApi({ baseUrl: server.baseUrl, apiKey: KEY, clock, keySource: "environment" });
    onTestFinished(() => api.close());
    const error = await clock.run(
      api.createEndpoint("p-one", { branchId: "br-1" }).then(
        () => expect.unreachable(),
        (reason: unknown) => reason,
      ),
    );
    expect(error).toBeInstanceOf(Error);
    expectClean(error);
  });

  it("when it was given in the place of an id", async () => {
    const api = open("http://127.0.0.1:1/v2");
    expectClean(await api.listBranches(KEY).catch((reason: unknown) => reason));
    expectClean(await api.listBranches(KEY.replace("k3y", "k\u200b3y")).catch((reason: unknown) => reason));
    expectClean(await api.getEndpoint("p", `x${KEY}x`).catch((reason: unknown) => reason));
  });

  it.each<[string, (text: string) => string]>([
    ["as escapes", (text) => text.replaceAll("napi", "\\u006eapi")],
    ["with escaped slashes", (text) => text.replaceAll("/", "\\/")],
    ["with invisible characters", (text) => text.replaceAll("k3y", "k\u200b3y")],
  ])("nor is an endpoint taken that repeats it %s", async (_, written) => {
    for (const place of [
      { host: KEY },
      { name: `a ${KEY}` },
      { new_field: [{ deep: KEY }] },
      { [KEY]: 1 },
      { settings: { pg_settings: { [KEY]: "1" } } },
    ]) {
      const endpoint = wireEndpoint(place);
      const server = await serve((_request, response) => response.end(written(JSON.stringify({ endpoint }))));
      const error = await open(server.baseUrl)
        .updateEndpoint("p-one", "ep-calm-sea-1", {})
        .catch((one: unknown) => one);
      expect(error).toMatchObject({ kind: "bad_answer", message: expect.stringContaining("repeats the API key") });
      expectClean(error);
    }
  });

  it("rewrites nothing of an answer for a key that may be part of a word, and of no text either below 4 characters", async () => {
    const endpoint = wireEndpoint({ host: "wide-lake.example.com" });
    const server = await serve((_request, response, index) =>
      index % 2 === 0 ? answer(response, 200, { endpoint }) : answer(response, 400, { message: "wide-lake, wide" }),
    );
    for (const [apiKey, isTaken, shown] of [
      ["wide-lak", false, "[API key]e, wide"],
      ["wide-la", true, "[API key]ke, wide"],
      ["wide", true, "[API key]-lake, [API key]"],
      ["wid", true, "wide-lake, wide"],
    ] as const) {
      const api = createApi({ baseUrl: server.baseUrl, apiKey });
      onTestFinished(() => api.close());
      const update = () => api.updateEndpoint("p-one", String(endpoint.id), {});
      const taken = await update().catch((error: unknown) => error);
      expect(taken).toMatchObject(isTaken ? { endpoint: { host: endpoint.host } } : { kind: "bad_answer" });
      await expect(update()).rejects.toThrow(shown);
      expect(api.withoutKey("wide-lake, wide")).toBe(shown);
    }
  });

  it("nor in what the client shows of itself", () => {
    expectClean(open("http://127.0.0.1:1/v2"));
  });
});

function expectClean(value: unknown): void {
  const shown = [
    inspect(value, { depth: 10, showHidden: true }),
    String(value),
    JSON.stringify(value),
    value instanceof Error ? (value.stack ?? "") : "",
  ].join("\n");
  expect(shown).not.toContain(KEY);
  expect(shown).not.toContain("k3y");
}

function open(baseUrl: string): Api {
  const api = createApi({ baseUrl, apiKey: KEY });
  onTestFinished(() => api.close());
  return api;
}

async function closedServer(): Promise<RawServer> {
  const server = await serve(() => {});
  await server.close();
  return server;
}
