/** One request to the platform: its options, its content and its answer. */

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

/** One call to the platform, before any of its attempts. */
export interface ApiRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the base address, with its ids checked and encoded; no query. */
  path: string;
  /** The purpose of the call, in words that follow "could not", such as `read endpoint ep-1 of project p-1`. */
  purpose: string;
  /** Without the question mark, already encoded. */
  query?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** True for a create: some proxies answer 503 for performed requests, so the caller looks for its result first. */
  makesNew?: true;
}

/** An HTTP answer of any status below 300 or above 399. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body; of an error status only its beginning. */
  text: string;
}
