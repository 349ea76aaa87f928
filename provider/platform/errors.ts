/**
 * Every error of the provider: one base class, a literal `kind`, this one file. A summary says what failed, on which id and
 * why; what to do next is added where the reader is known. Callers branch on `kind` and fields, never on message text.
 */
import type { Values } from "../lib/unknown";
import { endsInCommand, sentences } from "../lib/wording";

/** The data for advice after an error, by kind. */
export type Remedy =
  /** The endpoint was deleted on the platform; the state still has it. */
  | { kind: "gone" }
  /** The platform does not know the project of an endpoint of the state: another key or address, or it was deleted. */
  | { kind: "unknown_project"; projectId: string }
  /** A start failed, and so many computes of a project are all that the platform has active at a time. */
  | { kind: "active_limit"; platform: string; limit: number }
  /** The base address is not that of the platform's API. */
  | { kind: "wrong_address" }
  /** The account's plan fixes the autosuspend delay, and the change carried one. */
  | { kind: "fixed_delay"; plan: string | undefined }
  /** A root branch keeps its read-write endpoint. */
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
  /** The ids of endpoints of which any may be it, or none. */
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
    "A limit of the account's plan, or a quota that is used up, does not allow it, however long one waits (402 and 412; others by " +
    "their code or words).",
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

/** The literal names of all errors. */
export type ErrorKind = keyof typeof errorCatalog;

/** Advice after a start that may have failed on a limit. `run` is the command to repeat. */
export function activeLimitAdvice({ platform, limit }: Remedy & { kind: "active_limit" }, run: string): string {
  return (
    `${platform} has at most ${limit} computes of a project active at a time, besides that of the default branch: where they are, suspend ` +
    `some or ask its support for more, then run ${run} again; else ask its support about this operation.`
  );
}

/** A summary and what to do next, as one text. */
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

  /** Says what to do next, once it is known who reads. */
  advise(advice: string): void {
    this.advice = advice;
    this.message = withAdvice(this.summary, advice);
  }
}

/** The source of the key, for the message about a refused one. */
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
  /** The platform's own code; empty where it gives none. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Of the request, without its query. */
  readonly path: string;
  /** From `Retry-After`, in milliseconds from the answer. */
  readonly retryAfterMs: number | undefined;
  /** The source of the request's key, if the client knows it. */
  readonly keySource: KeySource | undefined;
  /** The account's plan, where it is configured. */
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

/** No usable answer: never sent, never connected, lost on the way, or not what was promised. */
export class AnswerError extends PgComputeError {
  declare readonly kind:
    | "unreachable"
    | "answer_lost"
    | "bad_answer"
    | "answer_too_large"
    | "redirect_refused"
    | "timeout";
}

/** An operation that did not end well. */
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

/** A change that got as far as an endpoint and then failed: the id and the state to keep, so that nothing that was created is lost. */
export class PartialError extends PgComputeError {
  readonly id: string;
  /** Plain camelCase values; hosts store them as they are. */
  readonly state: Values;
  /** Of a change of many endpoints, why each that failed did. */
  readonly reasons: readonly string[] | undefined;

  constructor(id: string, state: Values, cause: PgComputeError, reasons?: readonly string[] | undefined) {
    const summary = reasons ? cause.summary : `endpoint ${id}: ${cause.summary}`;
    super(cause.kind, summary, { cause, advice: cause.advice, remedy: cause.remedy });
    this.id = id;
    this.state = state;
    this.reasons = reasons;
  }
}

/** A change that failed after an answer was lost, so that it may have been made. `kind` and summary are those of the cause. */
export class OutcomeUnknownError extends PgComputeError {
  constructor(cause: PgComputeError) {
    super(cause.kind, cause.summary, { cause, remedy: cause.remedy });
  }
}

/** Any error as one of the provider's own; what it did not throw on purpose is a bug in the provider. */
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

/** True when the change may have been performed although no good answer came: look before repeating. */
export function isAnswerLost(error: unknown): boolean {
  // A 503 says that nothing was performed (specification, section 7, published).
  if (error instanceof HttpError) return error.kind === "server" && error.status !== 503;
  return (
    error instanceof AnswerError &&
    (error.kind === "answer_lost" || error.kind === "bad_answer" || error.kind === "answer_too_large")
  );
}

/**
 * True if a create may have been performed, so that a repeat could create a second endpoint. Some proxies answer 503 for
 * performed requests.
 */
export function mayBeCreated(error: unknown): boolean {
  return isAnswerLost(error) || isKind(error, "server");
}

/** True for a failure that may pass without any action. */
export function isTransient(error: unknown): boolean {
  return isKind(error, "server", "unreachable", "answer_lost", "bad_answer", "rate_limited", "locked", "not_ready");
}

/** True when the error is of the given kind. */
export function isKind(error: unknown, ...kinds: ErrorKind[]): error is PgComputeError {
  return error instanceof PgComputeError && kinds.includes(error.kind);
}
