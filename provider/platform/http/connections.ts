/** The connection pool to the platform, direct or through a proxy. Only `send.ts` decides on repeats. */
import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { PgComputeError } from "../errors";
import { isLoopback } from "./base-url";

/** The error codes of a connection that the other side closed. */
const HUNG_UP: readonly unknown[] = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

const PROXY_HUNG_UP = "the proxy hung up before it opened a tunnel";
const TUNNEL_HUNG_UP =
  "the proxy opened a tunnel, and then it or the platform hung up before the TLS connection was made";
const PROXY_REFUSALS: Readonly<Record<number, string>> = {
  403: "it does not allow this address",
  407: "it asks for the user name and password that HTTPS_PROXY can hold",
};

/**
 * Opens the pool for a base address, through the proxy of `HTTPS_PROXY` unless `NO_PROXY` or loopback; `HTTP_PROXY` is
 * ignored. Throws `configuration` for an unusable proxy.
 */
export function openPool(baseUrl: URL, connectMs: number): Dispatcher {
  // Explicit: NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise disable the check.
  const tls = { rejectUnauthorized: true, timeout: connectMs };

  const options: Pool.Options = {
    pipelining: 1,
    connect: tls,
    // The exchange has exact timers of its own; undici's are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (isLoopback(baseUrl.hostname)) return new Agent(options);

  try {
    return new EnvHttpProxyAgent({
      ...options,
      requestTls: tls,
      proxyTls: tls,
      // HTTP_PROXY is for plain http, which is allowed on loopback only.
      httpProxy: "",
      clientFactory: (proxy, more) => openTunnels(proxy, more, connectMs),
      factory: (origin, more) => new Pool(origin, madeOnce(more)),
    });
  } catch {
    // The error would show the proxy's address, which often contains a password.
    throw new PgComputeError("configuration", "the environment variable HTTPS_PROXY is not the address of a proxy");
  }
}

/** The connections to a proxy. If no tunnel is opened, the error has the proxy's answer. */
function openTunnels(proxy: URL, options: Pool.Options, connectMs: number): Pool {
  // A proxy that does not answer CONNECT must not exceed the connection's bound.
  const pool = new Pool(proxy, { ...options, headersTimeout: connectMs });
  const send: (this: Pool, request: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> = pool.connect;

  const connect = async (request: Dispatcher.ConnectOptions) => {
    const answer = await send.call(pool, request).catch((error: unknown) => {
      throw hasHungUp(error) ? new Error(PROXY_HUNG_UP) : error;
    });
    const { statusCode, socket } = answer;
    if (statusCode === 200) return answer;
    socket.on("error", () => {}).destroy();
    const why = PROXY_REFUSALS[statusCode];
    throw new Error(`the proxy answered ${statusCode} and opened no tunnel${why === undefined ? "" : `: ${why}`}`);
  };
  return Object.assign(pool, { connect });
}

/**
 * Pool options that connect once: a failed connection fails the waiting requests, instead of reconnecting without end.
 */
function madeOnce(options: Pool.Options): Pool.Options {
  const { connect } = options;
  // Node's own modules make direct connections, with other error codes.
  if (typeof connect !== "function") return options;

  const once: buildConnector.connector = (wanted, callback) =>
    connect(wanted, (...[error, socket]) => {
      if (error === null) callback(error, socket);
      else callback(hasHungUp(error) ? new Error(TUNNEL_HUNG_UP) : error, null);
    });
  return { ...options, connect: once };
}

function hasHungUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && HUNG_UP.includes(error.code);
}
