import type { RetryAfterForm } from "../lib/rate-limit";

/** Whether a fault strikes instead of the work or after it was done. */
export type FaultMoment = "before" | "after";

/**
 * The fault of a call. Where `when` is left out, `reset` and `status` strike before the work and `stall-headers` and
 * `delay` likewise; the kinds that need an answer to spoil always strike after it.
 */
export type CallEffect =
  /** The connection is cut. */
  | { kind: "reset"; when?: FaultMoment }
  /** No byte of an answer ever comes. */
  | { kind: "stall-headers"; when?: FaultMoment }
  /** The headers and half of the body come, then nothing more. */
  | { kind: "stall-body" }
  /** The headers and half of the body come, then the connection is cut. */
  | { kind: "truncate-body" }
  /**
   * The answer has this status and an error body. `message` may hold anything (terminal escapes, say); `echo` appends
   * the Authorization header that was received, as careless servers do. `html` answers as a proxy in front would.
   */
  | {
      kind: "status";
      status: number;
      when?: FaultMoment;
      retryAfter?: { form: RetryAfterForm; seconds: number };
      code?: string;
      message?: string;
      echo?: boolean;
      html?: boolean;
    }
  /** A page of HTML with status 200 (or `status`) takes the place of the answer. */
  | { kind: "html"; status?: number; when?: FaultMoment }
  /** `body` takes the place of the answer's JSON. Default `{"unexpected": true}`. */
  | { kind: "json"; body?: unknown }
  /** The values of these fields, wherever in the answer, become unknown ones. Default status, action and both states. */
  | { kind: "unknown-enum"; fields?: string[] }
  /** A JSON body of this many bytes is streamed. Default 100 MiB. */
  | { kind: "huge-body"; bytes?: number }
  /** A redirect, by default 307, instead of the work. */
  | { kind: "redirect"; location: string; status?: number }
  /** The call waits this long on the emulator's clock, before or after its work. */
  | { kind: "delay"; ms: number; when?: FaultMoment }
  /** A list answers as it was `ageMs` milliseconds ago, or at the instant `at`. */
  | { kind: "stale-list"; ageMs?: number; at?: number }
  /** Somebody else deletes an endpoint just before the work: the one of the path, or the one named. */
  | { kind: "drop-endpoint"; endpointId?: string };

/** The fault of an operation. All times are milliseconds on the emulator's clock. */
export type OperationEffect =
  /** Ends without success for ever; `cancelled` passes through `cancelling`. Default `failed`. */
  | { kind: "fail"; status?: "failed" | "error" | "cancelled"; error?: string; failures?: number }
  /** Fails (once, or `failures` times), is tried again `retryMs` later, and finishes. Default retry after 1000. */
  | { kind: "fail-then-finish"; failures?: number; retryMs?: number; error?: string }
  /** Runs for ever. */
  | { kind: "hang"; status?: string }
  /** Get answers 404 and the list leaves it out, from the start or `afterMs` later; the work is done all the same. */
  | { kind: "vanish"; afterMs?: number }
  /** Is finished, then runs again, then is finished. */
  | { kind: "backwards" }
  /** Ends as `skipped`, which is success. */
  | { kind: "skip" }
  /** Passes through a status that nobody knows. Default `rebalancing`. */
  | { kind: "unknown-status"; status?: string }
  /** Carries an action that nobody knows; the work is the same. Default `tune_compute`. */
  | { kind: "unknown-action"; action?: string }
  /** Takes this long. */
  | { kind: "slow"; operationMs: number };

/** The frequency of a rule among the calls or operations that it matches. */
export interface FaultFrequency {
  /** Matches that are let through first. Default 0. */
  skip?: number;
  /** How many are struck after those. Default all. */
  count?: number;
  /** The chance of each to be struck, 0 to 1, from the seeded source. Default 1. */
  probability?: number;
}

/** A fault of calls. All given conditions have to hold. */
export interface CallFault extends FaultFrequency {
  on?: "call";
  method?: string;
  /** Route name, such as `endpoints.create`, `endpoints.*` or `*`. */
  route?: string;
  /** The whole path with its query; `*` stands for any text, as in `/api/v2/projects/*`. */
  path?: string;
  effect: CallEffect;
}

/** A fault of operations, decided when the operation is created. All given conditions have to hold. */
export interface OperationFault extends FaultFrequency {
  on: "operation";
  action?: string;
  endpointId?: string;
  branchId?: string;
  effect: OperationEffect;
}

/** A rule of the fault injection. */
export type Fault = CallFault | OperationFault;

/** A rule with its id and what it did so far. */
export interface FaultStatus {
  id: string;
  /** Calls or operations that matched. */
  matched: number;
  /** How many of them were struck. */
  struck: number;
  fault: Fault;
}
