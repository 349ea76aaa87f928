/** Advice that needs a command of Pulumi: on errors, on deletes that fail, and on what earlier runs have left. */
import { idOf } from "../../endpoint/identity";
import { memberIn } from "../../lib/owner";
import { commandLines, sentences as inOneLine, plain } from "../../lib/wording";
import { activeLimitAdvice, isKind, PgComputeError, type Remedy } from "../../platform/errors";
import type { EndpointRecord } from "../../platform/records";
import { deleteCommand, forgettingCommand, TAKE_UP_COMMAND, UP_COMMAND } from "./commands";
import { maybeCreatedAdvice, type Reader, type Sentences, sentenceOf, WRONG_ADDRESS_ADVICE } from "./errors";

/** The first check when the platform does not know a project. */
const CHECK_ACCESS =
  "Check the key (pgcompute:apiKey or PGCOMPUTE_API_KEY) and the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL).";

/** The advice on every failed delete. */
export const PENDING_DELETE = "The delete is pending: it stays in the state, and each later run tries it again.";

const remedies: Sentences<Remedy, Reader> = {
  gone: () => `Run \`${UP_COMMAND}\` again: a new one is created, with another host name`,
  delete_accepted: () => "The next run finds it gone",
  unknown_project: lostProjectAdvice,
  active_limit: (remedy) => activeLimitAdvice(remedy, `\`${UP_COMMAND}\``),
  fixed_delay: ({ plan }) => {
    const why =
      "The account's plan fixes the autosuspend delay, and the change carried one: take suspendTimeoutSeconds out of the program";
    const then = "then the preview refuses what that plan does not have, and the delay that it fixes is not sent";
    if (plan === "free") return `${why}.`;
    const tell = plan === undefined ? "or tell the plan" : `or, as pgcompute:plan says ${plan}, correct that`;
    return `${why}, ${tell} (${then}), run:${commandLines("pulumi config set pgcompute:plan free")}`;
  },
  size_limit: ({ largestCu }) =>
    "The platform's own limit is lower than the configured one (pgcompute:maxSizeCu, or pgcompute:checks: warn). Give a smaller size; without that setting the " +
    `preview refuses what is above ${largestCu} CU.`,
  wrong_address: () => WRONG_ADDRESS_ADVICE,
  root_branch: (_, { urn }) =>
    memberIn(urn)
      ? "Keep the member, set `retainOnDelete: true`, run `pulumi up`, then remove it."
      : "A program that still has it sets the resource option `retainOnDelete: true` and runs `pulumi up` first.",
  not_applied: ({ properties }) =>
    properties.includes("branchId")
      ? `Another branch means another endpoint, with another host name, after you run:${commandLines("pulumi config set pgcompute:moves replace")}`
      : `Take ${properties.join(" and ")} out of the program: this platform does not do it.`,
  maybe_created: maybeCreatedAdvice,
};

/** Runs a call and adds advice to its error. */
export async function advised<T>(reader: Reader, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PgComputeError) adviseError(error, reader);
    throw error;
  }
}

/** Adds the advice that needs a Pulumi command to an error. */
export function adviseError(error: PgComputeError, reader: Reader): void {
  const { remedy } = error;
  if (remedy) error.advise(sentenceOf(remedies, remedy, reader));
}

/** Advice to drop a deleted project from the state: resources, members, and entries left by replacements. */
export function lostProjectAdvice({ projectId }: { projectId: string }): string {
  return `${CHECK_ACCESS} If project ${plain(projectId)} was deleted with all that was in it, take what it had out of the program, and ${forgetAdvice(projectId)}`;
}

/** True for a delete's error that a repeat may not help. */
export function needsPerson(error: unknown): error is PgComputeError {
  return isKind(error, "refused", "forbidden", "not_found", "conflict", "not_ready", "invalid_request");
}

/** Advice on a failed delete, which later runs try again: how to leave the endpoint where it is. */
export function pendingDeleteAdvice(id: string): string {
  return `${PENDING_DELETE} ${keepInPlaceAdvice(id)}`;
}

/** How to leave an endpoint, or a project's endpoints, in place instead of deleting them. */
export function keepInPlaceAdvice(id: string): string {
  return `To leave ${id.includes("/") ? "the endpoint where it is" : "the endpoints where they are"} instead, ${forgetAdvice(id)}`;
}

/** How a run lets go of an endpoint or a project without a request. */
function forgetAdvice(id: string): string {
  return `have the same command let go of it, as in:${commandLines(forgettingCommand(id))}`;
}

/**
 * Reports a replica that an earlier run left, with the delete command. A new resource there also gets
 * `adoptInterrupted`.
 */
export function orphanMessage(record: EndpointRecord, isNewThere = false): string {
  const id = idOf(record);
  return inOneLine([
    `endpoint ${id} on branch ${record.branchId} was created for this resource by an earlier run, and no resource of this run has it`,
    isNewThere && `to take it up instead of creating another beside it, run:${commandLines(TAKE_UP_COMMAND)}`,
    `to delete it, with its host name, unless a state has it, as in a forced replacement, run:${commandLines(deleteCommand(id))}`,
  ]);
}

/** Says that a new endpoint takes the place of one that is gone, and what to do where Pulumi refuses that replacement. */
export function goneMessage(id: string): string {
  return inOneLine([
    `endpoint ${id} is gone: somebody, or a run that was interrupted, has deleted it. A new one is created or taken up, with another host ` +
      "name. Where Pulumi refuses to replace this resource because the program still has the option `import`, take that out",
    `where it does because the resource is protected, run:${commandLines("pulumi refresh", UP_COMMAND)}`,
  ]);
}
