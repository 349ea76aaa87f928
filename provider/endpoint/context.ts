/** The context of one call on an endpoint, without types of a host, so that any code can call the verbs. */
import type { Account } from "../platform/account";
import type { RequestOptions } from "../platform/http/request";
import type { ChangeOptions } from "../platform/project/change-queue";

/** The moment at which changes that may cut connections are sent. */
export interface Moment {
  isIdle: boolean;
  /** The end of the wait for an idle moment, a time of the clock in milliseconds. */
  deadlineMs: number;
}

/** Receives the messages of the verbs, for the caller to show. */
export interface Reporter {
  /** Reports information, once. */
  info(message: string): void;
  /** Reports a warning. */
  warn(message: string): void;
  /** Reports the current step; a later line replaces it. */
  status(message: string): void;
}

/** The context of one call of a verb: account, reporter and bounds. */
export interface Context {
  account: Account;
  reporter: Reporter;
  /** Aborts when the run is interrupted. */
  signal: AbortSignal;
  /** Bound on waiting for operations, in milliseconds; default: the configured one. */
  timeoutMs?: number | undefined;
  /**
   * End of the call, a time of the clock in milliseconds: no wait lasts longer, no change begins later. Default: none.
   */
  deadlineMs?: number | undefined;
  /** Names of the properties whose values messages must not show. */
  secretNames?(): ReadonlySet<string>;
  /** Decides when a change that may cut connections is sent; absent to send it at once. */
  moment?: Moment | undefined;
  /** Limits the number of unavailable endpoints; absent without a limit. */
  hold?: Hold | undefined;
}

/** A gate for changes that may cut connections, which limits the number of unavailable endpoints. */
export interface Hold {
  /** Resolves when the change may be sent. Throws `refused` once none may. */
  enter(): Promise<void>;
  /** Frees the slot while the change waits for an idle moment. Throws like `enter`. */
  waits(): void;
}

/** The deadline of a call with a time limit in milliseconds; none without a limit. */
export function boundsOf(
  { clock }: Pick<Account, "clock">,
  timeoutMs: number | undefined,
): Pick<Context, "timeoutMs" | "deadlineMs"> {
  return timeoutMs === undefined ? {} : { timeoutMs, deadlineMs: clock.now() + timeoutMs };
}

/** Request options of a call: cancel signal, deadline, and the reporter of waits. */
export function requestOptions({ signal, deadlineMs, reporter }: Context): RequestOptions {
  return { signal, deadlineMs, onWait: reporter.status };
}

/** The bounds of a change's turn in its project, and of its waits for operations. */
export function waitBounds(context: Context): ChangeOptions {
  const { deadlineMs, signal, reporter } = context;
  return { timeoutMs: waitTimeoutMs(context), deadlineMs, signal, onWait: reporter.status };
}

/** The bound on waiting for operations, in milliseconds (default 10 minutes). */
export function waitTimeoutMs({ account, timeoutMs }: Context): number {
  return timeoutMs ?? account.settings.operationTimeoutSeconds * 1_000;
}
