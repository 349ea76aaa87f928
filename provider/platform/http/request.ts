/** One request to the platform: its options, its content and its answer. */

/** Options of every call. */
export interface RequestOptions {
  /**
   * Ends the call with a `CancelledError`. A running change's answer is still awaited, as long as one attempt may take.
   */
  signal?: AbortSignal | undefined;
  /** No pause or attempt lasts beyond this time of the clock, in milliseconds; then the call fails. */
  deadlineMs?: number | undefined;
  /** A lookup of others' work: it waits behind all changes and other reads. */
  isLook?: boolean | undefined;
  /** Called for each pause of 2 s or more, with its reason. */
  onWait?: ((message: string) => void) | undefined;
  /** Called right before each attempt. If it throws, the attempt is not made and the call ends. */
  onAttempt?: (() => void) | undefined;
}

/** One call to the platform, independent of its attempts. */
export interface ApiRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the base address, with checked and encoded ids; no query. */
  path: string;
  /** The call's purpose, in words after "could not", such as `read endpoint ep-1 of project p-1`. */
  purpose: string;
  /** Already encoded, without the question mark. */
  query?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** True for a create: some proxies answer 503 to performed requests, so the caller looks for its result first. */
  makesNew?: true;
}

/** An HTTP answer of any status below 300 or above 399. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body; for an error status only its beginning. */
  text: string;
}
