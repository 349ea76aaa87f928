/** What to do about bad input, where that takes a command or a setting: the rules themselves know neither. */
import type { Advice, Failure } from "../lib/failure";
import { DEFAULT_BASE_URL } from "../platform/http/base-url";
import { COMMAND } from "./commands";

/** What to do where the base address is that of something else. */
export const WRONG_ADDRESS_ADVICE =
  "Correct the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL), whose whole path counts, as in " +
  `${DEFAULT_BASE_URL}.`;

/** A failure with its way on in words, where it has one. */
export function adviseFailure(failure: Failure): Failure {
  return failure.advice ? { ...failure, reason: `${failure.reason}; ${formatAdvice(failure.advice)}` } : failure;
}

function formatAdvice(advice: Advice): string {
  switch (advice.kind) {
    case "raise-max-size":
      return `if your platform offers more, run: pulumi config set pgcompute:maxSizeCu ${advice.value}`;
    case "reset-size-limits":
      return "for the usual range, run: pulumi config rm-all pgcompute:minSizeCu pgcompute:maxSizeCu";
    case "set-paid-plan":
      return "if the account is on a paid plan, run: pulumi config set pgcompute:plan paid";
    case "find-branch":
      return `getBranch finds it by the branch's name; to see all ids, run: ${COMMAND} branches --project ${advice.projectId ?? "PROJECT"}`;
    case "find-project":
      return `to see the ids of all projects, run: ${COMMAND} projects`;
    case "give-key":
      return "run `pulumi config set --secret pgcompute:apiKey`, or set the environment variable PGCOMPUTE_API_KEY";
    case "give-address":
      return (
        "if the key is of that platform, set PGCOMPUTE_BASE_URL=ADDRESS beside the key, for refresh and destroy too; a provider " +
        "with a key of its own (apiKey) keeps its own address"
      );
  }
}
