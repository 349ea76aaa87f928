/** Creates an endpoint, or handles the one in the way: to adopt, an orphan, another resource's, or its own. */

import { requestOptions } from "../../endpoint/context";
import { adopt, create } from "../../endpoint/create";
import { idOf } from "../../endpoint/identity";
import { newOwnershipName, ownerNameIn } from "../../endpoint/ownership-name";
import type { EndpointInputs } from "../../endpoint/properties";
import type { StoredEndpoint } from "../../endpoint/stored";
import { isSole } from "../../endpoint/types";
import { madeFor } from "../../lib/owner";
import { leftRefusal, takeUpAt } from "../../places/take-over";
import { type MaybeCreated, OutcomeUnknownError, PgComputeError } from "../../platform/errors";
import type { EndpointRecord } from "../../platform/records";
import { groundOf, type LifecycleContext } from "../call";
import { maybeCreatedMessage } from "../messages/errors";
import { refusalMessage } from "../messages/refusals";
import { staysWithoutDiff } from "./turn";

/** Adopts and updates the endpoint that `adoptExisting` or `adoptInterrupted` allows. Undefined if there is none. */
export async function takeOver(context: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint | undefined> {
  const { run, urn, account, reporter } = context;
  const { cache, creates } = account.project(inputs.projectId);
  // The new endpoint of a replacement adopts nothing.
  const { phase } = run.record(urn);
  const adopts = inputs.adoptExisting && phase !== "kept" && phase !== "replacing";
  if (!adopts && !account.settings.adoptInterrupted && !creates.hasLost) return undefined;

  const lists = new Map([
    [inputs.projectId, await cache.snapshot({ signal: context.signal, onWait: context.reporter.status })],
  ]);
  const ground = groundOf(context, lists);
  const { takes, left } = takeUpAt(ground, inputs, (record) => creates.hasMade(record));

  // Check planned to adopt this endpoint, but the run has met another owner since.
  if (!takes && ground.rules.takesUp && left.length > 0) {
    const refusal = leftRefusal(
      ground,
      left.map((record) => ({ record })),
    );
    throw new PgComputeError("refused", refusalMessage(refusal, context));
  }

  // An endpoint of another resource is not adopted, even if that one is about to leave the branch.
  const isFree = (record: EndpointRecord) =>
    ground.otherOwnerOf(record.id) === undefined && ownerNameIn(record) === undefined;
  const occupant = adopts ? ground.recordsOn(inputs).find((one) => isSole(one) && isFree(one)) : undefined;
  const found = takes ?? occupant;
  // The list may be old and the endpoint another resource's by now; from here on this resource owns it.
  const record = found && (await cache.readById(found.id, requestOptions(context)));
  if (record?.branchId !== inputs.branchId || run.otherOwnerOf(record.id, urn) !== undefined) return undefined;

  run.identify(urn, record.id);
  const id = idOf(record);
  reporter.info(
    takes
      ? `takes over endpoint ${id}, which an interrupted run created for this resource`
      : `adopts endpoint ${id}; destroy will release it, not delete it`,
  );
  return adopt(context, { record, inputs, adopted: !takes });
}

/**
 * Creates an endpoint with the program's or a generated name. If the answer is lost, the error names the candidates.
 */
export async function createAnew(context: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint> {
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
