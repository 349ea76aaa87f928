/** When a call is repeated, and after how long, as pure functions. */
import { AnswerError, HttpError, isKind } from "./errors";
import type { ApiRequest } from "./http/transport";

/** How often and how long one call is repeated. Times in milliseconds. */
export interface RetryPolicy {
  /** Attempts in all where the network or the platform fails. Default 5. */
  maxAttempts: number;
  /** No repeat begins later than this after the first attempt did, where the network or the platform fails. Default 120,000. */
  maxTotalMs: number;
  /** Longest pause before the second attempt; it doubles with each one. Default 500. */
  baseDelayMs: number;
  /** Longest pause before any attempt. Default 10,000. */
  maxDelayMs: number;
  /** How long a call that is refused for the rate limit goes on. Default 600,000. */
  maxRateLimitMs: number;
}

/** The policy where nothing else is configured. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 5,
  maxTotalMs: 120_000,
  baseDelayMs: 500,
  maxDelayMs: 10_000,
  maxRateLimitMs: 600_000,
};

/** Attempts at reading what is not JSON: a proxy's page goes away or it stays. */
const MAX_BAD_ANSWERS = 3;

/**
 * Milliseconds to wait before the call is made again, or undefined when it must not be: because it may have been
 * performed, because repeating does not help, or because the policy's bounds are met (specification, section 7, published).
 * `tries` counts the attempts made, the failed one included. A 429 is not among them, nor decided here: all wait for it together.
 */
export function repeatDelay(
  error: unknown,
  request: Pick<ApiRequest, "method" | "makesNew">,
  tries: { attempts: number; elapsedMs: number },
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (!isRepeatable(error, request)) return undefined;
  const badAnswer = error instanceof AnswerError && error.kind === "bad_answer";
  if (tries.attempts >= (badAnswer ? Math.min(MAX_BAD_ANSWERS, policy.maxAttempts) : policy.maxAttempts)) {
    return undefined;
  }
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (tries.attempts - 1));
  const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
  const delay = asked === undefined ? random() * ceiling : Math.max(asked, random() * policy.baseDelayMs);
  return tries.elapsedMs + delay > policy.maxTotalMs ? undefined : delay;
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
