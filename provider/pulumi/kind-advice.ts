/** What to do about each kind of error, for somebody who runs Pulumi: the only place where these commands and keys are named. */
import {
  AnswerError,
  CancelledError,
  type ErrorKind,
  HttpError,
  OperationError,
  PartialError,
  PgComputeError,
  withAdvice,
} from "../platform/errors";
import { COMMAND } from "./commands";
import { WRONG_ADDRESS_ADVICE } from "./failure-advice";

/** The advice for each kind; the reference page of errors shows it. */
export const kindAdvice: Record<ErrorKind, string> = {
  configuration: "Correct the configuration key or environment variable the message names.",
  invalid_argument: "Correct the value the message names.",
  unauthorized:
    "Set a valid key with `pulumi config set --secret pgcompute:apiKey`. Refresh and destroy use the configuration of the " +
    "last `pulumi up`; run them with `--run-program`, or give the key in PGCOMPUTE_API_KEY.",
  forbidden: "Use a key with access to the project (pgcompute:apiKey or PGCOMPUTE_API_KEY), or have it given access.",
  not_found: "Check the id and that the key belongs to the account that owns it.",
  conflict: "Read which endpoint is in the way; adopt it, import it, or use another branch.",
  not_ready: "Read the platform's reason; for a root branch's endpoint, see retainOnDelete.",
  locked:
    "The provider waited for it and sent the change again until the timeout. Run the command again when the project's " +
    `operations have ended, which \`${COMMAND} operations --project PROJECT\` shows.`,
  rate_limited:
    "Run the command again later, with a lower --parallel, or with fewer calls a second, such as by " +
    "`pulumi config set pgcompute:maxRequestsPerSecond 5`.",
  invalid_request: "Read the platform's reason. If your program is right, this is a bug in the provider: report it.",
  server: "Run the command again: the provider looks at the platform before it repeats a change.",
  unreachable:
    "Nothing was sent. Check the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL), the network and the proxy " +
    "settings (HTTPS_PROXY, NO_PROXY), then run the command again.",
  answer_lost:
    "Run the command again: the provider looks at the platform before it repeats a change. If the platform is just " +
    "slow, run `pulumi config set pgcompute:requestTimeoutSeconds 120`.",
  bad_answer:
    "Check that the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL) is the platform's API and no proxy answers in " +
    "its place, then run the command again.",
  answer_too_large:
    "Check the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL); if the account really is that " +
    "large, run `pulumi config set pgcompute:maxAnswerBytes 268435456`.",
  redirect_refused:
    "Give the address that the platform really has, by `pulumi config set pgcompute:baseUrl ADDRESS` or in " +
    "PGCOMPUTE_BASE_URL.",
  operation_failed:
    "Run `pulumi up` again: it makes the change again. Where that fails, too, ask the platform's support about this " +
    "operation.",
  operation_timeout: "Run `pulumi up` again: it resumes the wait. Raise customTimeouts if the platform is slow.",
  timeout:
    "Run `pulumi up` again: it goes on from there. Raise customTimeouts, or lower --parallel, if that takes longer.",
  operation_vanished: "Run `pulumi up` again: the provider reads the endpoint and compares it with the program.",
  cancelled: "Run `pulumi up` again: it resumes where this run stopped.",
  internal: "Please report it.",
  not_applied: "Take the property out of the program: this platform does not do it.",
  refused: "Do one of the things that the message names.",
};

/** The message of an error with what to do next, which errors of the platform do not know themselves. */
export function messageFor(error: PgComputeError): string {
  return error.advice === undefined ? withAdvice(error.summary, adviceFor(error)) : error.message;
}

function adviceFor(error: PgComputeError): string | undefined {
  const { cause, remedy } = error;
  if (remedy?.kind === "wrongAddress") return WRONG_ADDRESS_ADVICE;
  if (error instanceof PartialError && cause instanceof PgComputeError) return adviceFor(cause);
  if (error instanceof HttpError && error.kind === "unauthorized") return keyAdvice(error);
  const isOfKind = [HttpError, AnswerError, OperationError, CancelledError].some((one) => error instanceof one);
  // The error of a delete wraps that of its operation, to say which endpoint it is about.
  return isOfKind || error.kind === "timeout" || cause instanceof OperationError ? kindAdvice[error.kind] : undefined;
}

function keyAdvice({ keySource }: HttpError): string {
  if (keySource === "environment") return "The key came from PGCOMPUTE_API_KEY: set a valid one there.";
  if (keySource === undefined) return kindAdvice.unauthorized;
  return `The key came from the configuration (pgcompute:apiKey). ${kindAdvice.unauthorized}`;
}
