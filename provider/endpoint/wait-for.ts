/** Waits for a change's operations and shows the wait on the resource's row. */
import { OperationError, type Remedy } from "../platform/errors";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { OperationRecord } from "../platform/records";
import { type Context, waitBounds } from "./context";

/** Waits until operations have ended. The resource's row shows the open operation and the elapsed time. */
export async function waitFor(
  context: Context,
  projectId: string,
  operations: readonly OperationRecord[],
): Promise<WaitResult> {
  let waitedFor: OperationRecord | undefined;
  const said = new Map<string, string>();
  const result = await context.account.project(projectId).waiter.wait(operations, {
    ...waitBounds(context),
    onProgress: ({ operation, elapsedMs }) => {
      waitedFor = operation;
      // The engine's display cuts a row at the terminal's width.
      const status = operation.status === "running" ? "" : ` ${operation.status}`;
      const line = `${operation.action}${status}, ${Math.round(elapsedMs / 1_000)} s`;
      // Each line is a call of the engine, and polls are several a second.
      if (said.get(operation.id) === line) return;
      said.set(operation.id, line);
      context.reporter.status(line);
    },
  });
  // The last line stays on the row of a finished change, and must not claim a wait.
  if (waitedFor && !result.error) context.reporter.status(`${waitedFor.action} done`);
  const starts = result.seen.filter(({ action }) => action === "start_compute");
  if (starts.some(({ status }) => status === "skipped")) context.onStartSkipped?.();
  return { ...result, ...limited(context, result, starts) };
}

/** The message that an endpoint, or several members, will start at the first connection. */
export function skippedStartsMessage({ account }: Pick<Context, "account">, members?: number): string {
  const { platform, activeComputes } = account.settings.profile;
  const isOne = members === undefined || members === 1;
  const who = members === undefined ? "" : `${members} ${isOne ? "member" : "members"} `;
  const limit =
    activeComputes === undefined ? "" : `; ${platform} has at most ${activeComputes} of a project active at a time`;
  const their = isOne ? "its" : "their";
  return `${who}${isOne ? "starts" : "start"} at ${their} first connection: the platform has skipped ${their} start${limit}`;
}

/**
 * The error of a failed start, with the platform's limit on active computes as a possible reason: its answer then is
 * not published.
 */
function limited(
  { account }: Context,
  { error }: WaitResult,
  starts: readonly OperationRecord[],
): Pick<WaitResult, "error"> {
  const { platform, activeComputes: limit } = account.settings.profile;
  if (limit === undefined || !(error instanceof OperationError) || error.kind !== "operation_failed") return {};
  const start = starts.find(({ id }) => id === error.operationId);
  if (!start) return {};
  const remedy: Remedy = { kind: "active_limit", platform, limit };
  return { error: new OperationError(error.kind, error.summary, start, { remedy }) };
}
