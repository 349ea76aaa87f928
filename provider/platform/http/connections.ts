/** The pool of connections to the platform, straight or through a proxy. Whether one that failed is made again is decided in `send.ts` alone. */
import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { PgComputeError } from "../errors";
import { isLoopback } from "./base-url";

/** The codes of a connection that the other side has ended. */
const HUNG_UP: readonly unknown[] = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

const PROXY_HUNG_UP = "the proxy hung up before it opened a tunnel";
const TUNNEL_HUNG_UP =
  "the proxy opened a tunnel, and then it or the platform hung up before the TLS connection was made";
const PROXY_REFUSALS: Readonly<Record<number, string>> = {
  403: "it does not allow this address",
  407: "it asks for the user name and password that HTTPS_PROXY can hold",
};

/** Opens the pool for one base address. Throws `configuration` where the proxy of the environment cannot be used. */
export function openPool(baseUrl: URL, connectMs: number): Dispatcher {
  // Said outright, because otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would turn the check off.
  const tls = { rejectUnauthorized: true, timeout: connectMs };
  const options: Pool.Options = {
    pipelining: 1,
    connect: tls,
    // The exchange has its own, exact timers; undici's are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (isLoopback(baseUrl.hostname)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent({
      ...options,
      requestTls: tls,
      proxyTls: tls,
      // HTTP_PROXY is for plain http, which only loopback may use.
      httpProxy: "",
      clientFactory: (proxy, more) => openTunnels(proxy, more, connectMs),
      factory: (origin, more) => new Pool(origin, madeOnce(more)),
    });
  } catch {
    // The error would show the proxy's address, which often holds a password.
    throw new PgComputeError("configuration", "the environment variable HTTPS_PROXY is not the address of a proxy");
  }
}

/** The connections to a proxy. One that is not made into a tunnel says in its error what the proxy did. */
function openTunnels(proxy: URL, options: Pool.Options, connectMs: number): Pool {
  // A proxy that does not answer CONNECT must not outlast the connection's own bound.
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
 * Options of a pool that makes each connection once. Its own client connects again at once, without pause and end, where the error's code says
 * that a socket was closed, which a tunnel's may: here such an error has no code, and ends the requests that wait for the connection.
 */
function madeOnce(options: Pool.Options): Pool.Options {
  const { connect } = options;
  // Straight connections are made by Node's own modules, whose errors have other codes.
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
