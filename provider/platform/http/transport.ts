/** Makes single attempts of requests, with bounds on time and size. */
import type { Dispatcher } from "undici";
import { onAbort } from "../../lib/clock";
import { cleanText } from "../../lib/redact";
import { PgComputeError } from "../errors";
import { timeouts } from "../policy";
import { isLoopback } from "./base-url";
import { openPool } from "./connections";
import { toAnswerError, toCancelledError } from "./http-errors";
import type { Answer, ApiRequest } from "./request";

/** The options of a transport. */
export interface TransportOptions {
  /** A result of `parseBaseUrl`. */
  baseUrl: URL;
  apiKey: string;
  userAgent: string;
  timeouts?: Partial<typeof timeouts> | undefined;
  /** Default: the machine's `setTimeout`. */
  setTimer?: SetTimer | undefined;
  /** Maximum size of a body, in bytes. Default 256 MiB. */
  maxAnswerBytes?: number | undefined;
}

/** Sends single attempts over one pool of persistent connections. */
export type Transport = ReturnType<typeof createTransport>;

/** Maximum size of an answer, in bytes: some 400,000 endpoints, within a process's memory. */
const MAX_ANSWER_BYTES = 256 * 1_024 * 1_024;

/** The deadline of one attempt, and the callback that reports its waits. */
export interface AttemptOptions {
  deadline?: AbortSignal | undefined;
  onPhase?: ((what: string) => void) | undefined;
}

/** The shared state of a transport's attempts. */
type Exchange = ReturnType<typeof openExchange>;

/** Calls `fire` once, after `ms` milliseconds; `close` cancels it. */
export type SetTimer = (fire: () => void, ms: number) => { close(): unknown };

const CODE = /^[A-Z][A-Z0-9_]{1,60}$/;

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the other side closed the connection",
  UND_ERR_CONNECT_TIMEOUT: "the connection took too long",
};

/** User and password in an address. */
const CREDENTIALS = /\/\/[^/\s]*@/g;

const MAX_MESSAGE = 300;

/** Bytes read of an error's body: enough to find its message. */
const MAX_ERROR_BYTES = 64 * 1_024;

/** Opens a pool for a base address. Throws `configuration` for an unusable key or proxy. */
export function createTransport(options: TransportOptions) {
  const context = openExchange(options);
  return {
    /**
     * Makes one attempt. Resolves with any answer but a redirect; rejects with an `AnswerError` or, on abort, a
     * `CancelledError`. After `deadline` the answer counts as lost.
     */
    send: (request: ApiRequest, signal: AbortSignal, more: AttemptOptions = {}) =>
      exchange(context, request, signal, more),
    /** Closes every connection at once. */
    close: () => context.dispatcher.destroy(),
  };
}

function openExchange({ baseUrl, apiKey, userAgent, ...options }: TransportOptions) {
  const bounds = { ...timeouts, ...options.timeouts };
  const { setTimer = setTimeout as SetTimer, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const authorization = `Bearer ${checkedKey(apiKey)}`;
  const headers = { authorization, accept: "application/json", "user-agent": userAgent };

  return {
    baseUrl,
    dispatcher: openPool(baseUrl, bounds.connectMs),
    headers,
    timeouts: bounds,
    setTimer,
    maxAnswerBytes,
  };
}

function checkedKey(key: string): string {
  if (key === "") throw new PgComputeError("configuration", "the API key is empty");
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new PgComputeError(
      "configuration",
      "the API key holds a blank, a line break or another character that no key has; copy it again without them",
    );
  }
  return key;
}

/** Makes one attempt. A failure before the pool writes the request is `unreachable`, a later one `answer_lost`. */
function exchange(
  context: Exchange,
  request: ApiRequest,
  signal: AbortSignal,
  { deadline, onPhase }: AttemptOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(toCancelledError(request));
    const { baseUrl, timeouts, setTimer, maxAnswerBytes } = context;
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let head: Omit<Answer, "text"> | undefined;
    let size = 0;
    let ended = false;
    let phaseTimer: ReturnType<SetTimer> | undefined;

    const end = () => {
      ended = true;
      phaseTimer?.close();
      release();
      letGo();
    };
    const fail = (error: Error) => {
      if (ended) return;
      end();
      reject(error);
      // Without a controller the request still waits for a connection: it is stopped when it gets one.
      controller?.abort(error);
    };

    const succeed = (rest: "complete" | "cut") => {
      if (ended || head === undefined) return;
      end();
      resolve({ ...head, text: Buffer.concat(chunks).toString("utf8") });
      if (rest === "cut") controller?.abort(new Error("the rest of the answer is not needed"));
    };

    const lose = (why: string) => {
      // An error's status is enough; its explanation may be cut.
      if (head !== undefined && head.status >= 400) return succeed("cut");
      fail(toAnswerError(controller === undefined ? "unreachable" : "answer_lost", request, why));
    };

    const cancel = () => fail(toCancelledError(request));
    const phase = (what: string, ms: number, why: string) => {
      onPhase?.(what);
      phaseTimer?.close();
      phaseTimer = setTimer(() => lose(`${why} within ${ms / 1_000} s`), ms);
    };

    const release = onAbort(signal, cancel);
    const letGo = onAbort(deadline, () => lose("the time that the call had was over"));
    phase(`a connection to ${baseUrl.origin}`, timeouts.connectMs, `no connection to ${baseUrl.origin} was made`);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // A second start would be a repeat by the pool, which only the policy may decide.
        if (ended || controller !== undefined) return started.abort(new Error("not sent again"));
        controller = started;
        phase(`an answer from ${baseUrl.origin}`, timeouts.headersMs, "the platform did not begin to answer");
      },
      onResponseStart(_, status, headers) {
        if (ended || status < 200) return;
        if (status >= 300 && status < 400) {
          return fail(toAnswerError("redirect_refused", request, `the platform answered with a redirect (${status})`));
        }
        head = { status, headers };
        if (status < 400 && Number(headers["content-length"] ?? 0) > maxAnswerBytes) return tooLarge();
        phase(`the rest of an answer from ${baseUrl.origin}`, timeouts.bodyMs, "the rest of the answer did not arrive");
      },
      onResponseData(_, chunk) {
        if (ended || head === undefined) return;
        size += chunk.length;

        if (head.status >= 400) {
          if (size - chunk.length < MAX_ERROR_BYTES) chunks.push(chunk);
          if (size >= MAX_ERROR_BYTES) succeed("cut");
          return;
        }
        if (size > maxAnswerBytes) return tooLarge();
        chunks.push(chunk);
      },
      onResponseEnd: () => succeed("complete"),
      onResponseError: (_, error) => lose(connectionMessage(error, controller !== undefined, context)),
    };
    const tooLarge = () =>
      fail(toAnswerError("answer_too_large", request, `the answer is larger than ${maxAnswerBytes} bytes`));

    try {
      context.dispatcher.dispatch(toDispatch(context, request), handler);
    } catch (error) {
      lose(connectionMessage(error, false, context));
    }
  });
}

/**
 * The reason for a failed connection, from its error code if any: other fields may hold the key or the proxy's
 * password.
 */
function connectionMessage(error: unknown, sent: boolean, { baseUrl, headers }: Exchange): string {
  const { origin, hostname } = baseUrl;
  const code = codeOf(error);
  const why = code === undefined ? messageOf(error, headers.authorization) : `${reasonOf(code)} (${code})`;
  return sent
    ? `the connection to ${origin} broke before the answer was complete: ${why}`
    : `no connection to ${origin}: ${why}${code === "ECONNREFUSED" && isLoopback(hostname) ? "; does the emulator run?" : ""}`;
}

function messageOf(error: unknown, authorization: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const key = authorization.replace(/^Bearer /, "");
  return cleanText(text.replace(CREDENTIALS, "//"), MAX_MESSAGE, key) || "an unknown error";
}

function toDispatch({ baseUrl, headers }: Exchange, request: ApiRequest): Dispatcher.DispatchOptions {
  const path = `${baseUrl.pathname}${request.path}${request.query ? `?${request.query}` : ""}`;
  const options = { origin: baseUrl.origin, path, method: request.method };
  if (request.body === undefined) return { ...options, headers };
  return {
    ...options,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(request.body),
  };
}

function reasonOf(code: string): string {
  if (CERTIFICATE.test(code)) {
    return "its TLS certificate is not valid for it, or its authority is unknown: NODE_EXTRA_CA_CERTS can name it";
  }
  return MESSAGES[code] ?? "the network failed";
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === "string" && CODE.test(code)) return code;
  // Several addresses were tried, each with its own error.
  return Array.isArray(errors) ? codeOf(errors[0]) : undefined;
}
