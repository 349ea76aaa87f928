/** The fate of one endpoint in a plan. */
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { isRecord } from "../../provider/lib/unknown";
import { planValue } from "./change";
import type { PlanStep } from "./plan-model";

/**
 * The engine's actions, and three more. `adopt` takes over an existing endpoint. `recreate` (drift only) replaces an
 * endpoint deleted outside Pulumi. `release` drops the endpoint from the stack and keeps it running.
 */
export const actions = ["create", "adopt", "recreate", "import", "update", "replace", "delete", "release"] as const;

/** A verb of a change in a plan. */
export type Action = (typeof actions)[number];

/** One fate of one endpoint, with all that is planned for it in one step. */
export interface Fate extends PlanStep {
  /** `unread` of one that cannot be read, and of a fleet whose members cannot. */
  action: Action | "same" | "unread";
  /** For a replacement: the old endpoint goes before the new one comes. */
  deletesFirst?: boolean;
  /** It was to go in an earlier run already, and its replacement is there. */
  leftover?: true;
}

/** The fate of one that changes. */
export interface PlannedEndpoint extends Fate {
  action: Action;
}

/** Steps that only look, or only tidy the engine's own books. */
export const harmless = new Set([
  "same",
  "refresh",
  "read",
  "read-replacement",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);

/** Steps for resources that the state did not have before. */
const beginning = new Set(["create", "create-replacement", "import", "import-replacement", "take-up"]);

/** Steps of a replacement. */
export const replacing = new Set(["replace", "create-replacement", "delete-replaced", "import-replacement"]);

/** True for a change of which the plan lacks a side, so that it cannot be compared. */
export function lacksSide({ op, before, after }: PlanStep): boolean {
  if (harmless.has(op) || op.startsWith("delete")) return false;
  return after === undefined || (before === undefined && !beginning.has(op));
}

/** The fate that a step means. Besides the engine's steps there are `take-up`, of what is there, and `recreate`. */
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
    case "delete-replaced": {
      const book = before?.outputs[BOOKKEEPING];
      return before?.retainOnDelete || (isRecord(book) && book.adopted === true) ? "release" : "delete";
    }
    default:
      // What a newer engine calls by another name changes the endpoint somehow.
      return replacing.has(op) ? "replace" : "update";
  }
}

/** True for `adoptExisting` where it is set; where it is secret or not known yet, it may be. */
export function mayAdopt(adoptExisting: unknown): boolean {
  const found = planValue(adoptExisting);
  return found.is === "value" ? found.value === true : found.is === "secret" || found.is === "unknown";
}
