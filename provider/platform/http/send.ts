/** Sends a request: waits for its turn, attempts it, repeats it by the policy, and learns the platform's time. */
import { boundSignal, type Clock } from "../../lib/clock";
import { cleanJson, unmistakable } from "../../lib/redact";
import { asOwnError, HttpError, type KeySource } from "../errors";
import { isRefusedTooLong, repeatDelay } from "../policy";
import { type Again, noticed, type Outcome, until } from "../until";
import {
  header,
  parseHttpDate,
  requestIdOf,
  toAnswerError,
  toCancelledError,
  toHttpError,
  toTurnError,
} from "./http-errors";
import type { Answer, ApiRequest, RequestOptions } from "./request";
import type { Permit, Rank, RequestQueue } from "./request-queue";
import type { Transport } from "./transport";

/** A finished attempt, for counting and the trace. */
export interface RequestEvent {
  method: string;
  /** Relative to the base address, without the query. */
  path: string;
  /** Undefined without an answer. */
  status: number | undefined;
  /** The platform's id of the request, if the answer had one. */
  requestId: string | undefined;
  ms: number;
  /** The error's kind, without an answer. */
  failure?: string | undefined;
}

/** The options of a sender. */
export interface SendOptions {
  transport: Transport;
  queue: RequestQueue;
  clock: Clock;
  /** A random number from 0 to 1. */
  random: () => number;
  /** The API key, removed from the server's texts. */
  secret: string;
  keySource?: KeySource | undefined;
  /** The account's configured plan. */
  plan?: string | undefined;
  onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** A successful answer: its status and its JSON, undefined for an empty 204. */
export interface Result {
  status: number;
  json: unknown;
  /** The platform's id of the request, if the answer had one. */
  requestId: string | undefined;
}

/** The bounds of a request with its repeats. */
export interface SendBounds extends RequestOptions {
  /** Ends waits for a turn, and pauses, at once. */
  signal: AbortSignal;
  /** Ends running attempts; by default `signal`. */
  sending?: AbortSignal;
}

const UNAUTHORIZED = 401;

/** Creates a sender on a transport. It learns the platform's time from every answer. */
export function createSender(options: SendOptions) {
  const { clock, random } = options;
  /** The last refusal of the key. */
  let refusal: Answer | undefined;
  /** The platform's clock minus ours, in milliseconds, by the last answer's `Date`. */
  let aheadMs: number | undefined;

  const attempt = async (
    request: ApiRequest,
    permit: Permit,
    { signal, deadlineMs, onWait }: Pick<SendBounds, "signal" | "deadlineMs" | "onWait">,
  ): Promise<Result> => {
    const startedMs = performance.now();
    let answer: Answer | undefined;
    let failed: unknown;
    let what = "an answer";
    const onPhase = (now: string) => {
      what = now;
    };
    const deadline = deadlineMs === undefined ? undefined : boundSignal(clock, { deadlineMs });

    try {
      const sent = options.transport.send(request, signal, { deadline: deadline?.signal, onPhase });
      answer = await noticed(clock, sent, () => what, onWait);
      const atMs = parseHttpDate(header(answer, "date"));
      if (atMs !== undefined) aheadMs = atMs - clock.now();
      return read(request, answer);
    } catch (error) {
      failed = error;
      if (answer?.status === UNAUTHORIZED) refusal = answer;
      if (isRateLimited(error)) permit.refused(error.retryAfterMs);
      throw error;
    } finally {
      deadline?.release();
      // A 503 may come from in front of the rate limit, so it proves nothing about it.
      if (answer === undefined || answer.status === 503) permit.unanswered();
      else permit.passed();
      options.onRequest?.(eventOf(request, { answer, failed, ms: performance.now() - startedMs }, options.secret));
    }
  };

  const httpError = (request: ApiRequest, answer: Answer): HttpError => {
    const { secret, keySource, plan } = options;
    return toHttpError(request, answer, { secret, keySource, plan, nowMs: clock.now() });
  };

  const read = (request: ApiRequest, answer: Answer): Result => {
    if (answer.status >= 400) throw httpError(request, answer);
    const { status } = answer;
    const requestId = requestIdOf(answer, options.secret);
    if (status === 204) return { status, json: undefined, requestId };

    const { json, hasSecret } = cleanJson(parseJson(request, answer, requestId), unmistakable(options.secret));
    // Removing the key would falsify an id or host; keeping it would put the key into a state.
    if (hasSecret)
      throw toAnswerError("bad_answer", request, "the answer repeats the API key, and none of it was used");
    return { status, json, requestId };
  };

  /**
   * Sends a request: waits for its turn, attempts it, and repeats it by the policy. Throws only the errors of
   * `errors.ts`.
   */
  const send = async (request: ApiRequest, bounds: SendBounds): Promise<Result> => {
    const { signal, sending = signal, deadlineMs, isLook, onWait, onAttempt } = bounds;
    const startedMs = clock.now();
    let attempts = 0;
    const usual: Rank = isLook ? "look" : request.method === "GET" ? "read" : "change";
    let rank: Rank = usual;
    const lastMs = deadlineMs ?? Number.POSITIVE_INFINITY;
    let refusedMs: number | undefined;

    /** Start of the first attempt that the rate limit did not refuse: a wait for a turn is no outage. */
    let firstMs: number | undefined;

    /** Start of the last attempt; undefined without a turn. */
    let attemptMs: number | undefined;
    const known = refusal;

    const tryOnce = async (): Promise<Result> => {
      attemptMs = undefined;
      const permit = await options.queue.acquire(rank, signal, { deadlineMs, onWait });
      if (signal.aborted) {
        permit?.unanswered();
        throw toCancelledError(request);
      }

      if (permit === undefined) throw toTurnError(request, options.queue.noTurn(clock.now() - startedMs));
      if (refusal && refusal !== known) {
        // All requests have the same key: hundreds of waiting ones need not be refused one by one.
        permit.unanswered();
        throw httpError(request, refusal);
      }

      attemptMs = clock.now();
      tellAttempt(onAttempt, permit);
      return attempt(request, permit, { signal: sending, deadlineMs, onWait });
    };

    const again = ({ error }: Outcome<Result>): Again | undefined => {
      if (error === undefined || attemptMs === undefined) return undefined;
      const nowMs = clock.now();

      if (isRateLimited(error)) {
        refusedMs ??= nowMs;
        const nextMs = nowMs + (error.retryAfterMs ?? 0);
        if (nextMs > lastMs || isRefusedTooLong(refusedMs, nextMs)) return undefined;
        rank = isLook ? "look" : "refused";
        // It gets its turn after the common pause.
        return { ms: 0 };
      }

      attempts += 1;
      firstMs ??= attemptMs;
      rank = usual;
      const ms = repeatDelay(error, request, { attempts, elapsedMs: nowMs - firstMs }, random);
      return ms === undefined ? undefined : { ms, reason: `${asOwnError(error).summary}; then it is tried again` };
    };
    return until({ clock, signal, deadlineMs, onWait }, tryOnce, again);
  };

  return {
    send,
    /**
     * The platform's time in milliseconds, from its answers: at most 1 s and an answer's way behind, never ahead.
     * Undefined before the first.
     */
    platformTime: () => (aheadMs === undefined ? undefined : clock.now() + aheadMs),
  };
}

/** Calls the callback, which may cancel the attempt and so waste its permit. */
function tellAttempt(onAttempt: RequestOptions["onAttempt"], permit: Permit): void {
  try {
    onAttempt?.();
  } catch (error) {
    permit.unanswered();
    throw error;
  }
}

function eventOf(
  { method, path }: ApiRequest,
  { answer, failed, ms }: { answer: Answer | undefined; failed: unknown; ms: number },
  secret: string,
): RequestEvent {
  if (answer !== undefined) {
    const given = failed instanceof HttpError ? failed.requestId : undefined;
    return { method, path, status: answer.status, requestId: given ?? requestIdOf(answer, secret), ms };
  }
  return { method, path, status: undefined, requestId: undefined, ms, failure: asOwnError(failed).kind };
}

function parseJson(request: ApiRequest, answer: Answer, requestId: string | undefined): unknown {
  try {
    return JSON.parse(answer.text.replace(/^\uFEFF/, ""));
  } catch {
    throw toAnswerError("bad_answer", request, whyNotJson(answer), requestId);
  }
}

function whyNotJson(answer: Answer): string {
  if (answer.text.trim() === "") return `the answer (${answer.status}) is empty`;
  if (answer.text.trimStart().startsWith("<")) {
    return `the answer (${answer.status}) is a page for browsers, not JSON: something else than the platform's API answered`;
  }
  return `the answer (${answer.status}) is not JSON`;
}

/** True for a refusal by the rate limit, after which all callers of the account wait together. */
function isRateLimited(error: unknown): error is HttpError {
  return error instanceof HttpError && error.kind === "rate_limited";
}
