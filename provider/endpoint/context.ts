import type { Account } from "../platform/account";
import type { RunLedger } from "../pulumi/run/run-ledger";

/** Where the lifecycle says what it does. Hosts show it; the lifecycle never prints. */
export interface Reporter {
  /** Something a reader wants to know once. */
  info(message: string): void;
  /** Something a reader should look at. */
  warn(message: string): void;
  /** What is going on right now; a later line replaces it. */
  status(message: string): void;
}

/**
 * What every lifecycle function works with. It belongs to no host: both hosts make one for each call, and so can
 * anything that manages many endpoints at once.
 */
export interface Context {
  account: Account;
  /** What this run has declared so far, across resources. */
  ledger: RunLedger;
  /** The host, for the ways on that a message may name. */
  host: "plugin" | "dynamic";
  reporter: Reporter;
  /** Aborted when the run is interrupted. */
  signal: AbortSignal;
  /** The user's `customTimeouts` for this call, in milliseconds; the configured default where there is none. */
  timeoutMs?: number | undefined;
  /** The resource's URN, where the host knows it. */
  urn?: string | undefined;
}

/** The bound on waiting for operations, in milliseconds (default 10 minutes). */
export function waitTimeoutMs(context: Context): number {
  return context.timeoutMs ?? context.account.settings.operationTimeoutSeconds * 1_000;
}

/** The resource's name: the last part of the URN. */
export function nameOf(urn: string | undefined): string | undefined {
  return urn?.slice(urn.lastIndexOf("::") + 2);
}
