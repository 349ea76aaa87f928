/**
 * The policy after each failure, and the length of each wait: every pause, bound and number of repeats, with its
 * reason.
 *
 * | after                                 | reaction                                                                |
 * | ------------------------------------- | ----------------------------------------------------------------------- |
 * | 429, of any method                    | nothing was done: `http/request-queue.ts` pauses all requests, as long  |
 * |                                       | as `Retry-After` says, else a doubling span, then halves the pace       |
 * |                                       | (`rateLimit`); `http/send.ts` repeats the request                       |
 * | a lock (423), or 422 while operations | nothing was done: a read repeats, a change first awaits them (`gaps`);  |
 * | are open                              | `http/http-errors.ts` knows a 423 that is no lock                       |
 * | 503, no connection                    | nothing was done: repeat (`repeats`); for a create, see the next row    |
 * | a lost answer; 5xx of a change        | a read repeats; a change is looked up, and repeated if absent (`lost`)  |
 * | the call's deadline (`deadlineMs`)    | nothing more is sent; one last lookup of a change (`lost.graceMs`)      |
 * | a cancel                              | as the deadline, but the answer to a running change is awaited          |
 * | anything else                         | the error ends the call                                                 |
 *
 * `deadlineMs` is always a time of the clock, `timeoutMs` a span. All waits use the one loop in `until.ts`.
 */
import { AnswerError, HttpError, isKind } from "./errors";
import type { ApiRequest } from "./http/request";

/** Maximum duration of each part of an attempt, in milliseconds. `requestTimeoutSeconds` overrides them. */
export const timeouts = {
  /** Until a request can be written: DNS, connection and TLS. */
  connectMs: 10_000,
  /** From the request to the end of the response headers. */
  headersMs: 30_000,
  /** From the headers to the end of the body. */
  bodyMs: 30_000,
};

/** Repeats of one request. */
export const repeats = {
  /** Attempts in all, if the network, a proxy or the platform fails. */
  attempts: 5,
  /** Attempts in all for an answer that is not JSON: a proxy's error page is short-lived or permanent. */
  badAnswers: 3,
  /**
   * Maximum pause before the second attempt, in milliseconds; doubles each time. Random, so that clients do not return
   * together.
   */
  firstPauseMs: 500,
  /** Latest start of a repeat after the first attempt, in milliseconds: a longer outage is for people to see. */
  withinMs: 120_000,
  /** A longer `Retry-After`, in milliseconds, is taken for a clock's error. */
  longestAskedMs: 24 * 60 * 60 * 1_000,
} as const;

/** The account's rate limit, unknown before the first 429. */
export const rateLimit = {
  /**
   * The published limit, in requests a second (specification, section 8, published); the first 429 halves this pace.
   */
  publishedPerSecond: 40,
  /** Maximum number of open requests: a second of the published limit. */
  mostUnanswered: 40,
  /** A 429 comes within 100 ms; a request open for longer was accepted. */
  refusalMs: 100,
  /**
   * Maximum number of open requests younger than `refusalMs` before the first 429, as all of them can be refused
   * together.
   */
  mostAtRisk: 8,
  /**
   * Pause after a 429 without `Retry-After`, in milliseconds; doubles each time, up to the longest period of a limit.
   */
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  /** Random factor on pauses, up to this, so that clients do not return together. */
  longer: 1.04,
  /** Lowest pace after halving, in requests a second. */
  slowestPerSecond: 0.5,
  /** After this many accepted requests the pace rises by the factor `raise`; 75 requests restore it. */
  raisedAfter: 5,
  raise: 1.05,
  /** Requests that may overtake one of a lower rank, so that a stream of changes cannot starve reads. */
  mostOvertaking: 10,
  /** A request that is refused for this long fails, in milliseconds. */
  givenUpAfterMs: 600_000,
} as const;

/** Polls of operations and of locked branches. */
export const gaps = {
  /**
   * Pause between two polls, in milliseconds, and its growth up to the platform's maximum (specification, section 4.2).
   */
  firstMs: 500,
  growth: 1.2,
  longestMs: 5_000,
  /**
   * First poll of an operation whose action this run has not seen end, in milliseconds: the shortest known take 0.2 s.
   */
  unseenMs: 250,
  /** Margin after the shortest duration seen, in milliseconds, as a poll at exactly that time comes too early. */
  marginMs: 25,
  /**
   * Minimum pause between two lists of operations, in milliseconds: one list sees many ends, and five a second leave
   * room for changes.
   */
  listMs: 200,
  /** The last poll comes this long before the end of the wait, in milliseconds, to catch a finished operation. */
  lastMs: 500,
  /** Lists lag: ignore a 404 for a new operation for this long, in milliseconds. */
  unknownMs: 5_000,
  /** A retried operation counts as open for this long after `retry_at`, in milliseconds. */
  retriedMs: 60_000,
  /** Default bound on a wait for operations, in milliseconds. */
  waitMs: 600_000,
  /** Poll interval of `--follow`, in milliseconds, for a human reader. */
  followMs: 2_000,
} as const;

/** Maximum ages of cached answers, and the precision of the platform's times. */
export const ages = {
  /** Age of a list of endpoints for reads, in milliseconds. */
  freshMs: 10_000,
  /** Age of a list of endpoints for planning, in milliseconds: as long as a run. A refusal needs a fresh list. */
  planningMs: 300_000,
  /** Operations of one change or restart are created within this span, in milliseconds. */
  sameChangeMs: 5_000,
  /** Error of a timestamp, in milliseconds: whole seconds, and clocks that differ within the platform. */
  clockMs: 1_000,
} as const;

/** Lists of branches and projects, which come in pages. */
export const lists = {
  /** Items a page: the most that clients of today's public platform ask for. It may answer fewer. */
  pageSize: 100,
  /** Pages of a list that is read to its end; one with more fails. */
  mostPages: 1_000,
  /**
   * Branches that are read by id because the first page lacks them; where a run wants more, the list is read to its
   * end.
   */
  mostById: 3,
} as const;

/** A change with a lost answer. */
export const lost = {
  /** Lost answers before the change fails. */
  mostAnswers: 4,
  /** Pause before the first repeat, in milliseconds; doubles each time. */
  firstPauseMs: 500,
  /** Grace time for a lookup after a cancel or the deadline, in milliseconds. CI runners kill soon after. */
  graceMs: 5_000,
  /** Pauses before repeated lookups in a lagging list, in milliseconds: a missing operation would hide its failure. */
  behindPausesMs: [1_000, 4_000],
  /** Pauses after failed lookups, in milliseconds: they span an outage of a minute, so that no id is lost. */
  failedPausesMs: [1_000, 2_000, 5_000, 10_000, 20_000, 30_000],
  /** Maximum number of endpoints read by id in one lookup: operations name them, lists do not show them yet. */
  mostAsked: 20,
} as const;

/** A change that waits for an idle endpoint. */
export const idle = {
  /** Interval of the list for all waiting changes of a project, in milliseconds; older lists are not used. */
  lookMs: 10_000,
  /** Default bound on the wait, in milliseconds. */
  waitMs: 600_000,
} as const;

/** A replica whose branch must stay empty until its primary has moved there. */
export const primary = {
  /**
   * How long after the run's last Check a replica waits for a primary to be declared, in milliseconds: the engine begins
   * steps before it has checked all resources.
   */
  declareMs: 5_000,
  /**
   * How long the replica waits for the move to begin, in milliseconds. It never begins where waiting replicas hold all
   * of the engine's workers.
   */
  beginMs: 30_000,
} as const;

/** When people see waits. */
export const shown = {
  /** Duration after which a wait is reported, in milliseconds: a person would ask. */
  noticedMs: 2_000,
  /** Interval of repeated reports, in milliseconds. */
  againMs: 10_000,
  /** Interval of a fleet's progress reports, in milliseconds. */
  progressMs: 1_000,
} as const;

/** The engine's process, which receives log lines. */
export const host = {
  /** Bound on sending a line to the engine, in milliseconds; after it the line is lost. */
  heardMs: 10_000,
  /** Interval of checks that the engine is alive, in milliseconds, where no pipe shows its end. */
  lookMs: 1_000,
  /** Refused connections in a row that mean that the engine is gone. */
  refusals: 2,
  /** Time for the last answers at the end of the process, in milliseconds: a kill may follow soon. */
  lastAnswersMs: 2_000,
  /** Time for the last answers to leave the process, in milliseconds; no event reports it. */
  flushMs: 100,
} as const;

/** True if the rate limit blocks all requests between two moments for so long that they fail. */
export function isRefusedTooLong(sinceMs: number, untilMs: number): boolean {
  return untilMs - sinceMs > rateLimit.givenUpAfterMs;
}

/** Pause before the next poll, in milliseconds, after this many polls. */
export function gapMs(looks: number): number {
  return Math.min(gaps.longestMs, gaps.firstMs * gaps.growth ** looks);
}

/**
 * Milliseconds until the request may be repeated; undefined if it must not be (specification, section 7, published).
 * `tries` counts attempts without 429s.
 */
export function repeatDelay(
  error: unknown,
  request: Pick<ApiRequest, "method" | "makesNew">,
  tries: { attempts: number; elapsedMs: number },
  random: () => number,
): number | undefined {
  if (!isRepeatable(error, request)) return undefined;
  if (tries.attempts >= (isKind(error, "bad_answer") ? repeats.badAnswers : repeats.attempts)) return undefined;
  const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
  const longestMs = repeats.firstPauseMs * 2 ** (tries.attempts - 1);
  const delayMs = asked === undefined ? random() * longestMs : Math.max(asked, random() * repeats.firstPauseMs);
  return tries.elapsedMs + delayMs > repeats.withinMs ? undefined : delayMs;
}

function isRepeatable(error: unknown, { method, makesNew }: Pick<ApiRequest, "method" | "makesNew">): boolean {
  const reading = method === "GET";
  if (error instanceof HttpError) {
    // Not a change's 423: only its queue knows the blocking operations.
    return (error.status === 503 && !makesNew) || (reading && isKind(error, "server", "locked"));
  }
  if (!(error instanceof AnswerError)) return false;
  if (error.kind === "unreachable") return true;
  return reading && (error.kind === "answer_lost" || error.kind === "bad_answer");
}
