/**
 * Every error of the provider: one base class, a literal `kind`, this one file. Messages say what failed, on which id,
 * why, and what to do next. Callers branch on `kind` and fields, never on message text.
 */

/** What each kind means and what to do about it; the reference page of errors is generated from this. */
export const errorCatalog = {
  configuration: {
    meaning: "The provider's configuration is missing something or has a value it cannot use.",
    action: "Correct the configuration key or environment variable the message names.",
  },
  invalid_argument: {
    meaning: "An id or argument cannot be what it claims to be, so no call was made.",
    action: "Correct the value the message names.",
  },
  unauthorized: {
    meaning: "The platform does not accept the API key (401).",
    action:
      "Set a valid key. Refresh and destroy use the configuration of the last `pulumi up`; run them with " +
      "`--run-program`, or give the key in PGCOMPUTE_API_KEY.",
  },
  forbidden: {
    meaning: "The API key is valid but may not do this (403).",
    action: "Use a key with access to the project (pgcompute:apiKey or PGCOMPUTE_API_KEY), or have it given access.",
  },
  not_found: {
    meaning: "The platform knows no such project, branch, endpoint or operation (404).",
    action: "Check the id and that the key belongs to the account that owns it.",
  },
  conflict: {
    meaning: "The change contradicts what exists, such as a second read-write endpoint on a branch (409).",
    action: "Read which endpoint is in the way; adopt it, import it, or use another branch.",
  },
  not_ready: {
    meaning: "The platform refuses the change in the present state (422).",
    action: "Read the platform's reason; for a root branch's endpoint, see retainOnDelete.",
  },
  locked: {
    meaning: "Another operation of the project is still running (423).",
    action:
      "The provider has waited for it and repeated until its time was over. Run the command again when the project's " +
      "operations have ended (getOperations lists them).",
  },
  rate_limited: {
    meaning: "The account's rate limit was met, longer than the provider is willing to wait (429).",
    action: "Run the command again later, with a lower --parallel, or with pgcompute:maxRequestsPerSecond set.",
  },
  invalid_request: {
    meaning: "The platform refused the request as it was written (400 and other 4xx).",
    action: "Read the platform's reason. If your program is right, this is a fault of the provider: report it.",
  },
  server: {
    meaning: "The platform failed inside (5xx).",
    action: "Run the command again: the provider looks at the platform before it repeats a change.",
  },
  unreachable: {
    meaning: "No connection to the platform could be made; nothing was sent.",
    action:
      "Nothing was sent. Check the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL), the network and the proxy " +
      "settings (HTTPS_PROXY, NO_PROXY), then run the command again.",
  },
  answer_lost: {
    meaning: "The connection broke or timed out before the answer arrived; the change may have been made.",
    action:
      "Run the command again: the provider looks at the platform before it repeats a change. Where the platform only is " +
      "slow, raise pgcompute:requestTimeoutSeconds.",
  },
  bad_answer: {
    meaning: "The answer is not what the specification promises (wrong type, not JSON).",
    action:
      "Check that the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL) is the platform's API and no proxy answers in " +
      "its place, then run the command again.",
  },
  answer_too_large: {
    meaning: "The answer is larger than the provider reads.",
    action:
      "Check the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL); raise pgcompute:maxAnswerBytes if the account " +
      "really is that large.",
  },
  redirect_refused: {
    meaning: "The platform answered with a redirect, which is never followed, so that the key cannot leak.",
    action: "Set pgcompute:baseUrl (or PGCOMPUTE_BASE_URL) to the address that the platform really has.",
  },
  operation_failed: {
    meaning: "An operation that the platform started for this change ended without success.",
    action:
      "Run `pulumi up` again: it makes the change again. Where that fails, too, ask the platform's support about this " +
      "operation.",
  },
  operation_timeout: {
    meaning: "An operation did not end within the timeout.",
    action: "Run `pulumi up` again: it resumes the wait. Raise customTimeouts if the platform is slow.",
  },
  operation_vanished: {
    meaning: "The platform no longer knows an operation it returned, so its outcome is unknown.",
    action: "Run `pulumi up` again: the provider reads the endpoint and compares it with the program.",
  },
  cancelled: {
    meaning: "The run was interrupted while the provider was working.",
    action: "Run `pulumi up` again: it resumes where this run stopped.",
  },
  internal: {
    meaning: "The provider itself failed; this is not your program's fault.",
    action: "Please report it.",
  },
  refused: {
    meaning: "The provider does not make this change, because it would break a rule of the platform.",
    action: "Choose one of the ways that the message names.",
  },
} as const;

/** The literal names of all errors. */
export type ErrorKind = keyof typeof errorCatalog;

/**
 * What would help, as data, where the kind alone does not say it. Texts with commands in them are made of it by whoever knows the
 * reader: a host of Pulumi, or the command line.
 */
export type Remedy =
  /** The endpoint was deleted on the platform: the state has to learn it. */
  | { kind: "gone" }
  /** The platform does not know the project of an endpoint of the state: another key or address, or it was deleted. */
  | { kind: "unknown_project" }
  /** A root branch keeps its read-write endpoint. */
  | { kind: "root_branch" }
  /** A create of which nobody knows whether it was made: there may be an endpoint of this name. */
  | { kind: "maybe_created"; projectId: string; branchId: string; name: string };

/** Base of every error the provider throws on purpose. */
export class PgComputeError extends Error {
  readonly kind: ErrorKind;
  /** What failed and why: the message less the way on. */
  readonly what: string;
  /** What to do next, where that is a sentence of its own. */
  way: string | undefined;
  readonly remedy: Remedy | undefined;

  constructor(kind: ErrorKind, what: string, { way, remedy, ...options }: PgComputeErrorOptions = {}) {
    super(sentence(what, way), options);
    this.name = new.target.name;
    this.kind = kind;
    this.what = what;
    this.way = way;
    this.remedy = remedy;
  }

  /** Says what to do next, once it is known who reads. */
  advise(way: string): void {
    this.way = way;
    this.message = sentence(this.what, way);
  }
}

function sentence(what: string, way: string | undefined): string {
  return way === undefined ? what : `${/[.!?…]$/.test(what) ? what : `${what}.`} ${way}`;
}

/** What an error may carry besides its kind and its sentence. */
export interface PgComputeErrorOptions extends ErrorOptions {
  way?: string | undefined;
  remedy?: Remedy | undefined;
}

/** A configuration key or environment variable that is missing or unusable. */
export class ConfigurationError extends PgComputeError {
  readonly property: string;

  constructor(property: string, message: string) {
    super("configuration", message);
    this.property = property;
  }
}

/** Which request an error belongs to. `path` holds no query and no key. */
export interface RequestInfo {
  method: string;
  path: string;
}

/** Kinds that an HTTP status maps to. */
export type HttpErrorKind = Extract<
  ErrorKind,
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "not_ready"
  | "locked"
  | "rate_limited"
  | "invalid_request"
  | "server"
>;

/** The platform answered with an error status (specification, section 7; public facts, errors). */
export class HttpError extends PgComputeError {
  declare readonly kind: HttpErrorKind;
  readonly status: number;
  /** The platform's error code; often the empty string. */
  readonly code: string;
  /** The platform's own words, cleaned of control characters and shortened. */
  readonly apiMessage: string;
  readonly requestId: string | undefined;
  readonly method: string;
  readonly path: string;
  /** From `Retry-After`, in milliseconds from the answer. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: HttpErrorKind,
    what: string,
    fields: RequestInfo & {
      status: number;
      code: string;
      apiMessage: string;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      way: string;
    },
  ) {
    super(kind, what, { way: fields.way });
    this.status = fields.status;
    this.code = fields.code;
    this.apiMessage = fields.apiMessage;
    this.requestId = fields.requestId;
    this.method = fields.method;
    this.path = fields.path;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** No usable answer: never connected, lost on the way, or not what was promised. */
export class AnswerError extends PgComputeError {
  declare readonly kind: "unreachable" | "answer_lost" | "bad_answer" | "answer_too_large" | "redirect_refused";
  readonly method: string;
  readonly path: string;

  constructor(kind: AnswerError["kind"], what: string, request: RequestInfo) {
    super(kind, what, { way: errorCatalog[kind].action });
    this.method = request.method;
    this.path = request.path;
  }
}

/** An operation that did not end well. `status` is the last one seen. */
export class OperationError extends PgComputeError {
  declare readonly kind: "operation_failed" | "operation_timeout" | "operation_vanished";
  readonly operationId: string;
  readonly action: string;
  readonly status: string;
  readonly failuresCount: number;

  constructor(
    kind: OperationError["kind"],
    what: string,
    operation: { id: string; action: string; status: string; failuresCount: number },
  ) {
    super(kind, what, { way: errorCatalog[kind].action });
    this.operationId = operation.id;
    this.action = operation.action;
    this.status = operation.status;
    this.failuresCount = operation.failuresCount;
  }
}

/**
 * A change that got as far as an endpoint and then failed: the id and the state to keep, so that nothing the platform
 * created is lost. `kind` and message are those of the cause.
 */
export class PartialError extends PgComputeError {
  readonly id: string;
  /** Plain camelCase values; hosts store them as they are. */
  readonly state: Readonly<Record<string, unknown>>;

  constructor(id: string, state: Readonly<Record<string, unknown>>, cause: PgComputeError) {
    super(cause.kind, `endpoint ${id}: ${cause.what}`, { cause, way: cause.way, remedy: cause.remedy });
    this.id = id;
    this.state = state;
  }
}

/** A change that failed after an answer was lost, so that it may have been made. `kind` and sentence are those of the cause. */
export class OutcomeUnknownError extends PgComputeError {
  constructor(cause: PgComputeError, remedy = cause.remedy) {
    super(cause.kind, cause.what, { cause, way: cause.way, remedy });
  }
}

/** Any error as one of the provider's own; what it did not throw on purpose is a fault of the provider. */
export function asOwnError(error: unknown): PgComputeError {
  if (error instanceof PgComputeError) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new PgComputeError("internal", `a fault of the provider itself, please report it: ${text}`, { cause: error });
}

/** The run was interrupted. */
export class CancelledError extends PgComputeError {
  constructor(what = "interrupted before it was done") {
    super("cancelled", what, { way: errorCatalog.cancelled.action });
  }
}

/** True when the change may have been performed although no good answer came: look before repeating. */
export function isAnswerLost(error: unknown): boolean {
  // A 503 is an answer from a door that stayed shut: nothing was performed (public facts, errors).
  if (error instanceof HttpError) return error.kind === "server" && error.status !== 503;
  return (
    error instanceof AnswerError &&
    (error.kind === "answer_lost" || error.kind === "bad_answer" || error.kind === "answer_too_large")
  );
}

/** True for a failure that may be over at the next look, without anybody doing anything. */
export function isTransient(error: unknown): boolean {
  return isKind(error, "server", "unreachable", "answer_lost", "bad_answer", "rate_limited");
}

/** True when the error is of the given kind. */
export function isKind(error: unknown, ...kinds: ErrorKind[]): error is PgComputeError {
  return error instanceof PgComputeError && kinds.includes(error.kind);
}
