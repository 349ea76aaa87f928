/** The connection pool for one base address, with its bounds of time and size. */
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { ConfigurationError } from "../errors";
import { isLoopback } from "./base-url";
import { type Exchange, exchange, type Timeouts } from "./exchange";
import type { Answer, ApiRequest } from "./request";

/** What a transport is made of. */
export interface TransportOptions {
  /** As `parseBaseUrl` returned it. */
  baseUrl: URL;
  apiKey: string;
  userAgent: string;
  timeouts?: Partial<Timeouts> | undefined;
  /** Largest body that is read, in bytes. Default 256 MiB. */
  maxAnswerBytes?: number | undefined;
}

/** Sends single attempts over one pool of kept connections. */
export interface Transport {
  /**
   * One attempt. Resolves with an answer of any status but a redirect; rejects with `AnswerError`, whose kind says
   * whether anything can have been performed, or with `CancelledError` at once when the signal is aborted.
   */
  send(request: ApiRequest, signal: AbortSignal): Promise<Answer>;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** The bounds where nothing else is configured. */
export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 120_000 };

/** The bound on an answer's size in bytes: about four hundred thousand endpoints, and no more than a process can hold. */
const MAX_ANSWER_BYTES = 256 * 1_024 * 1_024;

/** Connections that one client keeps open at most. */
const MAX_CONNECTIONS = 64;

/** Opens a pool for one base address. Throws `ConfigurationError` where the key or the proxy cannot be used. */
export function createTransport(options: TransportOptions): Transport {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const context: Exchange = {
    dispatcher: openPool(options.baseUrl, timeouts.connectMs),
    origin: options.baseUrl.origin,
    basePath: options.baseUrl.pathname,
    headers: {
      authorization: `Bearer ${checkedKey(options.apiKey)}`,
      accept: "application/json",
      "user-agent": options.userAgent,
    },
    timeouts,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
  };
  return {
    send: (request, signal) => exchange(context, request, signal),
    close: () => context.dispatcher.destroy(),
  };
}

function openPool(baseUrl: URL, connectMs: number): Dispatcher {
  // Said outright, because otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would turn the check off.
  const tls = { rejectUnauthorized: true, timeout: connectMs };
  const pool = {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    connect: tls,
    // The exchange has its own, exact timers; undici's are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (isLoopback(baseUrl.hostname)) return new Agent(pool);
  try {
    return new EnvHttpProxyAgent({
      ...pool,
      requestTls: tls,
      proxyTls: tls,
      // HTTP_PROXY is for plain http, which only loopback may use.
      httpProxy: "",
      // A proxy that does not answer CONNECT must not outlast the connection's own bound.
      clientFactory: (origin, opts) => new Pool(origin, { ...opts, headersTimeout: connectMs }),
    });
  } catch {
    // The error would show the proxy's address, which often holds a password.
    throw new ConfigurationError("HTTPS_PROXY", "the environment variable HTTPS_PROXY is not the address of a proxy");
  }
}

function checkedKey(key: string): string {
  if (key === "") {
    throw new ConfigurationError("apiKey", "the API key is empty");
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError(
      "apiKey",
      "the API key holds a blank, a line break or another character that no key has; copy it again without them",
    );
  }
  return key;
}
