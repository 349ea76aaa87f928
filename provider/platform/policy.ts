/**
 * The policy after a failure, and the length of each wait. Every pause, bound and number of repeats of the provider is here, with its reason.
 *
 * | after                                   | what happens                                                                                   |
 * | --------------------------------------- | ---------------------------------------------------------------------------------------------- |
 * | 429                                     | nothing was done. All requests pause, then go on at half the pace (`rateLimit`)                |
 * | 423, or 422 while operations are open   | nothing was done. A change waits for what is in its way and is sent again (`gaps`); a read is repeated |
 * | 503, no connection                      | nothing was done, and the request is repeated (`repeats`); of a create see the next line       |
 * | an answer that is lost; 5xx of a change | a read is repeated. A change is looked for, and repeated where it was not made (`lost`)        |
 * | the call's deadline (`deadlineMs`)      | nothing more is sent, and what is under way ends; one look may still say what became of it (`lost.graceMs`) |
 * | a cancel                                | as the deadline, but that the answer to a change under way is waited for                        |
 * | anything else                           | the error ends the call                                                                        |
 *
 * `deadlineMs` is everywhere the moment of the clock at which something ends, and `timeoutMs` a span that it is made from. All of it waits
 * by the one loop in `until.ts`.
 */
import { AnswerError, HttpError, isKind } from "./errors";
import type { ApiRequest } from "./http/request";

/** The longest that each part of one attempt may take, in milliseconds, where `requestTimeoutSeconds` does not say less or more. */
export const timeouts = {
  /** Time to open a connection until the request can be written, with DNS and TLS. */
  connectMs: 10_000,
  /** From the request to the end of the answer's head. */
  headersMs: 30_000,
  /** From the end of the head to the end of the body. */
  bodyMs: 30_000,
};

/** Repeats of one request. */
export const repeats = {
  /** Attempts in all where the network, a proxy or the platform fails. */
  attempts: 5,
  /** Attempts at reading what is not JSON: a proxy's page goes away or it stays. */
  badAnswers: 3,
  /** The longest pause before the second attempt, in milliseconds; it doubles with each one. Drawn at random, so that many do not return together. */
  firstPauseMs: 500,
  /** No repeat begins later than this after the first attempt did, in milliseconds: a longer outage is for people to see. */
  withinMs: 120_000,
  /** A `Retry-After` that asks for longer is taken for a mistake of a clock, in milliseconds. */
  longestAskedMs: 24 * 60 * 60 * 1_000,
} as const;

/** The account's rate limit, which nobody knows before it is met. */
export const rateLimit = {
  /** Requests a second that the platform publishes (specification, section 8, published): the pace of which the first refusal leaves half. */
  publishedPerSecond: 40,
  /** Requests without an answer at once: a second of the published limit. */
  mostUnanswered: 40,
  /** A 429 comes within 100 ms; a request open for longer was accepted. */
  refusalMs: 100,
  /** Requests that are younger than that at once, before the first refusal: so many can be refused together. */
  mostAtRisk: 8,
  /** The pause after a refusal that does not say how long, in milliseconds; twice as long each time, up to the longest span of a limit. */
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  /** Pauses are up to so much longer than asked for, so that several clients do not return together. */
  longer: 1.04,
  /** The pace that half of it never goes below, in requests a second. */
  slowestPerSecond: 0.5,
  /** After this many accepted requests the pace is raised by this factor. 75 requests restore the old pace. */
  raisedAfter: 5,
  raise: 1.05,
  /** So many may overtake one of a lower rank: else a stream of changes would leave no turn to a read or a look. */
  mostOvertaking: 10,
  /** A request that is refused for so long is given up, in milliseconds. */
  givenUpAfterMs: 600_000,
} as const;

/** Looks at operations, and at what locks a branch. */
export const gaps = {
  /** The pause between two looks, in milliseconds, and how it grows up to the longest that the platform asks for (specification, section 4.2). */
  firstMs: 500,
  growth: 1.2,
  longestMs: 5_000,
  /** The first look at an operation where the run has seen none of its action end, in milliseconds: the shortest known take 0.2 s. */
  unseenMs: 250,
  /** A look at just the time that the shortest took would come a moment too early, in milliseconds. */
  marginMs: 25,
  /** The least between two looks at several operations, in milliseconds: one look sees the ends of many, and five a second leave the limit to changes. */
  listMs: 200,
  /** The last poll comes this many milliseconds before the end of the wait, so that a finished operation is not reported as open. */
  lastMs: 500,
  /** Lists lag: for so many milliseconds a 404 for a new operation is not believed. */
  unknownMs: 5_000,
  /** For so many milliseconds after the platform tried a failed operation again, it may try once more. */
  retriedMs: 60_000,
  /** The default bound for waiting for operations, in milliseconds. */
  waitMs: 600_000,
  /** The interval of `--follow`, in milliseconds: a person reads along. */
  followMs: 2_000,
} as const;

/** The age at which cached answers expire, and the precision of the platform's times. */
export const ages = {
  /** A list of endpoints for a reader who wants to know what is, in milliseconds. */
  freshMs: 10_000,
  /** A list of endpoints for planning, in milliseconds: as old as a run. A refusal is looked at afresh before it is given. */
  planningMs: 300_000,
  /** Operations of one change, or of one restart, are created within so many milliseconds of each other. */
  sameChangeMs: 5_000,
  /** Timestamps have whole seconds, and the clocks of one platform may differ by another, in milliseconds. */
  clockMs: 1_000,
} as const;

/** A change whose answer is lost. */
export const lost = {
  /** Answers that are lost before the change is given up. */
  mostAnswers: 4,
  /** The pause before the first repeat, in milliseconds; it doubles with each one. */
  firstPauseMs: 500,
  /** How long a look may take after a cancel or the deadline, in milliseconds. CI runners kill soon after. */
  graceMs: 5_000,
  /** Pauses before further looks where a list may lag, in milliseconds: one that does not show an operation yet hides its failure. */
  behindPausesMs: [1_000, 4_000],
  /** Pauses between looks that fail, in milliseconds: about a minute's outage is waited out, so that no id is lost to it. */
  failedPausesMs: [1_000, 2_000, 5_000, 10_000, 20_000, 30_000],
  /** Endpoints that one look asks for by id, where operations name them and no list shows them yet. */
  mostAsked: 20,
} as const;

/** A change that waits until its endpoint is idle. */
export const idle = {
  /** Interval of the shared list in milliseconds, for all waiting changes of a project. An older list is not used. */
  lookMs: 10_000,
  /** Default time that a change waits, in milliseconds. */
  waitMs: 600_000,
} as const;

/** A replica whose branch has to be empty until its primary has moved there. */
export const primary = {
  /** How long it waits for that move to begin, in milliseconds. Where one step is made at a time, it never does. */
  waitMs: 30_000,
} as const;

/** The intervals at which people see waits. */
export const shown = {
  /** From this time on a person would ask why nothing happens, in milliseconds. */
  noticedMs: 2_000,
  /** A wait that goes on is told again this often, in milliseconds. */
  againMs: 10_000,
  /** The interval of a fleet's progress report, in milliseconds. */
  progressMs: 1_000,
} as const;

/** The process that has started this one, and is told lines and rows. */
export const host = {
  /** The bound for the engine to receive a line, in milliseconds; after it, the line is lost. */
  heardMs: 10_000,
  /** The interval of checks that the engine is alive, in milliseconds, if nothing else shows it. */
  lookMs: 1_000,
  /** Refused connections in a row that mean that nobody listens any more. */
  refusals: 2,
  /** At the end of the process, how long answers may still take, in milliseconds: whoever ended it may soon kill it. */
  lastAnswersMs: 2_000,
  /** Until the last answers have left the process, in milliseconds, which nobody tells. */
  flushMs: 100,
} as const;

/** True if the rate limit lets nothing through from the one moment to the other, and requests are given up. */
export function isRefusedTooLong(sinceMs: number, untilMs: number): boolean {
  return untilMs - sinceMs > rateLimit.givenUpAfterMs;
}

/** The pause before the next poll, in milliseconds, after a number of polls. */
export function gapMs(looks: number): number {
  return Math.min(gaps.longestMs, gaps.firstMs * gaps.growth ** looks);
}

/**
 * Milliseconds to wait before the call is made again, or undefined when it must not be: because it may have been
 * performed, because repeating does not help, or because the bounds are met (specification, section 7, published).
 * `tries` counts the attempts made, the failed one included. A 429 is not among them: all wait for it together.
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
    // A change's 423 is missing on purpose: only its queue knows which operations to wait for.
    return (error.status === 503 && !makesNew) || (reading && isKind(error, "server", "locked"));
  }
  if (!(error instanceof AnswerError)) return false;
  if (error.kind === "unreachable") return true;
  return reading && (error.kind === "answer_lost" || error.kind === "bad_answer");
}
