/** When a call is repeated, and after how long, as pure functions. */
import { AnswerError, HttpError, isKind } from "./errors";
import type { ApiRequest } from "./http/transport";

/** Attempts in all where the network or the platform fails. */
const MAX_ATTEMPTS = 5;
/** Attempts at reading what is not JSON: a proxy's page goes away or it stays. */
const MAX_BAD_ANSWERS = 3;
/** No repeat begins later than this after the first attempt did, in milliseconds. */
const MAX_TOTAL_MS = 120_000;
/** Longest pause before the second attempt, in milliseconds; it doubles with each one. */
const BASE_DELAY_MS = 500;

/**
 * Milliseconds to wait before the call is made again, or undefined when it must not be: because it may have been
 * performed, because repeating does not help, or because the bounds are met (specification, section 7, published).
 * `tries` counts the attempts made, the failed one included. A 429 is not among them, nor decided here: all wait for it together.
 */
export function repeatDelay(
  error: unknown,
  request: Pick<ApiRequest, "method" | "makesNew">,
  tries: { attempts: number; elapsedMs: number },
  random: () => number,
): number | undefined {
  if (!isRepeatable(error, request)) return undefined;
  const badAnswer = error instanceof AnswerError && error.kind === "bad_answer";
  if (tries.attempts >= (badAnswer ? MAX_BAD_ANSWERS : MAX_ATTEMPTS)) return undefined;
  const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
  const longestMs = BASE_DELAY_MS * 2 ** (tries.attempts - 1);
  const delayMs = asked === undefined ? random() * longestMs : Math.max(asked, random() * BASE_DELAY_MS);
  return tries.elapsedMs + delayMs > MAX_TOTAL_MS ? undefined : delayMs;
}

/** True for a refusal by the rate limit, which every caller of the account waits for together. */
export function isRateLimited(error: unknown): error is HttpError {
  return error instanceof HttpError && error.kind === "rate_limited";
}

function isRepeatable(error: unknown, { method, makesNew }: Pick<ApiRequest, "method" | "makesNew">): boolean {
  const reading = method === "GET";
  if (error instanceof HttpError) {
    // A change's 423 is missing on purpose: only the caller knows which operations to wait for.
    return (error.status === 503 && !makesNew) || (reading && isKind(error, "server", "locked"));
  }
  if (!(error instanceof AnswerError)) return false;
  if (error.kind === "unreachable") return true;
  return reading && (error.kind === "answer_lost" || error.kind === "bad_answer");
}
