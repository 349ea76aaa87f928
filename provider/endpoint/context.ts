/** What every verb of an endpoint works with. It belongs to no host, so that anything can call the verbs. */
import type { Account } from "../platform/account";

/** Where the verbs say what they do. Whoever calls them shows it; they never print. */
export interface Reporter {
  /** Something a reader wants to know once. */
  info(message: string): void;
  /** Something a reader should look at. */
  warn(message: string): void;
  /** What is going on right now; a later line replaces it. */
  status(message: string): void;
}

/** One call of a verb: the account to work with, where to say what is done, and when to stop. */
export interface Context {
  account: Account;
  reporter: Reporter;
  /** Aborted when the run is interrupted. */
  signal: AbortSignal;
  /** The bound on waiting for operations, in milliseconds; the configured one where there is none. */
  timeoutMs?: number | undefined;
}

/** The bound on waiting for operations, in milliseconds (default 10 minutes). */
export function waitTimeoutMs({ account, timeoutMs }: Context): number {
  return timeoutMs ?? account.settings.operationTimeoutSeconds * 1_000;
}
