import type { RequestInfo } from "../errors";
import type { AskedIds } from "../wire/answers";

/** One call to the platform, before any of its attempts. */
export interface ApiRequest extends RequestInfo {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the base address, with its ids checked and encoded; no query. */
  path: string;
  /** What the call does, in words that follow "could not", such as `read endpoint ep-1 of project p-1`. */
  purpose: string;
  /** Without the question mark, already encoded. */
  query?: string;
  /** What the path names, which the answer must be of. */
  ids?: AskedIds;
  /** Sent as JSON. */
  body?: unknown;
  /**
   * True for a call that makes something new each time: after a 503, which some proxies give for work that was done, the
   * caller looks before it is repeated.
   */
  makesNew?: true;
}

/** An HTTP answer of any status below 300 or above 399. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body; of an error status only its beginning. */
  text: string;
}

/** The value of a header; the first one where a server sent several. */
export function header(answer: Pick<Answer, "headers">, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
