import type { OperationEffect } from "../faults/fault";
import type { OperationWork } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import { isOpen, isSuccess, type Operation, type OperationStep } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";

/** An operation to start, with callbacks for its end. */
export interface OperationPlan {
  action: string;
  branchId: string;
  endpointId?: string;
  /** The endpoint, for work on a real compute; the project may have lost it by then. */
  endpoint?: Endpoint;
  /** True if a real compute has no work to do, whatever the action. */
  changesNothing?: boolean;
  /** True if the operation ends as `skipped`. */
  skipped?: boolean;
  /** The reason of an immediate failure; absent if the operation runs. */
  failure?: string;
  /** Called once, when the operation leaves `scheduling`. */
  onStart?: () => void;
  /** Called once, when the operation first succeeds. */
  onSuccess?: () => void;
  /** Called when the operation has failed for good. */
  onFailure?: () => void;
  /** Called before `onFailure` if a real compute refused the work, to undo the request. */
  onRefusal?: () => void;
}

interface Run {
  platform: Platform;
  project: Project;
  operation: Operation;
  plan: OperationPlan;
  done: boolean;
  followers: Run[];
  /** The work on a real compute; `undefined` before it begins, and in an emulator without Postgres. */
  work: Work | undefined;
}

/** The progress of an operation's work on a real compute. */
interface Work {
  ended: boolean;
  /** The reason of a failure; `undefined` otherwise. */
  refusal: string | undefined;
  /** Called at the end of the work, if the operation waits for it. */
  onEnd: (() => void) | undefined;
}

/** Error messages by action, if the fault has none. */
const DEFAULT_ERRORS: Record<string, string> = {
  apply_config: "configuration was not applied",
  start_compute: "compute node did not come up",
  suspend_compute: "compute node did not shut down",
};

// The run of each open operation.
const runs = new WeakMap<Operation, Run>();

/**
 * Starts a change's operations one after another, after any open one there. Returns them in their first state
 * (specification, section 3.1).
 */
export function startOperations(platform: Platform, project: Project, plans: OperationPlan[]): Operation[] {
  const started: Operation[] = [];
  for (const plan of plans) {
    const predecessor = started.at(-1) ?? lastOpen(project, plan);
    started.push(startOperation(platform, project, plan, predecessor));
  }
  return started;
}

/** Starts one operation, after an open `predecessor`. */
export function startOperation(
  platform: Platform,
  project: Project,
  plan: OperationPlan,
  predecessor?: Operation,
): Operation {
  const now = platform.now();
  const facts = { action: plan.action, branchId: plan.branchId, endpointId: plan.endpointId };
  const fault = platform.faults.strikeOperation(facts);
  const effect = fault ?? (plan.skipped ? { kind: "skip" } : undefined);
  const { operationMs, operationMsByAction, firstOperation } = platform.settings;
  const before = predecessor && runs.get(predecessor);
  const atOnce = plan.failure !== undefined || (!before && firstOperation === "running");

  const operation: Operation = {
    id: platform.random.uuid(),
    projectId: project.record.id,
    ...facts,
    action: effect?.kind === "unknown-action" ? (effect.action ?? "tune_compute") : plan.action,
    work: plan.action,
    createdMicros: project.operations.nextMicros(now),
    status: "scheduling",
    failuresCount: 0,
    error: undefined,
    retryAt: undefined,
    startedAt: undefined,
    updatedAt: now,
    endedAt: undefined,
    steps:
      plan.failure !== undefined
        ? failedSteps(plan.failure)
        : operationSteps(plan.action, operationMsByAction[plan.action] ?? operationMs, effect, atOnce),
    ...(fault && { fault: fault.kind }),
    vanished: effect?.kind === "vanish" && !effect.afterMs,
  };

  if (effect?.kind === "vanish" && effect.afterMs) {
    platform.agenda.add(now + effect.afterMs, () => {
      operation.vanished = true;
      project.operations.touch(operation);
    });
  }

  project.operations.add(operation);
  markOpen(project, operation);
  const run: Run = { platform, project, operation, plan, done: false, followers: [], work: undefined };
  runs.set(operation, run);

  const [first] = operation.steps;
  if (before) before.followers.push(run);
  else if (atOnce && first) takeStep(run, first);
  else scheduleNext(run, now);
  return operation;
}

// The endpoint's last open operation, or else its branch's: a new branch is created before its compute starts.
function lastOpen(project: Project, plan: OperationPlan): Operation | undefined {
  const own = plan.endpointId === undefined ? undefined : project.open.get(plan.endpointId);
  return [...(own ?? project.open.get(plan.branchId) ?? [])].at(-1);
}

function scheduleNext(run: Run, from: number): void {
  const step = run.operation.steps[0];
  if (step) run.platform.agenda.add(from + step.afterMs, () => takeStep(run, step));
}

function takeStep(run: Run, planned: OperationStep): void {
  const { operation, project, work } = run;
  const now = run.platform.now();
  // A success waits for the work, unless the script has already failed.
  if (work && !run.done && isSuccess(planned.status) && !work.ended) {
    work.onEnd = () => run.platform.agenda.add(run.platform.now(), () => takeStep(run, planned));
    return;
  }

  operation.steps.shift();
  project.operations.touch(operation);
  const step = resultOf(run, planned);
  operation.status = step.status;
  operation.updatedAt = now;
  operation.failuresCount += step.failures ?? 0;
  operation.error = step.error;
  operation.retryAt = step.retryMs === undefined ? undefined : now + step.retryMs;

  if (operation.startedAt === undefined) {
    operation.startedAt = now;
    run.plan.onStart?.();
  }

  operation.endedAt = isOpen(operation) ? undefined : now;
  if (isOpen(operation)) markOpen(project, operation);
  else markClosed(project, operation);
  const last = operation.steps.length === 0 && !isOpen(operation);
  if (!run.done && (isSuccess(step.status) || last)) finish(run, isSuccess(step.status));
  if (!isOpen(operation)) clearPending(run, now);

  const [next] = operation.steps;
  const { action, branchId, endpoint, changesNothing } = run.plan;
  if (!run.done && !run.work && !changesNothing && next && isSuccess(next.status)) {
    run.work = beginWork(run.platform, { action, project, branchId, endpoint });
  }
  scheduleNext(run, now);
}

// Starts an operation's work on the real computes; `undefined` without any.
function beginWork({ computes, projects }: Platform, task: OperationWork): Work | undefined {
  if (!computes) return undefined;
  const { project } = task;
  const work: Work = { ended: false, refusal: undefined, onEnd: undefined };

  const end = (refusal?: string) => {
    work.ended = true;
    work.refusal = refusal;
    // After a reset no operation waits for the work.
    if (projects.get(project.record.id) === project) work.onEnd?.();
  };

  computes
    .run(task)
    .then(() => end())
    .catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
  return work;
}

// Refused work fails the operation, whatever its script.
function resultOf(run: Run, planned: OperationStep): OperationStep {
  const refusal = run.done || !isSuccess(planned.status) ? undefined : run.work?.refusal;
  if (refusal === undefined) return planned;
  run.operation.steps = [];
  run.plan.onRefusal?.();
  return { afterMs: 0, status: "failed", failures: 1, error: refusal };
}

function finish(run: Run, success: boolean): void {
  run.done = true;
  runs.delete(run.operation);
  if (success) run.plan.onSuccess?.();
  else run.plan.onFailure?.();
  for (const follower of run.followers) scheduleNext(follower, run.platform.now());
  run.followers = [];
}

// The pending state lasts while any operation of the endpoint is open (specification, section 2.3).
function clearPending(run: Run, now: number): void {
  const id = run.operation.endpointId;
  const endpoint = id === undefined ? undefined : run.project.endpoints.get(id);
  if (id === undefined || !endpoint?.record.pending_state || run.project.open.has(id)) return;
  run.project.changeEndpoint(endpoint, { pending_state: undefined }, now);
}

function markOpen(project: Project, operation: Operation): void {
  const target = operation.endpointId ?? operation.branchId;
  const open = project.open.get(target);
  if (open) open.add(operation);
  else project.open.set(target, new Set([operation]));
}

function markClosed(project: Project, operation: Operation): void {
  const target = operation.endpointId ?? operation.branchId;
  const open = project.open.get(target);
  open?.delete(operation);
  if (open?.size === 0) project.open.delete(target);
}

/**
 * The steps of an operation of `operationMs` milliseconds: a quarter scheduling (unless `atOnce`), then running. A
 * fault changes them.
 */
function operationSteps(
  action: string,
  operationMs: number,
  effect?: OperationEffect,
  atOnce = false,
): OperationStep[] {
  const totalMs = effect?.kind === "slow" ? effect.operationMs : operationMs;
  const begin: OperationStep = { afterMs: atOnce ? 0 : totalMs / 4, status: "running" };
  const restMs = totalMs - begin.afterMs;
  const finish: OperationStep = { afterMs: restMs, status: "finished" };
  const error = DEFAULT_ERRORS[action] ?? `${action} was not done`;

  switch (effect?.kind) {
    case "fail":
      return [begin, ...failing(effect, restMs, error)];
    case "fail-then-finish":
      return [begin, ...retried(effect, totalMs, restMs, error)];
    case "hang":
      return [{ ...begin, status: effect.status ?? "running" }];
    case "backwards":
      return [begin, finish, { afterMs: totalMs, status: "running" }, { ...finish, afterMs: totalMs }];
    case "skip":
      return [begin, { ...finish, status: "skipped" }];
    case "unknown-status":
      return [{ ...begin, status: effect.status ?? "rebalancing" }, finish];
    default:
      return [begin, finish];
  }
}

/** The only step of an operation that fails at its start. */
function failedSteps(error: string): OperationStep[] {
  return [{ afterMs: 0, status: "failed", error, failures: 1 }];
}

function failing(
  effect: Extract<OperationEffect, { kind: "fail" }>,
  afterMs: number,
  defaultError: string,
): OperationStep[] {
  const status = effect.status ?? "failed";
  const error = effect.error ?? defaultError;

  if (status === "cancelled") {
    return [
      { afterMs: afterMs / 2, status: "cancelling" },
      { afterMs: afterMs / 2, status, error: effect.error ?? "cancelled by the platform" },
    ];
  }
  return [{ afterMs, status, error, failures: effect.failures ?? 1 }];
}

function retried(
  effect: Extract<OperationEffect, { kind: "fail-then-finish" }>,
  totalMs: number,
  firstMs: number,
  defaultError: string,
): OperationStep[] {
  const retryMs = effect.retryMs ?? 1000;
  const steps: OperationStep[] = [];

  for (let failure = 0; failure < (effect.failures ?? 1); failure++) {
    steps.push(
      {
        afterMs: failure === 0 ? firstMs : totalMs,
        status: "failed",
        failures: 1,
        retryMs,
        error: effect.error ?? defaultError,
      },
      { afterMs: retryMs, status: "running" },
    );
  }
  return [...steps, { afterMs: totalMs, status: "finished" }];
}
