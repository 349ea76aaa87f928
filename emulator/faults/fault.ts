import type { RetryAfterForm } from "../lib/rate-limit";

/** Whether a fault strikes instead of the work, or after it. */
export type FaultMoment = "before" | "after";

/** The fault of a call. Default `when`: before the work. Kinds that spoil an answer always strike after it. */
export type CallEffect =
  /** The connection is cut. */
  | { kind: "reset"; when?: FaultMoment }
  /** No byte of the answer ever comes. */
  | { kind: "stall-headers"; when?: FaultMoment }
  /** The headers and half of the body come, then nothing. */
  | { kind: "stall-body" }
  /** The headers and half of the body come, then the connection is cut. */
  | { kind: "truncate-body" }
  /**
   * The answer has this status and an error body with any `message`. `echo` appends the Authorization header; `html`
   * answers like a proxy.
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
  /** An HTML page with status 200 (or `status`) replaces the answer. */
  | { kind: "html"; status?: number; when?: FaultMoment }
  /** `body` replaces the answer's JSON. Default `{"unexpected": true}`. */
  | { kind: "json"; body?: unknown }
  /** These fields get unknown values, anywhere in the answer. Default status, action and both states. */
  | { kind: "unknown-enum"; fields?: string[] }
  /** A JSON body of this many bytes, streamed. Default 100 MiB. */
  | { kind: "huge-body"; bytes?: number }
  /** A redirect instead of the work. Default status 307. */
  | { kind: "redirect"; location: string; status?: number }
  /** The call waits this long on the emulator's clock. */
  | { kind: "delay"; ms: number; when?: FaultMoment }
  /** A list answers with the state of `ageMs` milliseconds ago, or of the time `at`. */
  | { kind: "stale-list"; ageMs?: number; at?: number }
  /** Somebody else deletes an endpoint just before the work: `endpointId`, or the one in the path. */
  | { kind: "drop-endpoint"; endpointId?: string };

/** The fault of an operation. Times are milliseconds on the emulator's clock. */
export type OperationEffect =
  /** Fails for good; `cancelled` passes through `cancelling`. Default `failed`. */
  | { kind: "fail"; status?: "failed" | "error" | "cancelled"; error?: string; failures?: number }
  /** Fails once (or `failures` times), is retried `retryMs` later (default 1000), and finishes. */
  | { kind: "fail-then-finish"; failures?: number; retryMs?: number; error?: string }
  /** Runs for ever. */
  | { kind: "hang"; status?: string }
  /** Get answers 404 and lists omit it, from the start or `afterMs` later; its work is done. */
  | { kind: "vanish"; afterMs?: number }
  /** Finishes, runs again, finishes again. */
  | { kind: "backwards" }
  /** Ends as `skipped`, which is success. */
  | { kind: "skip" }
  /** Passes through an unknown status. Default `rebalancing`. */
  | { kind: "unknown-status"; status?: string }
  /** Has an unknown action and the same work. Default `tune_compute`. */
  | { kind: "unknown-action"; action?: string }
  /** Takes this long, in milliseconds. */
  | { kind: "slow"; operationMs: number };

/** How often a rule strikes the calls or operations that it matches. */
export interface FaultFrequency {
  /** Matches to spare first. Default 0. */
  skip?: number;
  /** Maximum number of strikes. Default unlimited. */
  count?: number;
  /** Probability of each strike, 0 to 1, from the seeded source. Default 1. */
  probability?: number;
}

/** A fault of calls. All given conditions must hold. */
export interface CallFault extends FaultFrequency {
  on?: "call";
  method?: string;
  /** Route name, such as `endpoints.create`, `endpoints.*` or `*`. */
  route?: string;
  /** The path with its query; `*` stands for any text, as in `/api/v2/projects/*`. */
  path?: string;
  effect: CallEffect;
}

/** A fault of operations, decided at their creation. All given conditions must hold. */
export interface OperationFault extends FaultFrequency {
  on: "operation";
  action?: string;
  endpointId?: string;
  branchId?: string;
  effect: OperationEffect;
}

/** A fault rule. */
export type Fault = CallFault | OperationFault;

/** A rule with its id and statistics. */
export interface FaultStatus {
  id: string;
  /** Number of matching calls or operations. */
  matched: number;
  /** Number of strikes. */
  struck: number;
  fault: Fault;
}
