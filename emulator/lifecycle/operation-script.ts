import type { OperationEffect } from "../faults/fault";
import type { OperationStep } from "../model/operation";

/** Why an operation failed, by its action, where the fault does not say. */
const DEFAULT_ERRORS: Record<string, string> = {
  apply_config: "configuration was not applied",
  start_compute: "compute node did not come up",
  suspend_compute: "compute node did not shut down",
};

/**
 * The moves of an operation that takes `operationMs` milliseconds: scheduling for a quarter of it (not at all where it
 * runs at once), then running, then the end. A fault changes the moves.
 */
export function operationSteps(
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

/** The one move of an operation that has failed as it begins. */
export function failedSteps(error: string): OperationStep[] {
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
