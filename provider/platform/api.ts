import type { createApi } from "./client";

/** Options of every call. */
export interface RequestOptions {
  /** Ends the call with a `CancelledError`. A change that is under way is not abandoned: its answer is waited for, as long as one attempt may take. */
  signal?: AbortSignal | undefined;
  /** No pause and no attempt lasts beyond this moment of the clock, in milliseconds: the error comes instead. */
  deadlineMs?: number | undefined;
  /** A look at what others do: it waits for its turn behind all changes and all other reads. */
  isLook?: boolean | undefined;
  /** Told of each pause of 2 s and more, and what it is for. */
  onWait?: ((message: string) => void) | undefined;
  /** Told right before each attempt, when its turn has come. What it throws ends the call, and the attempt is not made. */
  onAttempt?: (() => void) | undefined;
}

/**
 * The platform's control API, a method for each call the provider makes (specification, section 4, and what is
 * published there). Every method throws the errors of `errors.ts` and nothing else.
 *
 * A GET is repeated as the retry policy says; a POST, PATCH or DELETE only when the platform certainly did not perform
 * it (429, 503, connection never made). When its answer was lost, it throws an error for which `isAnswerLost` holds:
 * the caller looks at the platform before it repeats anything, and for a create also after a 503.
 */
export type Api = ReturnType<typeof createApi>;
