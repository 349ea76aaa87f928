/**
 * All errors of the provider: one base class, a literal `kind`, this one file. A summary has the failure, the id and
 * the reason; advice is added where the reader is known. Callers branch on `kind` and fields, never on message text.
 */
import type { Values } from "../lib/unknown";
import { endsInCommand, sentences } from "../lib/wording";

/** Data for the advice on an error, by kind. */
export type Remedy =
  /** The endpoint was deleted on the platform but is still in the state. */
  | { kind: "gone" }
  /** The platform has accepted the delete of this endpoint, `PROJECT/ENDPOINT`, and nobody has seen it end. */
  | { kind: "delete_accepted"; id: string }
  /** The platform does not know a project in the state: another key or address, or a deleted project. */
  | { kind: "unknown_project"; projectId: string }
  /** A start failed while the project may have had `limit` active computes, the platform's maximum. */
  | { kind: "active_limit"; platform: string; limit: number }
  /** The base address is not the platform's API. */
  | { kind: "wrong_address" }
  /** The account's plan fixes the autosuspend delay, and the request set one. */
  | { kind: "fixed_delay"; plan: string | undefined }
  /** The platform refused a size above `largestCu`, the most that is known of it; the configured limit allowed it. */
  | { kind: "size_limit"; largestCu: number }
  /** A root branch cannot lose its read-write endpoint. */
  | { kind: "root_branch" }
  /** Values that the platform accepts and does not apply. */
  | { kind: "not_applied"; properties: readonly string[] }
  /** A create with an unknown outcome. */
  | MaybeCreated;

/** The place and name of an endpoint that a create may have made. */
export interface MaybeCreated {
  kind: "maybe_created";
  projectId: string;
  branchId: string;
  /** The generated name of this create. Absent if the program sets the name, which is not unique. */
  name: string | undefined;
  /** Whether the platform keeps names, if known. */
  keepsNames?: boolean | undefined;
  /** Ids of endpoints that the create may have made. */
  candidates: readonly string[];
}

/** The meaning of each kind; the reference page of errors is generated from it. */
export const errorCatalog = {
  configuration: "The provider's configuration is missing something or has a value it cannot use.",
  invalid_argument: "An id or argument cannot be what it claims to be, so no call was made.",
  unauthorized: "The platform does not accept the API key (401).",
  forbidden: "The API key is valid but may not do this (403).",
  not_found: "The platform knows no such project, branch, endpoint or operation (404).",
  conflict: "The change contradicts what exists, such as a second read-write endpoint on a branch (409).",
  not_ready: "The platform refuses the change in the present state (422).",
  locked: "Another operation of the project is still running (423, on some platforms 422).",
  over_limit:
    "A limit of the account's plan, or a quota that is used up, does not allow it, however long one waits (402 and 412; 423 with a code " +
    "that names no lock; others by their code or words).",
  rate_limited: "The account's rate limit held the call up for longer than the provider waits (429).",
  invalid_request: "The platform refused the request as it was written (400 and other 4xx).",
  server: "The platform had an error of its own (5xx).",
  unreachable: "No connection to the platform could be made; nothing was sent.",
  answer_lost: "The connection broke or timed out before the answer came; the change may have been made.",
  bad_answer:
    "The answer is not in the form that the API describes (wrong type, not JSON), or not of what was asked for.",
  answer_too_large: "The answer is larger than the provider reads.",
  redirect_refused: "The platform answered with a redirect, which is never followed, so that the key cannot leak.",
  operation_failed: "An operation that the platform started for this change ended without success.",
  operation_timeout: "An operation did not end within the timeout.",
  in_use: "The endpoint was in use for as long as the change waited for an idle moment; nothing was sent.",
  timeout: "The time that a change had was over before all its requests could be sent.",
  operation_vanished: "The platform no longer knows an operation it returned, so its outcome is unknown.",
  cancelled: "The run was interrupted while the provider was working.",
  internal: "The provider itself failed, and your program is not the cause.",
  not_applied: "The platform took a value and does not show it once its operations have ended.",
  refused: "The provider does not make this change; the message says why.",
} as const;

/** The kinds of all errors. */
export type ErrorKind = keyof typeof errorCatalog;

/** Advice after a start that the limit of active computes may have failed. `run` is the command to repeat. */
export function activeLimitAdvice({ platform, limit }: Remedy & { kind: "active_limit" }, run: string): string {
  return (
    `${platform} has at most ${limit} computes of a project active at a time, besides that of the default branch: where they are, suspend ` +
    `some or ask its support for more, then run ${run} again; else ask its support about this operation.`
  );
}

/** Joins a summary and its advice. */
export function withAdvice(summary: string, advice: string | undefined): string {
  if (advice === undefined) return summary;
  if (endsInCommand(summary)) return sentences([summary, advice]);
  return `${/[.!?…]$/.test(summary) ? summary : `${summary}.`} ${advice}`;
}

/** The optional parts of an error. */
export interface PgComputeErrorOptions extends ErrorOptions {
  advice?: string | undefined;
  remedy?: Remedy | undefined;
  /** True if the failed request was a read, which changes nothing. */
  isRead?: boolean | undefined;
}

/** Base of every error the provider throws on purpose. */
export class PgComputeError extends Error {
  readonly kind: ErrorKind;
  /** The failure, its id and the reason: the message without the advice. */
  readonly summary: string;
  /** The next steps for the user, if the thrower knows them. */
  advice: string | undefined;
  readonly remedy: Remedy | undefined;
  /** True if the failed request was a read, which changes nothing. */
  readonly isRead: boolean;

  constructor(
    kind: ErrorKind,
    summary: string,
    { advice, remedy, isRead = false, ...options }: PgComputeErrorOptions = {},
  ) {
    super(withAdvice(summary, advice), options);
    this.name = new.target.name;
    this.kind = kind;
    this.summary = summary;
    this.advice = advice;
    this.remedy = remedy;
    this.isRead = isRead;
  }

  /** Adds the advice, once the reader is known. */
  advise(advice: string): void {
    this.advice = advice;
    this.message = withAdvice(this.summary, advice);
  }
}

/** The origin of the key, for the message about a refused one. */
export type KeySource = "configuration" | "environment";

/** Kinds that an HTTP status maps to. */
export type HttpErrorKind = Extract<
  ErrorKind,
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "not_ready"
  | "locked"
  | "over_limit"
  | "rate_limited"
  | "invalid_request"
  | "server"
>;

/** The platform answered with an error status (specification, section 7, published). */
export class HttpError extends PgComputeError {
  declare readonly kind: HttpErrorKind;
  readonly status: number;
  /** The platform's own code; empty without one. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** The request's path, without its query. */
  readonly path: string;
  /** From `Retry-After`, in milliseconds from the answer. */
  readonly retryAfterMs: number | undefined;
  /** The source of the request's key, if the client knows it. */
  readonly keySource: KeySource | undefined;
  /** The account's configured plan. */
  readonly plan: string | undefined;

  constructor(
    kind: HttpErrorKind,
    summary: string,
    fields: Pick<HttpError, "status" | "path"> &
      Partial<Pick<HttpError, "code" | "requestId" | "retryAfterMs" | "keySource" | "plan" | "isRead">>,
  ) {
    super(kind, summary, { isRead: fields.isRead });
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.path = fields.path;
    this.retryAfterMs = fields.retryAfterMs;
    this.keySource = fields.keySource;
    this.code = fields.code ?? "";
    this.plan = fields.plan;
  }
}

/** A request without a usable answer: not sent, not connected, lost on the way, or malformed. */
export class AnswerError extends PgComputeError {
  declare readonly kind:
    | "unreachable"
    | "answer_lost"
    | "bad_answer"
    | "answer_too_large"
    | "redirect_refused"
    | "timeout";
}

/** An operation that failed, timed out or vanished. */
export class OperationError extends PgComputeError {
  declare readonly kind: "operation_failed" | "operation_timeout" | "operation_vanished";
  readonly operationId: string;

  constructor(
    kind: OperationError["kind"],
    summary: string,
    { id }: { id: string },
    options: PgComputeErrorOptions = {},
  ) {
    super(kind, summary, options);
    this.operationId = id;
  }
}

/** A change that failed after its endpoint existed: the id and the state to keep. */
export class PartialError extends PgComputeError {
  readonly id: string;
  /** Plain camelCase values; hosts store them as they are. */
  readonly state: Values;
  /** The reason for each failed member, in a change of many endpoints. */
  readonly reasons: readonly string[] | undefined;

  constructor(id: string, state: Values, cause: PgComputeError, reasons?: readonly string[] | undefined) {
    const summary = reasons ? cause.summary : `endpoint ${id}: ${cause.summary}`;
    super(cause.kind, summary, { cause, advice: cause.advice, remedy: cause.remedy });
    this.id = id;
    this.state = state;
    this.reasons = reasons;
  }
}

/** A change that may have been made: it failed after a lost answer. `kind` and summary are the cause's. */
export class OutcomeUnknownError extends PgComputeError {
  constructor(cause: PgComputeError) {
    super(cause.kind, cause.summary, { cause, remedy: cause.remedy });
  }
}

/** Converts any error to one of the provider's own. Unexpected errors are reported as bugs. */
export function asOwnError(error: unknown): PgComputeError {
  if (error instanceof PgComputeError) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new PgComputeError("internal", `a bug in the provider itself, please report it: ${text}`, { cause: error });
}

/** The run was interrupted. */
export class CancelledError extends PgComputeError {
  constructor(summary = "interrupted before it was done") {
    super("cancelled", summary);
  }
}

/** True if the change may have been made although its answer was lost: read before a repeat. */
export function isAnswerLost(error: unknown): boolean {
  // A 503 means that nothing was done (specification, section 7, published).
  if (error instanceof HttpError) return error.kind === "server" && error.status !== 503;
  return (
    error instanceof AnswerError &&
    (error.kind === "answer_lost" || error.kind === "bad_answer" || error.kind === "answer_too_large")
  );
}

/**
 * True if a create may have been performed, so that a repeat could make a second endpoint. Some proxies answer 503
 * then.
 */
export function mayBeCreated(error: unknown): boolean {
  return isAnswerLost(error) || isKind(error, "server");
}

/** True for a failure that may pass on its own. */
export function isTransient(error: unknown): boolean {
  return isKind(error, "server", "unreachable", "answer_lost", "bad_answer", "rate_limited", "locked", "not_ready");
}

/** True if the error is of one of the kinds. */
export function isKind(error: unknown, ...kinds: ErrorKind[]): error is PgComputeError {
  return error instanceof PgComputeError && kinds.includes(error.kind);
}
