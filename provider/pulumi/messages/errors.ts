/** Advice on errors, invalid inputs and lost creates for users of Pulumi: commands and settings by kind. */

import type { Advice, Failure } from "../../lib/failure";
import { memberIn, type Owner } from "../../lib/owner";
import { commandLines, listed, plain, sentences, shellWord } from "../../lib/wording";
import {
  AnswerError,
  CancelledError,
  type ErrorKind,
  HttpError,
  isKind,
  type MaybeCreated,
  OperationError,
  PartialError,
  PgComputeError,
  withAdvice,
} from "../../platform/errors";
import { DEFAULT_BASE_URL } from "../../platform/http/base-url";
import { COMMAND, deleteCommand, importCommand, TAKE_UP_COMMAND } from "./commands";

/** Advice for a base address that is not the API's. */
export const WRONG_ADDRESS_ADVICE =
  "Correct the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL), whose whole path counts, as in " +
  `${DEFAULT_BASE_URL}.`;

/** The reader's host, which decides the possible advice: the dynamic host cannot import. */
export interface Reader {
  host: "plugin" | "dynamic";
  /** The resource or member that the message is about. */
  urn: Owner;
  /** The keys of the members, if the message is about members. */
  keys?: readonly string[];
}

/** A message function for each kind of a union of data. */
export type Sentences<T extends { kind: string }, Who = undefined, Told = string> = {
  [K in T["kind"]]: (one: Extract<T, { kind: K }>, reader: Who) => Told;
};

const ways: Sentences<Advice> = {
  raise_max_size: ({ value }) =>
    `if your platform offers more, run:${commandLines(`pulumi config set pgcompute:maxSizeCu ${value}`)}`,
  set_plan: ({ plan }) =>
    `if the account is on ${plan === "paid" ? "a paid plan" : `the ${plan} plan`}, run:${commandLines(`pulumi config set pgcompute:plan ${plan}`)}`,
  find_branch: ({ projectId }) => {
    const byName = "getBranch finds it by the branch's name";
    if (projectId === undefined) return byName;
    return `${byName}; to see all ids, run:${commandLines(`${COMMAND} branches --project ${shellWord(projectId)}`)}`;
  },
  find_project: () => `to see the ids of all projects, run:${commandLines(`${COMMAND} projects`)}`,
  take_out: ({ key }) => `to take it out, run:${commandLines(`pulumi config rm ${shellWord(`pgcompute:${key}`)}`)}`,
  give_key: () =>
    `set the environment variable PGCOMPUTE_API_KEY, or run:${commandLines("pulumi config set --secret pgcompute:apiKey")}`,
  give_address: () =>
    "if the key is of that platform, set PGCOMPUTE_BASE_URL=ADDRESS beside the key, for refresh and destroy too; a provider " +
    "with a key of its own (apiKey) keeps its own address",
};

/** The advice for each kind; the reference page of errors shows it. */
export const kindAdvice: Record<ErrorKind, string> = {
  configuration: "Correct the configuration key or environment variable the message names.",
  invalid_argument: "Correct the value the message names.",
  unauthorized:
    "Refresh and destroy use the configuration of the last `pulumi up`: run them with `--run-program`. To set a valid key, run:" +
    commandLines("pulumi config set --secret pgcompute:apiKey"),
  forbidden: "Use a key with access to the project (pgcompute:apiKey or PGCOMPUTE_API_KEY), or have it given access.",
  not_found: "Check the id and that the key belongs to the account that owns it.",
  conflict: "Read which endpoint is in the way; adopt it, import it, or use another branch.",
  not_ready: "Read the platform's reason; for a root branch's endpoint, see retainOnDelete.",
  locked:
    "The provider waited for it and sent the change again until the timeout. Run the command again when the project's operations have ended.",
  over_limit:
    "Waiting does not help here. Where a quota is used up, have it raised, or wait for its next period. With pgcompute:plan configured, " +
    `the preview shows what that plan does not have; for the free plan, run:${commandLines("pulumi config set pgcompute:plan free")}`,
  rate_limited:
    "Run the command again later, or with a lower --parallel. For fewer calls a second, run:" +
    commandLines("pulumi config set pgcompute:maxRequestsPerSecond 5"),
  invalid_request: "Read the platform's reason. If your program is right, this is a bug in the provider: report it.",
  server: "Run the command again: the provider looks at the platform before it repeats a change.",
  unreachable:
    "Nothing was sent. Check the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL), the network and the proxy " +
    "settings (HTTPS_PROXY, NO_PROXY), then run the command again.",
  answer_lost:
    "Run the command again: the provider looks at the platform before it repeats a change. If the platform is just " +
    `slow, run:${commandLines("pulumi config set pgcompute:requestTimeoutSeconds 120")}`,
  bad_answer:
    "Check that the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL) is the platform's API and no proxy answers in " +
    "its place, then run the command again.",
  answer_too_large: "Check that the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL) is the platform's API.",
  redirect_refused: "Give the address that the platform really has in pgcompute:baseUrl or PGCOMPUTE_BASE_URL.",
  operation_failed:
    "If the reason names a value, correct it in the program. Run `pulumi up` again: it makes the change again. If that " +
    "fails too, ask the platform's support about this operation.",
  operation_timeout: "Run `pulumi up` again: it resumes the wait. Raise customTimeouts if the platform is slow.",
  in_use:
    'Run `pulumi up` again at a quieter time, raise customTimeouts.update to wait longer, or set `restartWhen: "now"`.',
  timeout:
    "Run `pulumi up` again: it goes on from there. Raise customTimeouts, or lower --parallel, if that takes longer.",
  operation_vanished: "Run `pulumi up` again: the provider reads the endpoint and compares it with the program.",
  cancelled: "Run `pulumi up` again: it resumes where this run stopped.",
  internal: "Please report it.",
  not_applied: "Take the property out of the program: this platform does not do it.",
  refused: "Do one of the things that the message names.",
};

/** The message for a value of a union, by its kind. */
export function sentenceOf<T extends { kind: string }, Who, Told = string>(
  all: Sentences<T, Who, Told>,
  one: T,
  reader: Who,
): Told {
  return all[one.kind as T["kind"]](one as never, reader);
}

/** A failure with its advice in the text. */
export function adviseFailure(failure: Failure): Failure {
  const { reason, advice } = failure;
  return advice ? { ...failure, reason: `${reason}; ${sentenceOf(ways, advice, undefined)}` } : failure;
}

/** Formats an error with advice for its kind, as the platform's own errors carry none. */
export function messageFor(error: PgComputeError): string {
  return error.advice === undefined ? withAdvice(error.summary, adviceFor(error)) : error.message;
}

function adviceFor(error: PgComputeError): string | undefined {
  const { cause, remedy } = error;
  if (remedy?.kind === "wrong_address") return WRONG_ADDRESS_ADVICE;
  if (error instanceof PartialError && cause instanceof PgComputeError) return adviceFor(cause);
  if (error instanceof HttpError) return httpAdvice(error);
  const isOfKind = [AnswerError, OperationError, CancelledError].some((one) => error instanceof one);

  // The error of a delete wraps the operation's error, to add the endpoint's id.
  return isOfKind || isKind(error, "timeout", "in_use") || cause instanceof OperationError
    ? kindAdvice[error.kind]
    : undefined;
}

function httpAdvice(error: HttpError): string {
  const advice = kindAdvice[error.kind];
  switch (error.kind) {
    case "unauthorized":
      return keyAdvice(error);
    case "locked": {
      const [, projectId] = error.path.match(/^\/projects\/([^/]+)/) ?? [];
      if (projectId === undefined) return advice;
      return `${advice} To see them, run:${commandLines(`${COMMAND} operations --project ${shellWord(projectId)}`)}`;
    }
    case "over_limit":
      return limitAdvice(error);
    default:
      return advice;
  }
}

/** Advice on a limit, by its code. A configured plan may be the wrong one. */
function limitAdvice({ code, plan }: HttpError): string {
  if (/ACTIVE/i.test(code)) {
    return "Suspend some of the project's computes, or ask the platform's support for more, then run the command again.";
  }
  if (plan === undefined) return kindAdvice.over_limit;
  return (
    `Waiting does not help here. pgcompute:plan says ${plan}: where the account is on another plan, correct that, and the preview shows ` +
    "what it does not have. Where a quota is used up, have it raised, or wait for its next period."
  );
}

function keyAdvice({ keySource }: HttpError): string {
  if (keySource === "environment") return "The key came from PGCOMPUTE_API_KEY: set a valid one there.";
  if (keySource === undefined) return kindAdvice.unauthorized;
  return `The key came from the configuration (pgcompute:apiKey). ${kindAdvice.unauthorized}`;
}

/** Names the place of a lost create's endpoint, or the candidates. */
export function maybeCreatedMessage({ projectId, branchId, name, keepsNames, candidates }: MaybeCreated): string {
  const lost = "An answer to the create of this endpoint was lost";
  const why = name === undefined ? "a name of the program's own marks no request" : "this platform keeps no names";
  if (candidates.length > 0) {
    return (
      `${lost}, and ${why}: of what appeared on branch ${branchId} at that moment, endpoint ${listed(candidates, "or")} ` +
      "may be what it made; that is not certain, so nothing was taken and nothing was sent again"
    );
  }

  const named = keepsNames === false || name === undefined ? "" : `, under the name ${name}`;
  return `${lost}, so it may exist: it would be on branch ${branchId} of project ${projectId}${named}`;
}

/** Commands to find, import or delete the endpoint of a lost create. */
export function maybeCreatedAdvice(
  { projectId, branchId, name, keepsNames, candidates }: MaybeCreated,
  reader: Reader,
): string {
  const isMarked = name !== undefined && keepsNames;
  // One way on only: a plain run would find the endpoint and ask for the same.
  const takeUp =
    "With PGCOMPUTE_ADOPT_INTERRUPTED=1 before it, the same command takes the endpoint up if it is there, and creates it if it is not, as in:" +
    commandLines(TAKE_UP_COMMAND);
  if (candidates.length === 0 && isMarked === true) return takeUp;

  const look = `${COMMAND} endpoints list --project ${shellWord(projectId)} --branch ${shellWord(branchId)}`;
  const remove = "`endpoints delete` with its id deletes it, with its host name";
  if (candidates.length === 0 && isMarked === false) {
    return `If it is there and nobody else has it, ${remove}; then run \`pulumi up\` again. To see it, run:${commandLines(look)}`;
  }

  if (candidates.length === 0) {
    const nameless = `If it is there without its name and nobody else has it, ${remove}. To see it, run:${commandLines(`${look} --json`)}`;
    return sentences([nameless, takeUp]);
  }

  const { it, run } = choiceOf(candidates);
  const ways = [
    `to delete ${it} with its host name, if nobody else has it, ${run}:${commandLines(...candidates.map(deleteCommand))}`,
    ...importWays(reader, candidates),
  ];
  return `What you can do before you run \`pulumi up\` again:${ways.map((way) => `\n  - ${way}`).join("")}`;
}

/** Ways to import a candidate on the reader's host; empty without any. */
function importWays({ host, urn }: Reader, candidates: readonly string[]): string[] {
  if (memberIn(urn)) {
    const settings = candidates.map((id) => `\`importId: "${plain(id)}"\``);
    return [`or to make it the fleet's own, set ${listed(settings, "or")} for this member`];
  }
  if (host === "dynamic") return [];
  const { it, run } = choiceOf(candidates);
  return [`or bring ${it} under management, ${run}:${commandLines(...candidates.map((id) => importCommand(urn, id)))}`];
}

function choiceOf(candidates: readonly string[]): { it: string; run: string } {
  return candidates.length === 1 ? { it: "it", run: "run" } : { it: "one of them", run: "run one of these" };
}
