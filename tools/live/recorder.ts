/** A loopback proxy that relays every call to the platform and records the answers, without headers and keys. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Recorded } from "./shapes";

/** An open recorder. */
export interface Recorder {
  /** The base address to use instead of the platform's. */
  url: string;
  /** The answers so far, in order. */
  answers: Recorded[];
  /** Makes a call itself; rejects with status and message if refused. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens a recorder for the platform at a base address. */
export async function openRecorder(target: { baseUrl: string; apiKey: string }): Promise<Recorder> {
  const answers: Recorded[] = [];
  const server = createServer((request, response) => {
    pass(target.baseUrl, answers, request, response).catch((error: unknown) => {
      // No answer came: relay none, so that the client sees a lost call.
      console.error(
        `  no answer to ${request.method} ${request.url}: ${error instanceof Error ? error.message : error}`,
      );
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`;
  return {
    url,
    answers,
    async call(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${target.apiKey}`,
          accept: "application/json",
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
      return text ? JSON.parse(text) : undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pass(
  baseUrl: string,
  answers: Recorded[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "" } = request;
  const path = url.replace(/^\/api\/v2/, "");
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const kept = ["authorization", "accept", "content-type", "user-agent"] as const;
  const headers = Object.fromEntries(
    kept.flatMap((name) => (request.headers[name] ? [[name, request.headers[name]]] : [])),
  );
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers,
    redirect: "manual",
    ...(parts.length > 0 && { body: Buffer.concat(parts) }),
  });
  const text = await answer.text();
  answers.push({ method, path, status: answer.status, body: parsed(text) });
  const passedOn = ["content-type", "retry-after", "date"].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(answer.status, Object.fromEntries(passedOn)).end(text);
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return "no JSON";
  }
}
