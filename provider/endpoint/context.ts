/** The context of one call on an endpoint. No host's types are in it, so anything can call the verbs. */
import type { Account } from "../platform/account";
import type { RequestOptions } from "../platform/http/request";
import type { ChangeOptions } from "../platform/project/change-queue";

/** The idle moment that a change which may cut connections waits for. */
export interface Moment {
  isIdle: boolean;
  /** The moment of the clock, in milliseconds, at which it has waited long enough. */
  deadlineMs: number;
}

/** Receives the messages of the endpoint's verbs. The caller shows them; the verbs never print. */
export interface Reporter {
  /** Something a reader wants to know once. */
  info(message: string): void;
  /** Something a reader should look at. */
  warn(message: string): void;
  /** Reports the current step; a later line replaces it. */
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
  /** The moment of the clock, in milliseconds, when the call is over: no wait lasts longer, and no change is begun. None: no bound. */
  deadlineMs?: number | undefined;
  /** Names of the properties whose values no message may show. */
  secretNames?(): ReadonlySet<string>;
  /** Told how long, in milliseconds, an endpoint was away that a change has restarted, where its operations tell. */
  onAway?: ((ms: number) => void) | undefined;
  /** Told where the platform has skipped a start, which it leaves to the first connection. */
  onStartSkipped?: (() => void) | undefined;
  /** Decides when a change that may cut connections is sent; absent to send it at once. */
  moment?: Moment | undefined;
  /** Holds back changes that may cut connections; absent where nobody does. */
  hold?: Hold | undefined;
}

/** A gate for changes that may cut connections: it limits how many endpoints are away at a time. */
export interface Hold {
  /** Ends when such a change may be sent. Throws `refused` where none may any more. */
  enter(): Promise<void>;
  /** The change waits for an idle moment, and needs no place meanwhile. Throws as `enter` does. */
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

/** The bounds of a change's turn in its project, and of each of its waits for operations. */
export function waitBounds(context: Context): ChangeOptions {
  const { deadlineMs, signal, reporter } = context;
  return { timeoutMs: waitTimeoutMs(context), deadlineMs, signal, onWait: reporter.status };
}

/** The bound on waiting for operations, in milliseconds (default 10 minutes). */
export function waitTimeoutMs({ account, timeoutMs }: Context): number {
  return timeoutMs ?? account.settings.operationTimeoutSeconds * 1_000;
}
