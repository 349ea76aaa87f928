/** A server that answers byte by byte as a test says, shows what it was asked, and is closed with the test. */

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createTransport, type Transport, type TransportOptions } from "../../../../provider/platform/http/transport";

/** A request as a raw server saw it. */
export interface SeenRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A server on a free loopback port. */
export type RawServer = Awaited<ReturnType<typeof listen>>;

/** Answers requests by hand; `index` counts them from 0. */
export type Handle = (request: SeenRequest, response: ServerResponse, index: number) => void;

/** An HTTP server that records what it is asked. */
export async function serve(handle: Handle): Promise<RawServer> {
  const seen: SeenRequest[] = [];
  const recorder: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const found = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
      handle(found, response, seen.push(found) - 1);
    });
  };
  return listen(createServer(recorder), seen);
}

/** A TCP server that speaks for itself, below HTTP. */
export async function serveTcp(onSocket: (socket: Socket) => void): Promise<RawServer> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    onSocket(socket);
  });
  return listen(server, []);
}

/** Sends JSON with a status. */
export function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function listen(server: Server, seen: SeenRequest[]) {
  /** Connections that are open at this moment. */
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onTestFinished(close);
  return { close, baseUrl: `http://127.0.0.1:${port}/api/v2`, port, seen, sockets };
}

/** A transport to a raw server. */
export function transportTo(server: RawServer, options: Partial<TransportOptions> = {}): Transport {
  return transportAt(server.baseUrl, options);
}

/** A transport to a base address, with a key that is `the-key`. */
export function transportAt(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({ baseUrl: new URL(baseUrl), apiKey: "the-key", userAgent: "test/1", ...options });
  onTestFinished(() => transport.close());
  return transport;
}

/** The error that the work ends with. */
export async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );
}
