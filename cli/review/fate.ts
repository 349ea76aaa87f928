/** The outcome of a plan for one endpoint. */
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { isRecord } from "../../provider/lib/unknown";
import { planValue } from "./change";
import type { PlanState, PlanStep } from "./plan-model";

/**
 * The engine's actions and three more: `adopt` takes over an existing endpoint, `recreate` (drift only) replaces one
 * deleted outside Pulumi, `release` drops one from the stack and keeps it running.
 */
export const actions = ["create", "adopt", "recreate", "import", "update", "replace", "delete", "release"] as const;

/** An action of a plan on an endpoint. */
export type Action = (typeof actions)[number];

/** The planned action on one endpoint, with its step. */
export interface Fate extends PlanStep {
  /** `unread`: an unreadable endpoint, or a fleet with unreadable members. */
  action: Action | "same" | "unread";
  /** For a replacement: the old endpoint is deleted first. */
  deletesFirst?: boolean;
  /** The URN of a resource that the plan deletes, and that takes the endpoint along (`deletedWith`). */
  goesWith?: string;
  /** True for an endpoint whose replacement exists and whose delete is left from an earlier run. */
  leftover?: true;
}

/** A planned action that changes an endpoint. */
export interface PlannedEndpoint extends Fate {
  action: Action;
}

/** Steps that only read, or that only change the engine's own records. */
export const harmless = new Set([
  "same",
  "refresh",
  "read",
  "read-replacement",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);

/** Steps of resources that are new in the state. */
const beginning = new Set(["create", "create-replacement", "import", "import-replacement", "take-up"]);

/** The steps of a replacement. */
export const replacing = new Set(["replace", "create-replacement", "delete-replaced", "import-replacement"]);

/** True for a change with a missing side, which cannot be compared; of a delete, for one without the old side. */
export function lacksSide({ op, before, after }: PlanStep): boolean {
  if (harmless.has(op)) return false;
  if (before === undefined && !beginning.has(op)) return true;
  return after === undefined && !op.startsWith("delete");
}

/** Adds to a step the action that it means for the endpoint, such as `adopt` for `take-up`. */
export function fateOf(step: PlanStep): Fate {
  return { ...step, action: actionOf(step) };
}

function actionOf({ op, before, after, unread }: PlanStep): Fate["action"] {
  if (unread) return "unread";
  if (harmless.has(op)) return "same";
  switch (op) {
    case "create":
      return mayAdopt(after?.inputs.adoptExisting) ? "adopt" : "create";
    case "take-up":
      return "adopt";
    case "import":
    case "recreate":
      return op;
    case "delete":
    case "delete-replaced":
      return isReleased(before) ? "release" : "delete";
    default:
      // An unknown step of a newer engine changes the endpoint somehow.
      return replacing.has(op) ? "replace" : "update";
  }
}

/** True for an endpoint that stays on the platform when its resource goes or is replaced. */
export function isReleased(before: PlanState | undefined): boolean {
  const book = before?.outputs[BOOKKEEPING];
  return before?.retainOnDelete === true || (isRecord(book) && book.adopted === true);
}

/** What becomes of an endpoint whose `deletedWith` names this resource, which the plan deletes; undefined for none. */
export function takenAlong(fate: Fate, goesWith: string | undefined): Fate {
  const { action, before } = fate;
  if (goesWith === undefined || before === undefined || action === "unread" || action === "adopt") return fate;
  return { ...fate, goesWith, action: action === "replace" ? action : "delete" };
}

/** True if `adoptExisting` is set, or is secret or unknown. */
export function mayAdopt(adoptExisting: unknown): boolean {
  const found = planValue(adoptExisting);
  return found.is === "value" ? found.value === true : found.is === "secret" || found.is === "unknown";
}
