/** Advice on errors at the command line; the errors do not know its options. */
import { commandLines, shellWord } from "../provider/lib/wording";
import type { Account } from "../provider/platform/account";
import {
  AnswerError,
  activeLimitAdvice,
  HttpError,
  OperationError,
  type PgComputeError,
  type Remedy,
  withAdvice,
} from "../provider/platform/errors";
import { DEFAULT_BASE_URL } from "../provider/platform/http/base-url";
import { commandFor } from "./account";

/** An error of the platform or the connection to it. */
type PlatformError = HttpError | AnswerError | OperationError;

const kindAdvice: Record<PlatformError["kind"], string> = {
  unauthorized: "Set a valid key in the environment variable PGCOMPUTE_API_KEY.",
  forbidden: "Use a key with access to the project, or have it given access.",
  not_found:
    "Check the id: `pgcompute projects` lists the projects that the key in PGCOMPUTE_API_KEY may see, and `pgcompute endpoints " +
    "list` shows the endpoints that one has.",
  conflict: "`pgcompute endpoints list` shows what is there.",
  not_ready: "Read the platform's reason; `pgcompute operations` shows what is under way.",
  locked:
    "`pgcompute operations` shows what is under way. Run it again when that has ended, or with a longer --timeout.",
  over_limit:
    "Waiting does not help. Where the account's plan does not have it, or a quota is used up, the account's owner can change the plan or raise " +
    "the quota.",
  rate_limited: "Run it again later.",
  invalid_request: "Read the platform's reason. If the command is right, this is a bug in pgcompute: report it.",
  server: "`pgcompute endpoints list` shows whether anything was changed; then run it again.",
  unreachable:
    "Nothing was sent. Check the base address (--base-url or PGCOMPUTE_BASE_URL), the network and the proxy settings " +
    "(HTTPS_PROXY, NO_PROXY).",
  answer_lost: "`pgcompute endpoints list` shows whether anything was changed; then run it again.",
  bad_answer: "Check that the base address (--base-url or PGCOMPUTE_BASE_URL) is the platform's API.",
  answer_too_large: "Check that the base address (--base-url or PGCOMPUTE_BASE_URL) is the platform's API.",
  redirect_refused: "Give the address that the platform really has with --base-url or PGCOMPUTE_BASE_URL.",
  timeout: "Run it again, with a longer --timeout if the platform is just slow.",
  operation_failed: "Run it again. Where it fails again, ask the platform's support about this operation.",
  operation_timeout: "The platform goes on with it. Run it with a longer --timeout.",
  operation_vanished: "`pgcompute endpoints list` shows what became of it.",
};

/** Advice after a read, which changes nothing. */
const readAdvice: Partial<typeof kindAdvice> = { server: "Run it again.", answer_lost: "Run it again." };

const remedyAdvice: Record<Exclude<Remedy["kind"], "active_limit">, string> = {
  gone: "`pgcompute endpoints list` shows those that the project has.",
  delete_accepted: "The platform goes on with it. `pgcompute endpoints list` shows whether it is gone.",
  unknown_project:
    "Check the project's id, the key in PGCOMPUTE_API_KEY, and the base address (--base-url or PGCOMPUTE_BASE_URL).",
  wrong_address: `Correct the base address (--base-url or PGCOMPUTE_BASE_URL), whose whole path counts, as in ${DEFAULT_BASE_URL}.`,
  fixed_delay: "The account's plan fixes the autosuspend delay.",
  size_limit: "The platform's own limit is lower: give a smaller size.",
  root_branch: "It goes when its branch or its project is deleted.",
  not_applied: "This platform does not do it.",
  maybe_created: "`pgcompute endpoints list` shows whether it was created.",
};

/** A command that lists, as messages name it. */
const LISTING = /`(pgcompute (?:projects|branches|operations|endpoints list))`/g;

/** A message whose listing commands ask the address and the project that the failed command was given. */
export function withGivenAccount(message: string, args: readonly string[]): string {
  const [group, , target = ""] = args;
  const ofTarget = group === "endpoints" ? /^([^/]+)\/[^/]+$/.exec(target)?.[1] : undefined;
  return withAccountNamed(message, lastValue(args, "--base-url"), lastValue(args, "--project") ?? ofTarget);
}

/** A message whose listing commands ask this address and this project. */
export function withAccountNamed(message: string, baseUrl: string | undefined, project: string | undefined): string {
  const option = (name: string, value: string | undefined) => (value ? ` ${name} ${shellWord(value)}` : "");
  return message.replace(LISTING, (_, command) => {
    // `projects` has no project of its own.
    const ofProject = command.endsWith(" projects") ? "" : option("--project", project);
    return `\`${command}${ofProject}${option("--base-url", baseUrl)}\``;
  });
}

/** The last value of an option, given as `--option value` or `--option=value`. */
function lastValue(args: readonly string[], option: string): string | undefined {
  const given = args.flatMap((arg, at) => {
    if (arg === option) return args[at + 1] ?? [];
    return arg.startsWith(`${option}=`) ? arg.slice(option.length + 1) : [];
  });
  return given.at(-1);
}

/** The message of an error, with advice. */
export function messageOf(error: PgComputeError): string {
  return error.advice === undefined ? withAdvice(error.summary, adviceFor(error)) : error.message;
}

function adviceFor(error: PgComputeError): string | undefined {
  if (error.remedy?.kind === "active_limit") return activeLimitAdvice(error.remedy, "this");
  if (error.remedy) return remedyAdvice[error.remedy.kind];
  const origin = originOf(error);
  if (!origin) return undefined;
  return (origin.isRead && readAdvice[origin.kind]) || kindAdvice[origin.kind];
}

/** Adds to an operation's timeout without advice the command that goes on waiting. Other errors stay as they are. */
export function adviseWait(error: PgComputeError, account: Account, projectId: string): void {
  const origin = originOf(error);
  if (error.advice !== undefined || !(origin instanceof OperationError) || origin.kind !== "operation_timeout") return;
  const command = commandFor(account, `operations wait ${origin.operationId} --project ${shellWord(projectId)}`);
  error.advise(`${kindAdvice.operation_timeout} To wait for it, run:${commandLines(command)}`);
}

/** The platform's own error, unwrapped from an error that adds the endpoint's id. */
function originOf(error: unknown): PlatformError | undefined {
  if (error instanceof HttpError || error instanceof AnswerError || error instanceof OperationError) return error;
  return error instanceof Error && error.cause !== undefined ? originOf(error.cause) : undefined;
}
