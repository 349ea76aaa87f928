import { pause } from "../lib/clock";
import { asOwnError, HttpError, isAnswerLost, isKind, PartialError, PgComputeError } from "../platform/errors";
import type { EndpointChange, EndpointRecord } from "../platform/records";
import { type Context, waitTimeoutMs } from "./context";
import { findCreated, type LostCreate, recoverChange } from "./find-created";
import { formatId } from "./identity";
import { toCreateRequest } from "./mapping";
import type { EndpointInputs } from "./model";
import { newOwnershipName } from "./ownership-name";
import { partial, stateOf, waitFor } from "./settle";

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;

/** One create's request, which may be sent more than once. */
export interface CreatePost {
  /** Sends it; what an earlier attempt created is found again and given instead of a second one. */
  send(): Promise<EndpointChange>;
  /** The error to end with: where an answer was lost, it says what may exist and how to take it up. */
  explain(error: unknown): unknown;
  /** Deletes what a repeat created a second time, where lists that lagged behind hid the first. Never throws. */
  removeDuplicate(kept: EndpointRecord): Promise<void>;
}

/**
 * The create request of an endpoint (specification, section 4.3). It bears a name that no other request has, so that an
 * endpoint whose answer was lost is known again; it is repeated only where none is found.
 */
export function createPost(context: Context, inputs: EndpointInputs): CreatePost {
  const { api } = context.account;
  const { projectId, branchId, type } = inputs;
  const mark = newOwnershipName(context.urn ?? "");
  const body = toCreateRequest(inputs, mark);
  const lost: LostCreate = { projectId, branchId, mark };
  // Holds on over refusals, which the caller waits out: what was refused may stand in the way of itself.
  let attemptsLost = 0;

  const found = async (): Promise<EndpointChange | undefined> => {
    // A replica's repeat would make a second one; a read-write endpoint's is refused by the platform.
    const record = await findCreated(context, lost, { patient: type === "read_only" });
    return record && recovered(context, record, inputs);
  };

  return {
    async send() {
      const deadlineMs = context.account.clock.now() + waitTimeoutMs(context);
      for (;;) {
        try {
          return await api.createEndpoint(projectId, body, { signal: context.signal });
        } catch (error) {
          // A 503 says that nothing was done; here a lie would make a second endpoint, so it is looked at as well.
          if (isAnswerLost(error) || isKind(error, "server")) {
            attemptsLost += 1;
            const change = await found();
            if (change) return change;
            if (attemptsLost === MAX_ATTEMPTS || context.signal.aborted) throw error;
            if (!(await pauseBefore(context, error, attemptsLost, deadlineMs))) throw error;
          } else {
            const change = attemptsLost > 0 && isKind(error, "conflict") ? await found() : undefined;
            if (change) return change;
            throw error;
          }
        }
      }
    },

    explain: (error) => (attemptsLost > 0 && !(error instanceof PartialError) ? unsure(lost, error) : error),

    async removeDuplicate(kept) {
      if (attemptsLost === 0 || type !== "read_only" || context.signal.aborted) return;
      try {
        const { clock, project } = context.account;
        const onBranch = await project(projectId).cache.onBranch(branchId, { sinceMs: clock.now() });
        for (const twin of onBranch.filter(({ id, name }) => name === mark && id !== kept.id)) {
          await removeDuplicateOf(context, twin);
        }
      } catch {
        // The create itself went well; diff names what is left.
      }
    },
  };
}

/**
 * Pauses before the next attempt, as long as the platform asks or twice as long each time. False where that would last beyond
 * the deadline.
 */
async function pauseBefore(context: Context, error: unknown, attempts: number, deadlineMs: number): Promise<boolean> {
  const { clock } = context.account;
  const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
  const ms = asked ?? FIRST_PAUSE_MS * 2 ** (attempts - 1);
  if (clock.now() + ms > deadlineMs) return false;
  const reason = `${asOwnError(error).summary}; then the create is sent again`;
  await pause(clock, { ms, reason, signal: context.signal, onWait: context.reporter.status }).catch(() => {});
  return true;
}

/** The error of a create of which nobody knows whether it was made; other errors than the provider's stay as they are. */
function unsure({ projectId, branchId, mark }: LostCreate, error: unknown): unknown {
  if (!(error instanceof PgComputeError)) return error;
  // One way on, not two: a plain run would only find the endpoint, and ask for the same.
  return new PgComputeError(
    error.kind,
    `${error.summary}. An answer to the create of this endpoint was lost, so it may exist: it would be on branch ` +
      `${branchId} of project ${projectId}, under the name ${mark}`,
    {
      cause: error,
      advice:
        "Run the same command again with PGCOMPUTE_ADOPT_INTERRUPTED=1, as in " +
        "`PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up`: it takes the endpoint up if it is there, and creates it if it is not.",
    },
  );
}

/** The found endpoint's change; from here on its id must not be lost, whatever happens. */
async function recovered(context: Context, record: EndpointRecord, inputs: EndpointInputs): Promise<EndpointChange> {
  try {
    return await recoverChange(context, record);
  } catch (error) {
    const id = formatId({ projectId: record.projectId, endpointId: record.id });
    throw partial(id, stateOf(record, inputs), error);
  }
}

async function removeDuplicateOf(context: Context, { projectId, branchId, id }: EndpointRecord): Promise<void> {
  const { cache, changes } = context.account.project(projectId);
  context.reporter.warn(
    `endpoint ${formatId({ projectId, endpointId: id })} was created twice over, because an answer was lost and the ` +
      "platform's lists were behind: the second one is kept, this one is deleted",
  );
  await changes.run(
    { branchIds: [branchId], endpointId: id },
    async () => {
      const { operations } = await context.account.api.deleteEndpoint(projectId, id, { signal: context.signal });
      cache.remove(id);
      return waitFor(context, projectId, operations);
    },
    { timeoutMs: waitTimeoutMs(context), signal: context.signal },
  );
}
