/** The transport on such servers, and what it ends with. */
import { createTransport, type Transport, type TransportOptions } from "../../../../provider/platform/http/transport";
import type { RawServer } from "./raw-server";

const opened: { close(): Promise<void> }[] = [];

/** Closes all that `open` and `transportAt` opened; for `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const each of opened.splice(0)) await each.close();
}

/** A transport to a raw server. */
export function transportTo(server: RawServer, options: Partial<TransportOptions> = {}): Transport {
  return transportAt(server.baseUrl, options);
}

/** A transport to a base address, with a key that is `the-key`. */
export function transportAt(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({ baseUrl: new URL(baseUrl), apiKey: "the-key", userAgent: "test/1", ...options });
  opened.push(transport);
  return transport;
}

/** A server that `closeAll` closes. */
export async function open(starting: Promise<RawServer>): Promise<RawServer> {
  const server = await starting;
  opened.push(server);
  return server;
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

/** Does the work under changed environment variables. */
export async function withEnv(change: Record<string, string>, work: () => Promise<void>): Promise<void> {
  const before = new Map(Object.keys(change).map((name) => [name, process.env[name]]));
  Object.assign(process.env, change);
  try {
    await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
