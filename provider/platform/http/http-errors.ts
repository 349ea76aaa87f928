/** Builds errors from answers, and for calls without an answer. */
import { cleanText } from "../../lib/redact";
import { isRecord } from "../../lib/unknown";
import { AnswerError, CancelledError, HttpError, type HttpErrorKind, type KeySource } from "../errors";
import { repeats } from "../policy";
import type { Answer, ApiRequest } from "./request";

/** Facts about the client for errors, with the time in milliseconds since the epoch, for a `Retry-After` date. */
interface ErrorContext {
  /** The API key, removed from the server's texts. */
  secret: string;
  keySource?: KeySource | undefined;
  /** The account's configured plan. */
  plan?: string | undefined;
  nowMs: number;
}

/** The error kinds of statuses (specification, section 7, published). */
const KINDS: Readonly<Record<number, HttpErrorKind>> = {
  401: "unauthorized",
  402: "over_limit",
  403: "forbidden",
  404: "not_found",
  // A proxy closed the connection: as good as no answer.
  408: "server",
  409: "conflict",
  // The account's plan forbids the change.
  412: "over_limit",
  422: "not_ready",
  423: "locked",
  425: "server",
  429: "rate_limited",
};

/** Statuses that may mean a limit or a quota: by their code or, as codes are often empty, by the platform's words. */
const MAY_BE_LIMIT: ReadonlySet<number> = new Set([400, 403, 422, 423]);
const LIMIT_CODE = /^PLAN_|QUOTA|_EXCEEDED$/i;
const LIMIT_WORDS =
  /\bquota\b|\bexceed(s|ed)? (the|your|its) .*\blimit\b|\bnot (permitted|allowed|available) (on|for|in|with) (this|your|the) (account|plan)\b/i;

/** A 423 without a code is a lock. With one it is a lock by this code or these words, and a refusal for good otherwise. */
const LOCK_CODE = /^(RUNNING_OPERATIONS)?$/i;
const LOCK_WORDS =
  /\b(running|conflicting) operations\b|\boperation\b.* is (running|scheduling)\b|\btransitive state\b/i;

/** Headers with the platform's request id, the most reliable first (published; recorded 2024 to 2026). */
const REQUEST_ID_HEADERS = ["x-neon-ret-request-id", "x-request-id"];

const MAX_MESSAGE = 300;
const MAX_CODE = 80;

/** The error for an error status, with the platform's own words if its body has any. */
export function toHttpError(request: ApiRequest, answer: Answer, context: ErrorContext): HttpError {
  const { status } = answer;
  const { code, message, requestId } = readBody(answer, context);
  const kind = kindOf(status, code, message);
  const label = [String(status), code].filter((part) => part !== "").join(" ");
  const explanation = message === "" ? "" : `: ${message}`;
  const why = withRequestId(`the platform answered ${label}${explanation}`, requestId);

  return new HttpError(kind, summaryOf(request, why), {
    path: request.path,
    status,
    code,
    requestId,
    retryAfterMs: parseRetryAfter(header(answer, "retry-after"), context.nowMs, header(answer, "date")),
    keySource: context.keySource,
    plan: context.plan,
    isRead: request.method === "GET",
  });
}

/** The error for a call that got no turn in time: because of the rate limit, or of time alone. */
export function toTurnError(
  request: ApiRequest,
  { kind, why }: { kind: "rate_limited" | "timeout"; why: string },
): HttpError | AnswerError {
  if (kind === "timeout") return toAnswerError(kind, request, why);
  const { path, method } = request;
  return new HttpError("rate_limited", summaryOf(request, why), { path, status: 429, isRead: method === "GET" });
}

/** The error for a call without a usable answer. It has no `cause`, which could hold the request with its key. */
export function toAnswerError(
  kind: AnswerError["kind"],
  request: ApiRequest,
  why: string,
  requestId?: string | undefined,
): AnswerError {
  return new AnswerError(kind, summaryOf(request, withRequestId(why, requestId)), { isRead: request.method === "GET" });
}

/** The platform's request id from an answer's headers, without the secret; undefined if missing. */
export function requestIdOf(answer: Pick<Answer, "headers">, secret: string): string | undefined {
  const told = REQUEST_ID_HEADERS.map((name) => cleanText(header(answer, name)?.trim() ?? "", MAX_CODE, secret));
  return told.find((id) => id !== "");
}

/** The error for an interrupted call. */
export function toCancelledError(request: ApiRequest): CancelledError {
  return new CancelledError(summaryOf(request, "interrupted"));
}

/**
 * Milliseconds that a `Retry-After` header asks for; of a date, the shorter wait from `nowMs` or from the answer's
 * `Date`. Undefined if missing or unusable.
 */
export function parseRetryAfter(
  value: string | undefined,
  nowMs: number,
  dateHeader?: string | undefined,
): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  const at = parseHttpDate(text);
  if (at === undefined) return undefined;
  const sentAt = parseHttpDate(dateHeader) ?? Number.NaN;
  // The shorter of the two: too early costs one refusal, too late may cost minutes.
  const waits = [at - nowMs, at - sentAt].filter((wait) => Math.abs(wait) <= repeats.longestAskedMs);
  return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
}

/** An HTTP date in milliseconds since the epoch; undefined for other text. */
export function parseHttpDate(text: string | undefined): number | undefined {
  // It begins with a weekday; Date.parse accepts much else.
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function kindOf(status: number, code: string, message: string): HttpErrorKind {
  const isLimit = code === "" ? LIMIT_WORDS.test(message) : LIMIT_CODE.test(code);
  if (isLimit && MAY_BE_LIMIT.has(status)) return "over_limit";
  if (status === 423 && !LOCK_CODE.test(code) && !LOCK_WORDS.test(message)) return "over_limit";
  return KINDS[status] ?? (status >= 500 ? "server" : "invalid_request");
}

function summaryOf(request: ApiRequest, why: string): string {
  return `could not ${request.purpose}: ${why}`;
}

function withRequestId(why: string, requestId: string | undefined): string {
  return requestId === undefined ? why : `${why} [request ${requestId}]`;
}

function readBody(answer: Answer, { secret }: ErrorContext) {
  const body = parseObject(answer.text);
  const field = (name: string, maxLength: number) => {
    const value = body[name];
    return typeof value === "string" ? cleanText(value, maxLength, secret) : "";
  };
  return {
    code: field("code", MAX_CODE),
    message: field("message", MAX_MESSAGE),
    requestId: field("request_id", MAX_CODE) || requestIdOf(answer, secret),
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}

/** A header's value; the first of several. */
export function header(answer: Pick<Answer, "headers">, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
