/** Creates an endpoint with a name that tells its owner, and names what a lost answer may have created. */
import { create } from "../../endpoint/create";
import { newOwnershipName } from "../../endpoint/ownership-name";
import type { EndpointInputs } from "../../endpoint/properties";
import type { DoneStep } from "../../endpoint/stored";
import { madeFor } from "../../lib/owner";
import { type MaybeCreated, OutcomeUnknownError, PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../call";
import { maybeCreatedMessage } from "../messages/errors";
import { staysWithoutDiff } from "./turn";

/**
 * Creates an endpoint with the program's or a generated name. If the answer is lost, the error names the candidates.
 */
export async function createAnew(context: LifecycleContext, inputs: EndpointInputs): Promise<DoneStep> {
  const { urn, run } = context;
  const { projectId, branchId } = inputs;
  const ownName = inputs.name === undefined ? newOwnershipName(madeFor(urn)) : undefined;

  try {
    return await create(context, { inputs, ownName, isTaken: (id) => run.isKnown(id) });
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    const { keepsNames } = context.account.project(projectId).creates;
    const place = { projectId, branchId, name: ownName, keepsNames };
    const nothingSeen: MaybeCreated = { kind: "maybe_created", ...place, candidates: [] };
    const remedy = error.remedy?.kind === "maybe_created" ? error.remedy : nothingSeen;
    const summary = `${error.summary}. ${maybeCreatedMessage(remedy)}`;
    throw new PgComputeError(error.kind, summary, { cause: error, remedy });
  }
}

/** Warns of a replacement without a Diff, with its effects and requirements. */
export function warnOfReplacement(context: LifecycleContext): void {
  const { run, urn, reporter } = context;
  const { phase, compared } = run.record(urn);
  if (phase !== "replacing" || compared?.inPlace === false) return;

  const why = compared
    ? "replaced, not changed in place: an option of the program asks for it (replaceOnChanges)"
    : "replaced: an option of the program asks for it (such as replacementTrigger or replaceWith)";
  const what = `${why}; open connections are dropped, and the host name changes`;
  const needs =
    "Its branch has at most one read-write endpoint, so this takes the option `deleteBeforeReplace: true` as well";
  reporter.warn(staysWithoutDiff(context) ? `${what}. ${needs}` : what);
}
