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
  ])("nor in an endpoint that repeats it %s", async (_, written) => {
    const endpoint = wireEndpoint({ host: KEY, name: KEY, new_field: KEY, settings: { pg_settings: { [KEY]: KEY } } });
    const server = await serve((_request, response) => response.end(written(JSON.stringify({ endpoint }))));
    const record = await open(server.baseUrl).getEndpoint("p-one", "ep-calm-sea-1");
    expect(record).toMatchObject({ host: "[API key]", name: "[API key]", pgSettings: { "[API key]": "[API key]" } });
    expectClean(record);
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
